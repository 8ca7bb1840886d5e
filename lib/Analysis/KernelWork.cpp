//===-- KernelWork.cpp - What an op computes and moves --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are those that must be moved if nothing is read twice.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelWork.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

int64_t fusion::getNumBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  Type element = shaped.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return shaped.getNumElements() * llvm::divideCeil(bits, 8);
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

static int64_t sumBytes(const SetVector<Value> &values,
                        function_ref<bool(Value)> isCounted) {
  int64_t sum = 0;
  for (Value value : values)
    if (isCounted(value))
      sum += getNumBytes(value.getType());
  return sum;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static int64_t countFlops(Operation *op) {
  if (auto root = dyn_cast<FusionRootOpInterface>(op))
    return getFlops(root);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return 0;
  return llvm::product_of(linalgOp.getStaticLoopRanges()) *
         countArithmetic(*linalgOp.getBlock());
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

DictionaryAttr fusion::describeWork(Operation *op) {
  Builder builder(op->getContext());
  Traffic traffic(op);
  auto root = dyn_cast<FusionRootOpInterface>(op);
  NamedAttrList facts;
  facts.set("op", builder.getStringAttr(op->getName().getStringRef()));
  facts.set("shape", builder.getStringAttr(describeShape(op, traffic)));
  facts.set("type", TypeAttr::get(getComputedType(op, traffic)));
  facts.set("epilogue", getEpilogue(builder, root));
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic))
    return facts.getDictionary(op->getContext());
  auto setNumber = [&](StringRef name, int64_t number) {
    facts.set(name, builder.getI64IntegerAttr(number));
  };
  setNumber("flops", countFlops(op));
  setNumber("epilogue_flops", root ? countArithmetic(root.getEpilogueBlock()) *
                                         root.getInitType().getNumElements()
                                   : 0);
  auto isAny = [](Value) { return true; };
  setNumber("read_bytes", sumBytes(traffic.read, isAny));
  setNumber("constant_bytes", sumBytes(traffic.read, isConstant));
  setNumber("written_bytes", sumBytes(traffic.written, isAny));
  return facts.getDictionary(op->getContext());
}
