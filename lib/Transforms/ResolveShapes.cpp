//===-- ResolveShapes.cpp - Sizes without the tensors that have them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-resolve-shapes: what reads only a size of a tensor is no
// reader of it, and a reshape by a computed shape is a view.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Transforms/Passes.h"
#include "ResolveSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONRESOLVESHAPESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Dims of the source and of the result of a reshape that hold the same
/// elements.
struct Groups {
  SmallVector<ReassociationIndices> source, result;
};
} // namespace

/// The finest groups that static sizes show: cut from the back wherever the
/// products agree; what is before the last cut is one group.
static Groups findGroups(ArrayRef<int64_t> source, ArrayRef<int64_t> result) {
  Groups groups;
  int64_t i = source.size(), j = result.size(), lastI = i, lastJ = j;
  auto cut = [&]() {
    groups.source.push_back(llvm::to_vector<2>(llvm::seq(i, lastI)));
    groups.result.push_back(llvm::to_vector<2>(llvm::seq(j, lastJ)));
    lastI = i;
    lastJ = j;
  };
  int64_t sourceSize = 1, resultSize = 1;
  // A group keeps at least one dim of either side for the one before it.
  while (i > 1 && j > 1) {
    bool fromSource = lastI == i || (lastJ != j && sourceSize <= resultSize);
    int64_t size = fromSource ? source[i - 1] : result[j - 1];
    if (ShapedType::isDynamic(size) || size == 0)
      break;
    (fromSource ? sourceSize : resultSize) *= size;
    --(fromSource ? i : j);
    if (lastI != i && lastJ != j && sourceSize == resultSize) {
      cut();
      sourceSize = resultSize = 1;
    }
  }
  i = j = 0;
  cut();
  std::reverse(groups.source.begin(), groups.source.end());
  std::reverse(groups.result.begin(), groups.result.end());
  return groups;
}

namespace {
/// reshape(%source, from_elements(%a, %b, …))
///   -> expand_shape(collapse_shape(%source)) output_shape [%a, %b, …]
struct ReshapeToViews final : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto elements = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!elements || !source || !result || source.getRank() == 0 ||
        result.getRank() == 0 || source.getEncoding() || result.getEncoding())
      return rewriter.notifyMatchFailure(op, "expected a shape of elements");

    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, element] : llvm::enumerate(elements.getElements())) {
      if (!result.isDynamicDim(dim))
        sizes.push_back(rewriter.getIndexAttr(result.getDimSize(dim)));
      else
        sizes.push_back(rewriter.createOrFold<arith::IndexCastOp>(
            loc, rewriter.getIndexType(), element));
    }
    Groups groups = findGroups(source.getShape(), result.getShape());
    Value collapsed = tensor::CollapseShapeOp::create(
        rewriter, loc, op.getSource(), groups.source);
    // An expansion's source is as static as its result.
    RankedTensorType type =
        tensor::CollapseShapeOp::inferCollapsedType(result, groups.result);
    if (collapsed.getType() != type)
      collapsed = tensor::CastOp::create(rewriter, loc, type, collapsed);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, result, collapsed,
                                                       groups.result, sizes);
    return success();
  }
};

struct FusionResolveShapesPass final
    : fusion::impl::FusionResolveShapesPassBase<FusionResolveShapesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<ReshapeToViews>(context);
    populateResolveSizesPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<tensor::DimOp, tensor::ReshapeOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyBounded(ops, patterns, config)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
