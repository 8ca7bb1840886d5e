//===-- PlanSinkTransposes.cpp - Transposes move towards their uses -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of fusion-assign-layout for ops that move elements. Each replaces an op
// that reads transposes by the op on their sources and a transpose of its
// result:
//   f(transpose(x), transpose(y)) -> transpose(f(x, y))
// if no more inputs would have to be transposed than need it no longer.
//
//===----------------------------------------------------------------------===//

#include "PlanLayout.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

namespace {
//===-- Ops that move or index elements -----------------------------------===//

/// transpose(transpose(x)) -> one transpose, or x.
struct MergeTransposes final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    Value input = op.getInput();
    if (!getTransposed(input) && !isIdentityPermutation(op.getPermutation()) &&
        !input.getDefiningOp<tensor::EmptyOp>() &&
        !input.getDefiningOp<linalg::FillOp>())
      return rewriter.notifyMatchFailure(op, "expected a transposed input");
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), input, op.getPermutation()));
    return success();
  }
};

/// pad(transpose(x)) -> transpose(pad(x)).
struct SinkThroughPad final : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    Value value = op.getConstantPaddingValue();
    if (!transposed || !value)
      return rewriter.notifyMatchFailure(
          op, "expected a transposed source and one padding value");
    // A constant may stand in the region that goes.
    if (value.getParentRegion() == &op.getRegion())
      value = rewriter.clone(*value.getDefiningOp())->getResult(0);
    SmallVector<int64_t> order = invert(transposed->permutation);
    RankedTensorType type = op.getResultType();
    auto pad = tensor::PadOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)), transposed->source,
        permute(op.getMixedLowPad(), order),
        permute(op.getMixedHighPad(), order), value, op.getNofold());
    rewriter.replaceOp(op, createPermuted(rewriter, op.getLoc(), pad,
                                          transposed->permutation));
    return success();
  }
};

/// concat(transpose(x), transpose(y)) -> transpose(concat(x, y)).
struct SinkThroughConcat final : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto permutation =
        getCommonPermutation(llvm::to_vector(op.getInputs()), op);
    if (!permutation)
      return rewriter.notifyMatchFailure(op, "expected transposed inputs");
    SmallVector<int64_t> order = invert(*permutation);
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      inputs.push_back(createPermuted(rewriter, op.getLoc(), input, order));
    RankedTensorType type = op.getResultType();
    Value concat = tensor::ConcatOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)),
        (*permutation)[op.getDim()], inputs);
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), concat, *permutation));
    return success();
  }
};

/// extract_slice(transpose(x)) -> transpose(extract_slice(x)).
struct SinkThroughExtractSlice final
    : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    if (!transposed || op.getType().getRank() != op.getSourceType().getRank())
      return rewriter.notifyMatchFailure(
          op, "expected a transposed source of the same rank");
    SmallVector<int64_t> order = invert(transposed->permutation);
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), transposed->source,
        permute(op.getMixedOffsets(), order),
        permute(op.getMixedSizes(), order),
        permute(op.getMixedStrides(), order));
    rewriter.replaceOp(op, createPermuted(rewriter, op.getLoc(), slice,
                                          transposed->permutation));
    return success();
  }
};

/// insert_slice(transpose(x), transpose(y)) -> transpose(insert_slice(x, y)).
struct SinkThroughInsertSlice final : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSourceType().getRank() != op.getType().getRank())
      return rewriter.notifyMatchFailure(op, "expected equal ranks");
    auto permutation = getCommonPermutation({op.getSource(), op.getDest()}, op);
    if (!permutation)
      return rewriter.notifyMatchFailure(op, "expected transposed operands");
    SmallVector<int64_t> order = invert(*permutation);
    Location loc = op.getLoc();
    Value source = createPermuted(rewriter, loc, op.getSource(), order);
    Value dest = createPermuted(rewriter, loc, op.getDest(), order);
    Value inserted = tensor::InsertSliceOp::create(
        rewriter, loc, source, dest, permute(op.getMixedOffsets(), order),
        permute(op.getMixedSizes(), order),
        permute(op.getMixedStrides(), order));
    rewriter.replaceOp(op,
                       createPermuted(rewriter, loc, inserted, *permutation));
    return success();
  }
};

