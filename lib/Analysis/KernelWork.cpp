//===-- KernelWork.cpp - What an op computes and moves --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are those that must be moved if nothing is read twice.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelWork.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static bool computes(Operation &op) {
  return !op.hasTrait<OpTrait::ConstantLike>() &&
         !op.hasTrait<OpTrait::IsTerminator>() && !isa<linalg::IndexOp>(op);
}

int64_t fusion::countArithmetic(Block &body) {
  return llvm::count_if(body, computes);
}

static int64_t getElementBytes(ShapedType shaped) {
  Type element = shaped.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(bits, 8);
}

int64_t fusion::getNumBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  SmallVector<int64_t> factors(shaped.getShape());
  factors.push_back(getElementBytes(shaped));
  return std::min(getSaturatedProduct(factors), kMaxTensorBytes);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {
/// The operands that an op reads and writes.
struct Traffic {
  explicit Traffic(Operation *op);

  SetVector<Value> read, written;
};
} // namespace

Traffic::Traffic(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    read.insert(copy.getSource());
    written.insert(copy.getTarget());
    return;
  }
  auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinationStyle)
    return;
  read.insert_range(destinationStyle.getDpsInputs());
  written.insert_range(destinationStyle.getDpsInits());
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    if (root.readsInit())
      read.insert(root.getInitValue());
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &init : linalgOp.getDpsInitsMutable())
      if (linalgOp.payloadUsesValueFromOperand(&init))
        read.insert(init.get());
  }
}

static bool isConstant(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value.getDefiningOp<memref::GetGlobalOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {
/// Counts in expressions of sizes: a constant where all are static, else a
/// product of symbols, or a sum of such.
class Counter {
public:
  explicit Counter(Operation *op, const TargetInfo &target)
      : op(op), target(target), context(op->getContext()), traffic(op) {}

  /// kWorkNumbers; fails where the op cannot tell.
  FailureOr<SmallVector<AffineExpr>> count();
  /// The operand and the dim of each symbol, in order.
  ArrayRef<std::pair<unsigned, unsigned>> getSizes() const {
    return sizes.getArrayRef();
  }

private:
  AffineExpr getConstant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr getSize(OpOperand &operand, int64_t dim, int64_t size);
  AffineExpr getSymbol(unsigned operand, unsigned dim);
  AffineExpr countElements(OpOperand &operand);
  AffineExpr countBytes(const SetVector<Value> &values,
                        function_ref<bool(Value)> isCounted);
  FailureOr<AffineExpr> countFlops();
  AffineExpr countTrips(linalg::LinalgOp linalgOp);

  Operation *op;
  const TargetInfo &target;
  MLIRContext *context;
  Traffic traffic;
  llvm::SetVector<std::pair<unsigned, unsigned>> sizes;
};
} // namespace

AffineExpr Counter::getSymbol(unsigned operand, unsigned dim) {
  sizes.insert({operand, dim});
  auto position = llvm::find(sizes, std::pair(operand, dim)) - sizes.begin();
  return getAffineSymbolExpr(position, context);
}

AffineExpr Counter::getSize(OpOperand &operand, int64_t dim, int64_t size) {
  return ShapedType::isStatic(size)
             ? getConstant(size)
             : getSymbol(operand.getOperandNumber(), dim);
}

static ArrayRef<int64_t> getShape(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getShape() : ArrayRef<int64_t>();
}

AffineExpr Counter::countElements(OpOperand &operand) {
  AffineExpr product = getConstant(1);
  for (auto [dim, size] : llvm::enumerate(getShape(operand.get().getType())))
    product = product * getSize(operand, dim, size);
  return product;
}

AffineExpr Counter::countBytes(const SetVector<Value> &values,
                               function_ref<bool(Value)> isCounted) {
  AffineExpr sum = getConstant(0);
  for (Value value : values) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (!shaped || !isCounted(value))
      continue;
    OpOperand &operand =
        *llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
          return operand.get() == value;
        });
    sum = sum + countElements(operand) * getElementBytes(shaped);
  }
  return sum;
}

AffineExpr Counter::countTrips(linalg::LinalgOp linalgOp) {
  SmallVector<AffineExpr> shapes;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, size] : llvm::enumerate(getShape(operand.get().getType())))
      shapes.push_back(getSize(operand, dim, size));
  AffineExpr trips = getConstant(1);
  for (AffineExpr loop : linalgOp.getShapesToLoopsMap().getResults())
    trips = trips * loop.replaceDims(shapes);
  return trips;
}

