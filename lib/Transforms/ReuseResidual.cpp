//===-- ReuseResidual.cpp - Residuals in place ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-reuse-residual and its rule (phase 5).
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "RulePass.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONREUSERESIDUALPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// True if `root` may overwrite epilogue operand `index`: nobody reads its
/// buffer afterwards. A wrong yes would cost a copy, not a result, so only what
/// is sure to own its buffer counts.
static LogicalResult checkDiesHere(FusionRootOpInterface root, unsigned index,
                                   std::string &reason) {
  auto refuse = [&](StringRef sentence) {
    reason = ("other-readers: the residual " + sentence).str();
    return failure();
  };
  Value residual = root.getEpilogueOperand(index);
  if (!residual.getDefiningOp<DestinationStyleOpInterface>())
    return refuse("is a view, a constant or an argument");
  unsigned reads = 0;
  for (OpOperand &use : residual.getUses()) {
    Operation *user = use.getOwner();
    if (user == root.getOperation()) {
      if (++reads > 1)
        return refuse("is read twice by the root");
      continue;
    }
    if (user->getBlock() != root->getBlock() || !user->isBeforeInBlock(root))
      return refuse("is read later");
    // Other ops may give out views of what they read.
    auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(user);
    if (!isa<tensor::PadOp>(user) &&
        (!destinationStyle || destinationStyle.isDpsInit(&use)))
      return refuse("may live on in a view");
  }
  return success();
}

/// The epilogue operand that the root may overwrite; `reason` says why there is
/// none if the root has residuals.
static std::optional<unsigned> findResidual(FusionRootOpInterface root,
                                            std::string &reason) {
  if (!root.hasPureTensorSemantics() || root.readsInit() ||
      !root.getInitValue().getDefiningOp<tensor::EmptyOp>())
    return std::nullopt;
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    if (root.isIdentityEpilogueOperand(i) &&
        root.getEpilogueOperand(i).getType() == root.getInitType() &&
        succeeded(checkDiesHere(root, i, reason)))
      return i;
  return std::nullopt;
}

namespace {
/// A residual that dies here becomes the destination:
///   conv outs(%empty) epilogue(%acc, %r = %res[0, 1, 2, 3]) { acc + r }
///   -> conv outs(%res) epilogue(%acc, init %r) { acc + r }
struct ReuseResidual final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    std::string reason;
    std::optional<unsigned> index = findResidual(root, reason);
    if (!index)
      return rewriter.notifyMatchFailure(
          root,
          reason.empty() ? "expected a residual of the result's type" : reason);
    Value residual = root.getEpilogueOperand(*index);
    BlockArgument argument = root.getEpilogueArgument(*index);
    rewriter.modifyOpInPlace(root, [&] {
      Block &block = root.getEpilogueBlock();
      argument.replaceAllUsesWith(
          block.addArgument(argument.getType(), argument.getLoc()));
      root.setDpsInitOperand(0, residual);
    });
    dropDeadEpilogueOperands(rewriter, root);
    remarkFused(
        root.getLoc(), "reuse-residual",
        (root->getName().getStringRef() + " overwrites its residual").str());
    return success();
  }
};
} // namespace

void fusion::populateReuseResidualPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<ReuseResidual>({"reuse-residual"},
                                       patterns.getContext());
}

SmallVector<PopulateFn> fusion::getReuseResidualPhases() {
  return {populateReuseResidualPatterns};
}

namespace {
struct FusionReuseResidualPass final
    : fusion::impl::FusionReuseResidualPassBase<FusionReuseResidualPass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getReuseResidualPhases(), disabledPatterns,
                       enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    for (FrozenRewritePatternSet &phase : phases)
      walkAndApplyPatterns(getOperation(), phase);
    getOperation()->walk([](FusionRootOpInterface root) {
      std::string reason;
      if (!findResidual(root, reason) && !reason.empty())
        remarkMissed(root.getLoc(), "reuse-residual", reason);
    });
  }

private:
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace
