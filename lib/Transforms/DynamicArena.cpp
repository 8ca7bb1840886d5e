//===-- DynamicArena.cpp - Slots for buffers of dynamic size --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same computation is written twice: into the entry, where it yields the
// places, and into the function that tells callers the size of the workspace.
//
//===----------------------------------------------------------------------===//

#include "DynamicArena.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fusion;

bool DynamicArena::canPlace(memref::AllocOp alloc) {
  return shapes && !alloc.getDynamicSizes().empty() &&
         alloc.getSymbolOperands().empty() &&
         llvm::all_of(alloc.getDynamicSizes(),
                      [&](Value size) { return !slices.findObstacle(size); });
}

/// Bytes of an element times the static sizes.
static int64_t getStaticFactor(Operation *near, ShapedType type) {
  int64_t factor = getElementStride(near, type.getElementType());
  for (int64_t size : type.getShape())
    if (ShapedType::isStatic(size))
      factor *= size;
  return factor;
}

int64_t DynamicArena::estimateBytes(memref::AllocOp alloc) {
  // Large enough that a deep network does not shrink it to nothing, small
  // enough that three of them do not overflow a product.
  constexpr int64_t kTypicalSize = 256;
  int64_t bytes = getStaticFactor(alloc, alloc.getType());
  for (Value size : alloc.getDynamicSizes())
    bytes *= std::max<int64_t>(
        evaluateSlice(
            size, slices, [](ArgumentSize) { return kTypicalSize; }, known)
            .value_or(1),
        1);
  return bytes;
}

namespace {
/// A number of bytes as a float, which no product overflows: 64 bits may hold
/// neither the product of a shape's sizes nor, beside zeros, a part of it.
class ByteCount {
public:
  ByteCount(OpBuilder &builder, Location loc, int64_t factor)
      : builder(builder), loc(loc), count(getConstant(factor)) {}
  void multiply(Value size) {
    Value bits =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
    Value factor =
        arith::SIToFPOp::create(builder, loc, builder.getF64Type(), bits);
    count = arith::MulFOp::create(builder, loc, count, factor);
  }
  /// Makes `fits` false if a process cannot address them.
  void check(Value &fits) {
    Value most = getConstant(kMaxTensorBytes);
    Value isSmall = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLE, count, most);
    fits = fits ? arith::AndIOp::create(builder, loc, fits, isSmall).getResult()
                : isSmall;
  }

private:
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF64FloatAttr(value));
  }

  OpBuilder &builder;
  Location loc;
  Value count;
};
} // namespace

/// A size that is computed may be negative where its buffer is never made: in a
/// branch that is not taken, a loop without trips.
static Value getPositive(OpBuilder &builder, Location loc, Value value) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::MaxSIOp::create(builder, loc, value, zero);
}

SmallVector<Value> DynamicArena::computeSlots(OpBuilder &builder,
                                              SliceCloner &cloner,
                                              ArrayRef<memref::AllocOp> buffers,
                                              const SlotPlan &plan,
                                              int64_t staticBytes) {
  Location loc = entry.getLoc();
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> slotBytes(plan.numSlots);
  for (auto [alloc, slot] : llvm::zip_equal(buffers, plan.slots)) {
    Value bytes =
        getConstant(getStaticFactor(alloc, memref::AllocOp(alloc).getType()));
    bool isGiven = true;
    for (Value size : memref::AllocOp(alloc).getDynamicSizes()) {
      Value factor = cloner.clone(size);
      // Two of them would be positive again.
      if (!slices.getArgumentSize(size)) {
        factor = getPositive(builder, loc, factor);
        isGiven = false;
      }
      bytes = arith::MulIOp::create(builder, loc, bytes, factor);
    }
    if (!isGiven)
      bytes = getPositive(builder, loc, bytes);
    Value &most = slotBytes[slot];
    most = most ? arith::MaxSIOp::create(builder, loc, most, bytes).getResult()
                : bytes;
  }
  SmallVector<Value> starts = {getConstant(staticBytes)};
  for (Value bytes : slotBytes) {
    Value padded = arith::AddIOp::create(builder, loc, bytes,
                                         getConstant(kBufferAlignment - 1));
    Value rounded = arith::AndIOp::create(builder, loc, padded,
                                          getConstant(-kBufferAlignment));
    starts.push_back(
        arith::AddIOp::create(builder, loc, starts.back(), rounded));
  }
  return starts;
}

