//===-- ExpandViews.cpp - Expansions to several dynamic sizes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-expand-views: upstream's expand-strided-metadata computes
// strides for one dynamic size in a group only, and wrong ones for more.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONEXPANDVIEWSPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// expand_shape [[0, 1, 2]] output_shape [%n, %m, 8]
///   -> reinterpret_cast sizes: [%n, %m, 8], strides: [%m * 8 * s, 8 * s, s]
/// where s is the stride of the source's dim.
struct ExpandView final : OpRewritePattern<memref::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    MemRefType type = op.getResultType();
    bool hasSeveral = llvm::any_of(
        op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
          return llvm::count_if(group, [&](int64_t dim) {
                   return type.isDynamicDim(dim);
                 }) > 1;
        });
    if (!hasSeveral)
      return rewriter.notifyMatchFailure(op, "expected several dynamic sizes");

    Location loc = op.getLoc();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sourceStrides =
        metadata.getConstifiedMixedStrides();
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    AffineExpr x, y;
    bindSymbols(rewriter.getContext(), x, y);
    auto [knownStrides, knownOffset] = type.getStridesAndOffset();
    // As static as the type says.
    auto adapt = [&](OpFoldResult value, int64_t known) -> OpFoldResult {
      if (ShapedType::isStatic(known))
        return rewriter.getIndexAttr(known);
      return getValueOrCreateConstantIndexOp(rewriter, loc, value);
    };
    SmallVector<OpFoldResult> strides(sizes.size());
    for (auto [group, stride] :
         llvm::zip_equal(op.getReassociationIndices(), sourceStrides))
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = adapt(stride, knownStrides[dim]);
        stride = affine::makeComposedFoldedAffineApply(rewriter, loc, x * y,
                                                       {stride, sizes[dim]});
      }
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, type, metadata.getBaseBuffer(),
        adapt(metadata.getConstifiedMixedOffset(), knownOffset), sizes,
        strides);
    return success();
  }
};

struct FusionExpandViewsPass final
    : fusion::impl::FusionExpandViewsPassBase<FusionExpandViewsPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<ExpandView>(context);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }
  FrozenRewritePatternSet patterns;
};
} // namespace
