//===-- RaisePool.cpp - Named pools of linalg to fusion.pool --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum stays a sum: the division that makes it an average is absorbed as any
// other reader.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
constexpr StringLiteral kLabel = "raise-pool";

struct PoolForm {
  PoolKind kind;
  ImageLayout layout;
};

std::optional<PoolForm> getForm(Operation *op) {
  if (isa<linalg::PoolingNchwMaxOp>(op))
    return PoolForm{PoolKind::Max, ImageLayout::ChannelsFirst};
  if (isa<linalg::PoolingNhwcMaxOp>(op))
    return PoolForm{PoolKind::Max, ImageLayout::ChannelsLast};
  if (isa<linalg::PoolingNchwSumOp>(op))
    return PoolForm{PoolKind::Sum, ImageLayout::ChannelsFirst};
  if (isa<linalg::PoolingNhwcSumOp>(op))
    return PoolForm{PoolKind::Sum, ImageLayout::ChannelsLast};
  return std::nullopt;
}

struct PoolPlan {
  PoolForm form;
  SmallVector<int64_t> window, strides, dilations;
};

FailureOr<PoolPlan> planPool(linalg::LinalgOp op, const PoolForm &form,
                             std::string &reason) {
  if (failed(checkOperands(op, reason)))
    return failure();
  auto shapeOf = [](OpOperand *operand) {
    return cast<RankedTensorType>(operand->get().getType()).getShape();
  };
  ArrayRef<int64_t> window = shapeOf(op.getDpsInputOperand(1));
  if (ShapedType::isDynamicShape(window))
    return refuse(reason, "dynamic-shape: the window's size is not known");
  PoolPlan plan{form, SmallVector<int64_t>(window),
                getWindowAttr(op, "strides"), getWindowAttr(op, "dilations")};
  int64_t start = form.layout == ImageLayout::ChannelsFirst ? 2 : 1;
  WindowedSizes sizes{shapeOf(op.getDpsInputOperand(0)).slice(start, 2),
                      plan.window,
                      shapeOf(op.getDpsInitOperand(0)).slice(start, 2),
                      plan.strides, plan.dilations};
  if (failed(checkWindows(sizes, reason)))
    return failure();
  return plan;
}

arith::AtomicRMWKind getCombiner(PoolKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  if (kind == PoolKind::Max)
    return isFloat ? arith::AtomicRMWKind::maximumf
                   : arith::AtomicRMWKind::maxs;
  return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
}

/// A pool that accumulates into its init, with its window as an operand ->
///   fusion.pool max ins(%x) outs(%init) {window = …}
///     epilogue(%acc, init %element) { max(%acc, %element) }
template <typename OpTy>
struct RaisePool final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    std::string reason;
    FailureOr<PoolPlan> plan = planPool(op, *getForm(op), reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    Value init = op.getOutputs()[0];
    auto pool =
        PoolOp::create(rewriter, op.getLoc(), plan->form.kind,
                       op.getInputs()[0], init, plan->window, plan->strides,
                       plan->dilations, {}, {}, false, plan->form.layout);
    combineWithInit(
        rewriter, pool,
        getCombiner(plan->form.kind, getElementTypeOrScalar(init.getType())));
    remarkFused(op.getLoc(), kLabel,
                (op->getName().getStringRef() + " is a fusion.pool").str());
    rewriter.replaceOp(op, pool);
    return success();
  }
};
} // namespace

void fusion::explainRaisePool(Operation *op) {
  std::optional<PoolForm> form = getForm(op);
  if (!form)
    return;
  auto pool = cast<linalg::LinalgOp>(op);
  std::string reason;
  if (pool.hasPureTensorSemantics() && failed(planPool(pool, *form, reason)))
    remarkMissed(op->getLoc(), kLabel, reason);
}

void fusion::populateRaisePoolPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<
      RaisePool<linalg::PoolingNchwMaxOp>, RaisePool<linalg::PoolingNchwSumOp>,
      RaisePool<linalg::PoolingNhwcMaxOp>, RaisePool<linalg::PoolingNhwcSumOp>>(
      {kLabel}, patterns.getContext());
}