void DynamicArena::checkBuffers(OpBuilder &builder, SliceCloner &cloner,
                                Value &fits) {
  Location loc = entry.getLoc();
  entry.walk([&](memref::AllocOp alloc) {
    if (!canPlace(alloc))
      return;
    ByteCount count(builder, loc, getStaticFactor(alloc, alloc.getType()));
    for (Value size : alloc.getDynamicSizes()) {
      Value factor = cloner.clone(size);
      count.multiply(slices.getArgumentSize(size)
                         ? factor
                         : getPositive(builder, loc, factor));
    }
    count.check(fits);
  });
}

void DynamicArena::checkResults(OpBuilder &builder, ValueRange sizes,
                                Value &fits) {
  auto dict = entry->getAttrOfType<DictionaryAttr>(kEntryAttrName);
  auto outputs = dict.getAs<ArrayAttr>("outputs");
  if (!outputs)
    return;
  for (Type output : outputs.getAsValueRange<TypeAttr>()) {
    auto type = cast<ShapedType>(output);
    if (type.hasStaticShape())
      continue;
    ByteCount count(builder, entry.getLoc(), getStaticFactor(entry, type));
    for (Value size : sizes.take_front(type.getNumDynamicDims()))
      count.multiply(size);
    sizes = sizes.drop_front(type.getNumDynamicDims());
    count.check(fits);
  }
}

/// What the sizes are refused for otherwise comes first.
void DynamicArena::refuseUnless(OpBuilder &builder, Value fits) {
  Location loc = entry.getLoc();
  std::string text =
      llvm::formatv("expected sizes of which no buffer and no result has more "
                    "than {0} bytes",
                    kMaxTensorBytes);
  SmallVector<StringRef> errors = getShapeErrors(entry);
  errors.push_back(text);
  updateEntry(entry, builder.getNamedAttr("shape_errors",
                                          builder.getStrArrayAttr(errors)));
  Operation *terminator = shapes.front().getTerminator();
  Value failing = terminator->getOperand(0);
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  Value number = arith::ConstantIndexOp::create(builder, loc, errors.size());
  Value isAllowed = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, failing, none);
  Value other =
      arith::SelectOp::create(builder, loc, isAllowed, number, failing);
  terminator->setOperand(
      0, arith::SelectOp::create(builder, loc, fits, failing, other));
}

void DynamicArena::addWorkspaceResult(ArrayRef<memref::AllocOp> buffers,
                                      const SlotPlan &plan,
                                      int64_t staticBytes) {
  Operation *terminator = shapes.front().getTerminator();
  OpBuilder builder(terminator);
  // Sizes of inputs are arguments of `shapes`, those of results are returned
  // behind the number of what is not met.
  SmallVector<Value> given(shapes.getArguments());
  llvm::append_range(given, terminator->getOperands().drop_front());
  SliceCloner cloner(builder, slices, [&](ArgumentSize size) {
    return getGivenSize(builder, entry, size, given);
  });
  Value fits;
  checkResults(builder, terminator->getOperands().drop_front(), fits);
  checkBuffers(builder, cloner, fits);
  Value bytes =
      computeSlots(builder, cloner, buffers, plan, staticBytes).back();
  if (fits)
    refuseUnless(builder, fits);
  terminator->insertOperands(terminator->getNumOperands(), bytes);
  shapes.setFunctionType(builder.getFunctionType(
      shapes.getArgumentTypes(), TypeRange(terminator->getOperandTypes())));
}

SmallVector<Value> DynamicArena::place(ArrayRef<memref::AllocOp> buffers,
                                       const SlotPlan &plan,
                                       int64_t staticBytes) {
  if (!shapes)
    return {};
  addWorkspaceResult(buffers, plan, staticBytes);
  if (buffers.empty())
    return {};
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.front());
  SliceCloner cloner(builder, slices, [&](ArgumentSize size) {
    return memref::DimOp::create(builder, entry.getLoc(),
                                 entry.getArgument(size.argument), size.dim)
        .getResult();
  });
  SmallVector<Value> starts =
      computeSlots(builder, cloner, buffers, plan, staticBytes);
  return llvm::map_to_vector(plan.slots,
                             [&](unsigned slot) { return starts[slot]; });
}
