//===-- OutParams.cpp - Results of the entry as arguments -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-results-to-out-params. Upstream's buffer-results-to-out-
// params frees a buffer that is returned twice, and copies one that is returned
// through a reshape.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONRESULTSTOOUTPARAMSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// True if a view of a whole buffer of type `a` as `b` has all its bytes, in
/// order.
static bool haveSameBytes(MemRefType a, MemRefType b) {
  return a.getElementType() == b.getElementType() &&
         a.getMemorySpace() == b.getMemorySpace() &&
         a.getLayout().isIdentity() && b.getLayout().isIdentity();
}

/// The allocation in `block` of which `value` is a view of all its elements, in
/// order; null if there is none.
static memref::AllocOp getWholeAllocation(Value value, Block *block) {
  auto type = cast<MemRefType>(value.getType());
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            view))
      return {};
    value = view.getViewSource();
  }
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != block ||
      !haveSameBytes(alloc.getType(), type) ||
      llvm::any_of(alloc->getUsers(), llvm::IsaPred<memref::DeallocOp>))
    return {};
  return alloc;
}

static OpFoldResult multiply(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  AffineExpr x, y;
  bindSymbols(builder.getContext(), x, y);
  return affine::makeComposedFoldedAffineApply(builder, loc, x * y, {a, b});
}

/// Replaces `alloc` by the whole of `argument`.
static void replaceAllocation(OpBuilder &builder, memref::AllocOp alloc,
                              BlockArgument argument) {
  Value buffer = argument;
  MemRefType type = alloc.getType();
  if (type != argument.getType()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(alloc);
    Location loc = alloc.getLoc();
    SmallVector<OpFoldResult> sizes = alloc.getMixedSizes();
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    for (size_t dim = sizes.size(); dim-- > 1;)
      strides[dim - 1] = multiply(builder, loc, strides[dim], sizes[dim]);
    buffer = memref::ReinterpretCastOp::create(
        builder, loc, type, argument, builder.getIndexAttr(0), sizes, strides);
  }
  alloc.replaceAllUsesWith(buffer);
  alloc.erase();
}

namespace {
struct FusionResultsToOutParamsPass final
    : fusion::impl::FusionResultsToOutParamsPassBase<
          FusionResultsToOutParamsPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = getRecordedEntry(getOperation());
    if (failed(entry) || failed(convert(*entry)))
      signalPassFailure();
  }

  LogicalResult convert(func::FuncOp entry) {
    for (Type type : entry.getResultTypes())
      if (!isa<MemRefType>(type))
        return emitError(entry.getLoc())
               << "expected only memref results of the entry, got " << type;
    auto uses = SymbolTable::getSymbolUses(entry.getSymNameAttr(),
                                           getOperation().getOperation());
    if (!uses || !uses->empty())
      return emitError(entry.getLoc())
             << "expected an entry that is not called in the module";

    unsigned numInputs = entry.getNumArguments();
    SmallVector<Type> resultTypes(entry.getResultTypes());
    for (Type type : resultTypes)
      if (failed(entry.insertArgument(entry.getNumArguments(), type, {},
                                      entry.getLoc())))
        return failure();
    if (failed(entry.eraseResults(BitVector(resultTypes.size(), true))))
      return failure();

    auto returns = llvm::to_vector(entry.getOps<func::ReturnOp>());
    for (func::ReturnOp op : returns) {
      OpBuilder builder(op);
      for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
        Value result = operand.get();
        BlockArgument argument = entry.getArgument(numInputs + i);
        memref::AllocOp alloc;
        if (returns.size() == 1)
          alloc = getWholeAllocation(result, &entry.front());
        if (alloc)
          replaceAllocation(builder, alloc, argument);
        else
          memref::CopyOp::create(builder, op.getLoc(), result, argument);
      }
      op->setOperands({});
    }
    return success();
  }
};
} // namespace
