//===-- FoldPad.cpp - tensor.pad into a root's own padding ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only a pad with the value that the root itself would read outside the image.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
constexpr StringLiteral kLabel = "fold-pad";

/// The pad before `root`'s image, or null.
tensor::PadOp getPad(FusionRootOpInterface root) {
  OpOperand *input = root.getPaddedInput();
  if (!input || !root.hasPureTensorSemantics())
    return {};
  return input->get().getDefiningOp<tensor::PadOp>();
}

/// True if the root's result is the same with either value outside the image.
/// A sum starts at +0, so it cannot tell -0 from +0.
bool isSamePadding(TypedAttr given, TypedAttr own) {
  if (given == own)
    return true;
  auto givenFloat = dyn_cast<FloatAttr>(given),
       ownFloat = dyn_cast<FloatAttr>(own);
  return givenFloat && ownFloat && givenFloat.getType() == ownFloat.getType() &&
         givenFloat.getValue().isZero() && ownFloat.getValue().isZero();
}

struct PadPlan {
  SmallVector<int64_t> low, high;
};

FailureOr<PadPlan> planFold(FusionRootOpInterface root, tensor::PadOp pad,
                            std::string &reason) {
  TypedAttr own = root.getPaddingValue();
  if (!own)
    return refuse(reason, "pad-not-neutral: the root counts its own padding in "
                          "another way");
  TypedAttr given;
  Value value = pad.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Constant(&given)) ||
      !isSamePadding(given, own))
    return refuse(reason, "pad-not-neutral: the pad's value is not the one "
                          "that the root reads outside its image");
  std::optional<SmallVector<int64_t>> low =
      getConstantIntValues(pad.getMixedLowPad());
  std::optional<SmallVector<int64_t>> high =
      getConstantIntValues(pad.getMixedHighPad());
  if (!low || !high)
    return refuse(reason, "dynamic-shape: the size of the pad is not known");
  PadPlan plan;
  SmallVector<int64_t> spatial = root.getSpatialDims();
  for (auto [dim, lowPad, highPad] : llvm::enumerate(*low, *high)) {
    if (lowPad < 0 || highPad < 0)
      return refuse(reason, "pad-not-neutral: the pad takes elements away");
    if (lowPad + highPad != 0 &&
        !llvm::is_contained(spatial, static_cast<int64_t>(dim)))
      return refuse(reason, "pad-not-neutral: the pad adds channels or images");
  }
  if (pad.getNofold())
    return refuse(reason, "pad-not-neutral: the pad asks not to be folded");
  for (int64_t dim : spatial) {
    plan.low.push_back((*low)[dim]);
    plan.high.push_back((*high)[dim]);
  }
  return plan;
}

/// A pad of the image by the value that the root reads outside it:
///   conv(pad %x by 0 low[0, 0, 1, 1] high[0, 0, 1, 1])
///   -> conv(%x) {pad_low = [1, 1], pad_high = [1, 1]}
struct FoldPad final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    std::string reason = "expected a pad before the image";
    while (tensor::PadOp pad = getPad(root)) {
      FailureOr<PadPlan> plan = planFold(root, pad, reason);
      if (failed(plan))
        break;
      rewriter.modifyOpInPlace(root, [&] {
        root.addPadding(plan->low, plan->high);
        root.getPaddedInput()->set(pad.getSource());
      });
      remarkFused(root.getLoc(), kLabel,
                  (root->getName().getStringRef() + " pads by itself").str());
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(root, reason);
    return success();
  }
};
} // namespace

void fusion::explainFoldPad(Operation *op) {
  auto root = dyn_cast<FusionRootOpInterface>(op);
  tensor::PadOp pad = root ? getPad(root) : tensor::PadOp();
  std::string reason;
  if (pad && failed(planFold(root, pad, reason)))
    remarkMissed(root.getLoc(), kLabel, reason);
}

void fusion::populateFoldPadPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<FoldPad>({kLabel}, patterns.getContext());
}