/// dim(transpose(x), i) -> dim(x, permutation[i]).
struct SinkThroughDim final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!transposed || !dim || *dim < 0 ||
        *dim >= static_cast<int64_t>(transposed->permutation.size()))
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, transposed->source,
                                               transposed->permutation[*dim]);
    return success();
  }
};

//===-- Reshapes ----------------------------------------------------------===//

/// expand_shape(transpose(x)) -> transpose(expand_shape(x)): the dims that one
/// dim becomes stay together.
struct SinkThroughExpand final : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSrc());
    if (!transposed || transposed->permutation.empty())
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    auto groups = op.getReassociationIndices();
    SmallVector<ReassociationIndices> newGroups;
    // Dims of the result in the source's order.
    SmallVector<int64_t> order;
    for (int64_t dim : invert(transposed->permutation)) {
      newGroups.emplace_back();
      for (int64_t resultDim : groups[dim]) {
        newGroups.back().push_back(order.size());
        order.push_back(resultDim);
      }
    }
    RankedTensorType type = op.getResultType();
    Value expanded = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)), transposed->source,
        newGroups, permute(op.getMixedOutputShape(), order));
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), expanded, invert(order)));
    return success();
  }
};

/// collapse_shape(transpose(x)) -> transpose(collapse_shape(x)) where the dims
/// that become one lie together in x. A shuffle of channels first brings them
/// together by a transpose of its own, in x's order of the other dims.
struct SinkThroughCollapse final : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSrc());
    if (!transposed)
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    auto groups = op.getReassociationIndices();
    if (groups.empty())
      return rewriter.notifyMatchFailure(op, "expected a result of rank 1");
    auto sourceType = cast<RankedTensorType>(transposed->source.getType());
    // The groups by the place of their first dim in x that is no unit dim.
    SmallVector<int64_t> place;
    for (const ReassociationIndices &group : groups) {
      place.push_back(transposed->permutation[group.front()]);
      for (int64_t dim : group)
        if (int64_t at = transposed->permutation[dim];
            sourceType.getDimSize(at) != 1) {
          place.back() = at;
          break;
        }
    }
    SmallVector<int64_t> groupOrder = getAscendingOrder(place);
    SmallVector<int64_t> gather;
    SmallVector<ReassociationIndices> newGroups;
    for (int64_t group : groupOrder) {
      newGroups.emplace_back();
      for (int64_t dim : groups[group]) {
        newGroups.back().push_back(gather.size());
        gather.push_back(transposed->permutation[dim]);
      }
    }
    bool together = movesOnlyUnitDims(sourceType, gather);
    if (!together && (isIdentityPermutation(groupOrder) || groups.size() < 4))
      return rewriter.notifyMatchFailure(op, "expected dims that lie together");
    Location loc = op.getLoc();
    Value source = createPermuted(rewriter, loc, transposed->source, gather);
    RankedTensorType type = op.getResultType();
    Value collapsed = tensor::CollapseShapeOp::create(
        rewriter, loc, type.clone(layout::permute(type.getShape(), groupOrder)),
        source, newGroups);
    rewriter.replaceOp(
        op, createPermuted(rewriter, loc, collapsed, invert(groupOrder)));
    return success();
  }
};
} // namespace

void layout::populateSinkTransposePatterns(RewritePatternSet &patterns) {
  populateSinkThroughLinalgPatterns(patterns);
  patterns
      .addWithLabel<MergeTransposes, SinkThroughCollapse, SinkThroughConcat,
                    SinkThroughDim, SinkThroughExpand, SinkThroughExtractSlice,
                    SinkThroughInsertSlice, SinkThroughPad>(
          {"sink-transposes"}, patterns.getContext());
}
