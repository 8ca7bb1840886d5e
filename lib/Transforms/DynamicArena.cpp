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

using namespace mlir;
using namespace mlir::fusion;

bool DynamicArena::canPlace(memref::AllocOp alloc) {
  return shapes && !alloc.getDynamicSizes().empty() &&
         alloc.getSymbolOperands().empty() &&
         llvm::all_of(alloc.getDynamicSizes(),
                      [&](Value size) { return !slices.findObstacle(size); });
}

/// Bytes of an element times the static sizes.
static int64_t getStaticFactor(memref::AllocOp alloc) {
  int64_t factor = getElementStride(alloc, alloc.getType().getElementType());
  for (int64_t size : alloc.getType().getShape())
    if (ShapedType::isStatic(size))
      factor *= size;
  return factor;
}

int64_t DynamicArena::estimateBytes(memref::AllocOp alloc) {
  // Large enough that a deep network does not shrink it to nothing, small
  // enough that three of them do not overflow a product.
  constexpr int64_t kTypicalSize = 256;
  int64_t bytes = getStaticFactor(alloc);
  for (Value size : alloc.getDynamicSizes())
    bytes *= std::max<int64_t>(
        evaluateSlice(
            size, slices, [](ArgumentSize) { return kTypicalSize; }, known)
            .value_or(1),
        1);
  return bytes;
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
  // A size that is computed may be negative where its buffer is never made: in
  // a branch that is not taken, a loop without trips.
  Value zero = getConstant(0);
  auto getPositive = [&](Value value) -> Value {
    return arith::MaxSIOp::create(builder, loc, value, zero);
  };
  SmallVector<Value> slotBytes(plan.numSlots);
  for (auto [alloc, slot] : llvm::zip_equal(buffers, plan.slots)) {
    Value bytes = getConstant(getStaticFactor(alloc));
    bool isGiven = true;
    for (Value size : memref::AllocOp(alloc).getDynamicSizes()) {
      Value factor = cloner.clone(size);
      // Two of them would be positive again.
      if (!slices.getArgumentSize(size)) {
        factor = getPositive(factor);
        isGiven = false;
      }
      bytes = arith::MulIOp::create(builder, loc, bytes, factor);
    }
    if (!isGiven)
      bytes = getPositive(bytes);
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
  Value bytes =
      computeSlots(builder, cloner, buffers, plan, staticBytes).back();
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
