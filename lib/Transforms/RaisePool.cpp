//===-- RaisePool.cpp - Pools of linalg to fusion.pool --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pool is found by its windows and by the op that combines their elements. A
// sum stays a sum: RaiseAverage finds the division that makes it an average.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "RaiseForm.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

namespace {
constexpr StringLiteral kLabel = "raise-pool";

struct PoolPlan {
  PoolKind kind;
  ImageLayout layout;
  Arrangement inputDims, resultDims;
  SmallVector<int64_t> window, strides, dilations;
};

std::optional<PoolKind> getKind(arith::AtomicRMWKind combiner) {
  switch (combiner) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::addi:
    return PoolKind::Sum;
  case arith::AtomicRMWKind::maximumf:
  case arith::AtomicRMWKind::maxs:
    return PoolKind::Max;
  case arith::AtomicRMWKind::maxu:
    return PoolKind::MaxUnsigned;
  case arith::AtomicRMWKind::minimumf:
  case arith::AtomicRMWKind::mins:
    return PoolKind::Min;
  case arith::AtomicRMWKind::minu:
    return PoolKind::MinUnsigned;
  default:
    return std::nullopt;
  }
}

bool isUnsigned(PoolKind kind) {
  return kind == PoolKind::MaxUnsigned || kind == PoolKind::MinUnsigned;
}

FailureOr<PoolPlan> planPool(LinalgOp op, const ReductionBody &body,
                             std::string &reason) {
  if (failed(checkOperands(op, reason)))
    return failure();
  PoolPlan plan;
  plan.kind = *getKind(body.combiner);
  OpOperand *input = body.lhs.operand;
  // Without a cast, it makes no difference.
  bool isCast = getElementTypeOrScalar(input->get().getType()) !=
                getElementTypeOrScalar(op->getResult(0).getType());
  if (isCast && isUnsigned(plan.kind) != body.lhs.isUnsigned)
    return refuse(reason, "unsupported-type: elements are extended in another "
                          "way than they are compared or summed");

  SmallVector<int64_t> inputKeys, steps;
  SmallVector<WindowExpr> windows;
  for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
    std::optional<WindowExpr> window = matchWindowExpr(op, expr);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (window ? !window->position : !dim)
      return refuse(reason, "map-mismatch: the image is read through another "
                            "map than loops and windows");
    inputKeys.push_back(window ? *window->position : dim.getPosition());
    if (window) {
      windows.push_back(*window);
      if (window->step)
        steps.push_back(*window->step);
    }
  }
  SmallVector<int64_t> result;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    result.push_back(cast<AffineDimExpr>(expr).getPosition());
  SmallVector<int64_t> sortedInput(inputKeys), sortedResult(result);
  llvm::sort(sortedInput);
  llvm::sort(sortedResult);
  llvm::sort(steps);
  if (sortedInput != sortedResult ||
      steps.size() != op.getNumReductionLoops() ||
      llvm::adjacent_find(steps) != steps.end())
    return refuse(reason, "map-mismatch: a loop is neither a dim of the result "
                          "nor of the window");

  // From the first window to the last one lies the image. What is behind it
  // are channels, else what is before it.
  auto findWindow = [&](int64_t loop) {
    return llvm::find_if(windows, [&](const WindowExpr &window) {
      return window.position == loop;
    });
  };
  auto hasWindow = [&](int64_t loop) {
    return findWindow(loop) != windows.end();
  };
  auto first = llvm::find_if(result, hasWindow);
  auto last = std::find_if(result.rbegin(), result.rend(), hasWindow).base();
  SmallVector<int64_t> before(result.begin(), first),
      behind(last, result.end());
  plan.layout =
      behind.empty() ? ImageLayout::ChannelsFirst : ImageLayout::ChannelsLast;
  if (behind.empty() && !before.empty())
    behind.push_back(before.pop_back_val());
  SmallVector<SmallVector<int64_t>> groups{before};
  if (plan.layout == ImageLayout::ChannelsFirst)
    groups.push_back(behind);
  SmallVector<int64_t> sizes = getLoopSizes(op), inputSizes, resultSizes;
  for (int64_t loop : llvm::make_range(first, last)) {
    groups.push_back({loop});
    auto window = findWindow(loop);
    bool isWindow = window != windows.end();
    plan.strides.push_back(isWindow ? window->stride : 1);
    plan.dilations.push_back(isWindow ? window->dilation : 1);
    plan.window.push_back(isWindow && window->step ? sizes[*window->step] : 1);
    inputSizes.push_back(
        op.getShape(input)[llvm::find(inputKeys, loop) - inputKeys.begin()]);
    resultSizes.push_back(sizes[loop]);
  }
  if (plan.layout == ImageLayout::ChannelsLast)
    groups.push_back(behind);
  if (plan.window.size() > 3)
    return refuse(reason, "map-mismatch: the image has more than three dims");
  if (ShapedType::isDynamicShape(plan.window))
    return refuse(reason, "dynamic-shape: the window's size is not known");
  if (failed(checkWindows(
          {inputSizes, plan.window, resultSizes, plan.strides, plan.dilations},
          reason)))
    return failure();
  plan.inputDims = arrangeDims(inputKeys, groups);
  plan.resultDims = arrangeDims(result, groups);
  if (!plan.resultDims.isReversible(
          cast<ShapedType>(op->getResult(0).getType())))
    return refuse(reason, "dynamic-shape: the result's channels are not known");
  return plan;
}

/// A pool that accumulates into its init, with its window as an operand ->
///   fusion.pool max ins(%x) outs(%init) {window = …}
///     epilogue(%acc, init %element) { max(%acc, %element) }
struct RaisePool final : OpInterfaceRewritePattern<LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ReductionBody> body = matchReductionBody(op);
    if (!body || getRootFamily(op, *body) != RootFamily::Pool)
      return rewriter.notifyMatchFailure(op, "expected a pool");
    std::string reason;
    FailureOr<PoolPlan> plan = planPool(op, *body, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    Location loc = op.getLoc();
    Value input =
        arrange(rewriter, loc, body->lhs.operand->get(), plan->inputDims);
    Value init = arrange(rewriter, loc, op.getDpsInitOperand(0)->get(),
                         plan->resultDims);
    auto pool = PoolOp::create(rewriter, loc, plan->kind, input, init,
                               plan->window, plan->strides, plan->dilations, {},
                               {}, false, plan->layout);
    cropImage(rewriter, pool);
    combineWithInit(rewriter, pool, body->combiner);
    remarkFused(loc, kLabel,
                (op->getName().getStringRef() + " is a fusion.pool").str());
    replaceByArranged(rewriter, op, pool->getResult(0), plan->resultDims);
    return success();
  }
};
} // namespace

void fusion::explainRaisePool(LinalgOp op, const ReductionBody &body) {
  std::string reason;
  if (failed(planPool(op, body, reason)))
    remarkMissed(op.getLoc(), kLabel, reason);
}

void fusion::populateRaisePoolPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<RaisePool>({kLabel, kRounds}, patterns.getContext());
}
