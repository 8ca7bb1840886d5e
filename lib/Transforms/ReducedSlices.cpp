//===-- ReducedSlices.cpp - Slices that drop dims of size one -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a slice has more dims of size one than its type drops, which are meant
// follows from the order of sizes alone. Upstream folds of constant operands
// take the first, and views of memrefs look for strides, which steps hide.
//
//===----------------------------------------------------------------------===//

#include "ReducedSlices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fusion;

/// True if upstream may take other dims of the slice for those that are
/// dropped.
template <typename SliceOp>
static bool isMistaken(SliceOp slice, const llvm::SmallBitVector &dropped) {
  if (dropped.none())
    return false;
  unsigned ones = 0;
  bool isFirst = true;
  for (auto [dim, size] : llvm::enumerate(slice.getStaticSizes())) {
    if (size != 1)
      continue;
    if (ones < dropped.count())
      isFirst &= dropped.test(dim);
    ++ones;
  }
  return ones > dropped.count() && (!isFirst || !slice.hasUnitStride());
}

/// The dims of a whole slice that make each dim of the reduced one.
static SmallVector<ReassociationIndices>
getGroups(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  bool hasKept = false;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (!dropped.test(dim) && std::exchange(hasKept, true)) {
      groups.push_back(group);
      group.clear();
    }
    group.push_back(dim);
  }
  if (hasKept)
    groups.push_back(group);
  return groups;
}

namespace {
struct ExpandReducedSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (!isMistaken(slice, dropped))
      return failure();
    Value whole = tensor::ExtractSliceOp::create(
        rewriter, slice.getLoc(), slice.getSource(), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        slice, slice.getType(), whole, getGroups(dropped));
    return success();
  }
};

struct ExpandReducedInsertion : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp slice,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (!isMistaken(slice, dropped))
      return failure();
    auto type = RankedTensorType::get(slice.getStaticSizes(),
                                      slice.getSourceType().getElementType());
    Value whole = tensor::ExpandShapeOp::create(
        rewriter, slice.getLoc(), type, slice.getSource(), getGroups(dropped),
        slice.getMixedSizes());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        slice, whole, slice.getDest(), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    return success();
  }
};
} // namespace

void fusion::populateReducedSlicePatterns(RewritePatternSet &patterns) {
  // Before whatever upstream has for slices.
  constexpr unsigned kFirst = 100;
  patterns.add<ExpandReducedSlice, ExpandReducedInsertion>(
      patterns.getContext(), kFirst);
}
