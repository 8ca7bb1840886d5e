//===-- PlanPadding.cpp - Explicit padding of convolutions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-materialize-padding: a kernel of products reads a padded
// image without a question for each element. A pool's window is clamped, and a
// kernel that computes plane by plane pads the rows that it copies.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONMATERIALIZEPADDINGPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// conv(x) {pad_low, pad_high} -> conv(tensor.pad(x)).
struct MaterializePadding final : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op.hasPadding() || isPlanar(op))
      return rewriter.notifyMatchFailure(
          op, "expected padding that the kernel does not add itself");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getInput().getType());
    SmallVector<OpFoldResult> low(type.getRank(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> high(low);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [i, dim] : llvm::enumerate(op.getSpatialDims())) {
      int64_t before = op.getPadLow()[i], after = op.getPadHigh()[i];
      low[dim] = rewriter.getIndexAttr(before);
      high[dim] = rewriter.getIndexAttr(after);
      if (!ShapedType::isDynamic(shape[dim]))
        shape[dim] += before + after;
    }
    Value zero = arith::ConstantOp::create(rewriter, loc, op.getPaddingValue());
    Value padded = tensor::PadOp::create(rewriter, loc, type.clone(shape),
                                         op.getInput(), low, high, zero);
    SmallVector<int64_t> none(op.getPadLow().size(), 0);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(padded);
      op.setPadLow(none);
      op.setPadHigh(none);
    });
    return success();
  }
};

struct FusionMaterializePaddingPass final
    : fusion::impl::FusionMaterializePaddingPassBase<
          FusionMaterializePaddingPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateMaterializePaddingPatterns(set);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }
  FrozenRewritePatternSet patterns;
};
} // namespace

void fusion::populateMaterializePaddingPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<MaterializePadding>({"materialize-padding"},
                                            patterns.getContext());
}
