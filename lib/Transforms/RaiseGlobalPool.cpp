//===-- RaiseGlobalPool.cpp - Pools over the whole image ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pool's window is an attribute, so that one of unknown size is no
// fusion.pool; over the whole image it is a plain reduction.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "ResolveSizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
constexpr StringLiteral kLabel = "raise-global-pool";

/// The dims of the input that a pool reduces, if it has windows of dynamic size
/// and each provably is the image: of its size, at the only place.
std::optional<SmallVector<int64_t>> getReducedDims(linalg::LinalgOp op) {
  if (!linalg::isaConvolutionOpInterface(op) || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return {};
  OpOperand *input = op.getDpsInputOperand(0);
  OpOperand *window = op.getDpsInputOperand(1);
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.payloadUsesValueFromOperand(window) ||
      !ShapedType::isDynamicShape(op.getShape(window)))
    return {};
  auto getPlaces = [&](AffineExpr place) {
    AffineMap map = op.getMatchingIndexingMap(init);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == place)
        return op.getShape(init)[dim];
    return ShapedType::kDynamic;
  };
  ArrayRef<AffineExpr> steps = op.getMatchingIndexingMap(window).getResults();
  SmallVector<int64_t> dims;
  for (auto [dim, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(input).getResults())) {
    if (isa<AffineDimExpr>(expr))
      continue;
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add ||
        !isa<AffineDimExpr>(sum.getRHS()))
      return {};
    AffineExpr place = sum.getLHS();
    if (auto product = dyn_cast<AffineBinaryOpExpr>(place))
      place = product.getLHS();
    auto *step = llvm::find(steps, sum.getRHS());
    if (getPlaces(place) != 1 || step == steps.end() ||
        !haveEqualSizes(window->get(), step - steps.begin(), input->get(), dim))
      return {};
    dims.push_back(dim);
  }
  return dims;
}

/// pooling(%x : ?xCx?x?, %window : ?x?) outs(%init : ?xCx1x1)
///   -> expand_shape(reduce(%x) outs(collapse_shape(%init)) dimensions = [2,
///   3])
struct RaiseGlobalPool final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> dims = getReducedDims(op);
    if (!dims)
      return rewriter.notifyMatchFailure(op, "expected a pool over the image");
    Value init = op.getDpsInitOperand(0)->get();
    auto type = cast<RankedTensorType>(init.getType());
    // What is not reduced, each with the dims of size 1 behind it.
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (groups.empty() || !llvm::is_contained(*dims, dim))
        groups.emplace_back();
      groups.back().push_back(dim);
    }
    if (static_cast<int64_t>(groups.size() + dims->size()) != type.getRank())
      return rewriter.notifyMatchFailure(op, "expected a first dim to keep");

    Location loc = op.getLoc();
    Value collapsed =
        tensor::CollapseShapeOp::create(rewriter, loc, init, groups);
    auto reduce = linalg::ReduceOp::create(
        rewriter, loc, op.getDpsInputOperand(0)->get(), collapsed, *dims,
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          IRMapping mapping;
          Block *body = op.getBlock();
          mapping.map(body->getArgument(0), arguments[0]);
          mapping.map(body->getArgument(2), arguments[1]);
          for (Operation &inner : *body)
            builder.clone(inner, mapping);
        });
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, init);
    remarkFused(loc, kLabel,
                (op->getName().getStringRef() + " is a reduction").str());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, type, reduce->getResult(0), groups, sizes);
    return success();
  }
};
} // namespace

void fusion::populateRaiseGlobalPoolPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<RaiseGlobalPool>({kLabel}, patterns.getContext());
}
