//===-- PingPong.cpp - Canonicalizations that undo each other -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for the test that the stages come to an end with an error.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace {
/// a - b -> a + (-b)
struct ExpandDifference final : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    Value negated = arith::NegFOp::create(rewriter, op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, op.getLhs(), negated);
    return success();
  }
};

/// a + (-b) -> a - b
struct FoldDifference final : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto negated = op.getRhs().getDefiningOp<arith::NegFOp>();
    if (!negated)
      return rewriter.notifyMatchFailure(op, "expected a negated number");
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, op.getLhs(),
                                               negated.getOperand());
    return success();
  }
};

struct PingPongDialect final : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PingPongDialect)
  static constexpr StringLiteral getDialectNamespace() { return "pingpong"; }
  explicit PingPongDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<PingPongDialect>()) {}
  void getCanonicalizationPatterns(RewritePatternSet &patterns) const override {
    patterns.addWithLabel<ExpandDifference>({"expand-difference"},
                                            getContext());
    patterns.addWithLabel<FoldDifference>({"fold-difference"}, getContext());
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "PingPong", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) { registry->insert<PingPongDialect>(); }};
}