FailureOr<AffineExpr> Counter::countFlops() {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return countTrips(linalgOp) * countArithmetic(*linalgOp.getBlock());
  auto root = dyn_cast<FusionRootOpInterface>(op);
  if (!root)
    return getConstant(0);
  if (int64_t flops = getFlops(root); ShapedType::isStatic(flops))
    return getConstant(flops);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  if (failed(plan))
    return failure();
  Extent flops = plan->getFlops();
  AffineExpr product = getConstant(flops.getFactor());
  for (const Extent::Symbol &symbol : flops.getSymbols()) {
    if (symbol.isStride)
      return failure();
    product = product * getSymbol(symbol.operand, symbol.dim);
  }
  return product;
}

FailureOr<SmallVector<AffineExpr>> Counter::count() {
  FailureOr<AffineExpr> flops = countFlops();
  if (failed(flops))
    return failure();
  AffineExpr epilogueFlops = getConstant(0);
  if (auto root = dyn_cast<FusionRootOpInterface>(op))
    epilogueFlops = countElements(*root.getDpsInitOperand(0)) *
                    countArithmetic(root.getEpilogueBlock());
  auto isAny = [](Value) { return true; };
  AffineExpr readBytes = countBytes(traffic.read, isAny);
  AffineExpr constantBytes = countBytes(traffic.read, isConstant);
  AffineExpr writtenBytes = countBytes(traffic.written, isAny);
  return SmallVector<AffineExpr>{*flops, epilogueFlops, readBytes,
                                 constantBytes, writtenBytes};
}

/// The type that sums are kept in, or else that of the result.
static Type getComputedType(Operation *op, const Traffic &traffic) {
  if (auto root = dyn_cast<FusionRootOpInterface>(op))
    return root.getAccumulatorType();
  return traffic.written.empty()
             ? NoneType::get(op->getContext())
             : getElementTypeOrSelf(traffic.written.front().getType());
}

//===----------------------------------------------------------------------===//
// The dictionary
//===----------------------------------------------------------------------===//

/// "1x8x8x64xf32, 3x3x64x64xf32": layouts are left out.
static void printTypes(raw_ostream &os, ValueRange values) {
  llvm::interleaveComma(values, os, [&](Value value) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (!shaped || !shaped.hasRank()) {
      os << value.getType();
      return;
    }
    for (int64_t size : shaped.getShape())
      os << (ShapedType::isDynamic(size) ? "?" : Twine(size).str()) << "x";
    os << shaped.getElementType();
  });
}

/// The operands without those of an epilogue, which are many, and the results.
static std::string describeShape(Operation *op, const Traffic &traffic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto root = dyn_cast<FusionRootOpInterface>(op))
    printTypes(os, op->getOperands().take_front(
                       root.getDpsInitOperand(0)->getOperandNumber() -
                       root.getNumEpilogueOperands()));
  else
    printTypes(os, traffic.read.getArrayRef());
  os << " -> ";
  printTypes(os, traffic.written.getArrayRef());
  return StringRef(text).ltrim().str();
}

static ArrayAttr getEpilogue(Builder &builder, FusionRootOpInterface root) {
  SmallVector<StringRef> names;
  if (root)
    for (Operation &op : root.getEpilogueBlock())
      if (computes(op))
        names.push_back(op.getName().getStringRef());
  return builder.getStrArrayAttr(names);
}

DictionaryAttr fusion::describeWork(Operation *op, const TargetInfo &target) {
  Builder builder(op->getContext());
  Traffic traffic(op);
  auto root = dyn_cast<FusionRootOpInterface>(op);
  NamedAttrList facts;
  facts.set("op", builder.getStringAttr(op->getName().getStringRef()));
  facts.set("shape", builder.getStringAttr(describeShape(op, traffic)));
  facts.set("type", TypeAttr::get(getComputedType(op, traffic)));
  facts.set("epilogue", getEpilogue(builder, root));
  Counter counter(op, target);
  FailureOr<SmallVector<AffineExpr>> numbers = counter.count();
  if (failed(numbers))
    return facts.getDictionary(op->getContext());
  if (counter.getSizes().empty()) {
    for (auto [name, number] : llvm::zip_equal(kWorkNumbers, *numbers))
      facts.set(name, builder.getI64IntegerAttr(
                          cast<AffineConstantExpr>(number).getValue()));
    return facts.getDictionary(op->getContext());
  }
  SmallVector<int64_t> sizes;
  for (auto [operand, dim] : counter.getSizes())
    sizes.append({operand, dim});
  facts.set(kWorkSizesName, builder.getDenseI64ArrayAttr(sizes));
  facts.set(kWorkMapName, AffineMapAttr::get(AffineMap::get(
                              /*dimCount=*/0, counter.getSizes().size(),
                              *numbers, op->getContext())));
  return facts.getDictionary(op->getContext());
}
