//===-- ApproximateMath.cpp - Vector forms of exp, tanh, erf, log ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-approximate-math: upstream exports its polynomial
// approximations only as rules, and libm's calls would take vectors apart.
// Integer powers go here too, since LLVM takes few of their forms.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONAPPROXIMATEMATHPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// fpowi(x, n) of an n that is no constant (upstream expands constants) ->
/// powf(x, float(n)): LLVM's powi takes no vector of exponents and no i64.
struct PowerOfInteger final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Attribute constant;
    if (matchPattern(op.getRhs(), m_Constant(&constant)))
      return rewriter.notifyMatchFailure(op, "expected no constant exponent");
    Value exponent = arith::SIToFPOp::create(rewriter, op.getLoc(),
                                             op.getType(), op.getRhs());
    rewriter.replaceOpWithNewOp<math::PowFOp>(op, op.getLhs(), exponent);
    return success();
  }
};

struct FusionApproximateMathPass final
    : fusion::impl::FusionApproximateMathPassBase<FusionApproximateMathPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    // What activations, norms and softmax are made of.
    auto isApproximated = [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.expm1", "math.tanh",
                                 "math.erf", "math.log", "math.log1p",
                                 "math.log2"},
                                name);
    };
    populateMathPolynomialApproximationPatterns(set, isApproximated);
    math::populateExpansionPatterns(set, {"fpowi"});
    set.add<PowerOfInteger>(context);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    bool any = false;
    getOperation()->walk([&](Operation *op) {
      any |= isa_and_nonnull<math::MathDialect>(op->getDialect());
    });
    // Some approximations are written with other approximated ops.
    if (any && failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }
  FrozenRewritePatternSet patterns;
};
} // namespace
