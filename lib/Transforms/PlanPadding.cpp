//===-- PlanPadding.cpp - Explicit padding of convolutions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-materialize-padding: some kernels of products read a padded
// image, without a question for each element; others skip what is in padding. A
// pool's window is clamped, and a kernel that computes plane by plane pads the
// rows that it copies.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
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
  MaterializePadding(MLIRContext *context, const TargetInfo &target,
                     bool skipPadding)
      : OpRewritePattern(context), target(target), skipPadding(skipPadding) {}
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op.hasPadding() || isPlanar(op))
      return rewriter.notifyMatchFailure(
          op, "expected padding that the kernel does not add itself");
    if (skipPadding && isSkipped(op))
      return rewriter.notifyMatchFailure(
          op, "expected padding that the kernel does not skip");
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

private:
  bool isSkipped(ConvOp op) const {
    FailureOr<KernelPlan> plan = KernelPlan::get(op, target);
    return succeeded(plan) && plan->skipsPadding && isFinite(op.getFilter());
  }
  TargetInfo target;
  bool skipPadding;
};

struct FusionMaterializePaddingPass final
    : fusion::impl::FusionMaterializePaddingPassBase<
          FusionMaterializePaddingPass> {
  using FusionMaterializePaddingPassBase::FusionMaterializePaddingPassBase;

  void runOnOperation() override {
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateMaterializePaddingPatterns(patterns, *info, skipPadding);
    fusion::traceRules(patterns, traceRules);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void fusion::populateMaterializePaddingPatterns(RewritePatternSet &patterns,
                                                const TargetInfo &target,
                                                bool skipPadding) {
  patterns.addWithLabel<MaterializePadding>(
      {"materialize-padding"}, patterns.getContext(), target, skipPadding);
}
