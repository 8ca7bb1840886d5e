//===-- Unsound.cpp - Rules that are not what they say --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for the test of mlir-fusion-fuzz --rules: what it must find, and
// the same rule with an honest label, which it must leave alone.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace {
/// (a + b) + c -> a + (b + c)
struct Reassociate final : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<arith::AddFOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected a sum of a sum");
    Value sum = arith::AddFOp::create(rewriter, op.getLoc(), inner.getRhs(),
                                      op.getRhs());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, inner.getLhs(), sum);
    return success();
  }
};

/// a - b -> b - a: no rounding explains this.
struct SwapDifference final : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr("unsound.swapped"))
      return rewriter.notifyMatchFailure(op, "expected no swapped difference");
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands({op.getRhs(), op.getLhs()});
      op->setAttr("unsound.swapped", rewriter.getUnitAttr());
    });
    return success();
  }
};

struct UnsoundPass final : PassWrapper<UnsoundPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnsoundPass)
  UnsoundPass() = default;
  UnsoundPass(const UnsoundPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "unsound"; }
  StringRef getDescription() const override { return "rules with faults"; }
  void runOnOperation() override {
    RewritePatternSet rules(&getContext());
    if (rule == "swap-difference")
      rules.addWithLabel<SwapDifference>({rule.c_str(), fusion::kRounds},
                                         &getContext());
    else if (rule == "reassociate-honestly")
      rules.addWithLabel<Reassociate>({rule.c_str(), fusion::kRounds},
                                      &getContext());
    else
      rules.addWithLabel<Reassociate>({rule.c_str()}, &getContext());
    fusion::traceRules(rules, traced);
    walkAndApplyPatterns(getOperation(), std::move(rules));
  }
  Option<std::string> rule{*this, "rule", llvm::cl::desc("Its label"),
                           llvm::cl::init("reassociate")};
  Option<std::string> traced{*this, "trace-rules",
                             llvm::cl::desc("As of our passes")};
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Unsound", LLVM_VERSION_STRING,
          [] { PassRegistration<UnsoundPass>(); }};
}
