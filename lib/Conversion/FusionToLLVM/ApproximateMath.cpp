//===-- ApproximateMath.cpp - Vector forms of exp, tanh, erf, log ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-approximate-math: libm's calls would take vectors apart,
// and upstream's approximations are not exact enough (docs/Rationale.md).
// Integer powers go here too, since LLVM takes few of their forms.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "VectorMath.h"
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
/// An operation on f32 -> the arithmetic that `emit` gives for it.
template <typename Op, Value (*emit)(ImplicitLocOpBuilder &, Value)>
struct Approximate final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32 or a vector of it");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emit(builder, op.getOperand()));
    return success();
  }
};

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
    set.add<
        Approximate<math::ExpOp, emitExp>, Approximate<math::Exp2Op, emitExp2>,
        Approximate<math::ExpM1Op, emitExpM1>,
        Approximate<math::LogOp, emitLog>, Approximate<math::Log2Op, emitLog2>,
        Approximate<math::Log10Op, emitLog10>,
        Approximate<math::Log1pOp, emitLog1p>,
        Approximate<math::TanhOp, emitTanh>, Approximate<math::ErfOp, emitErf>>(
        context);
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
    if (any && failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }
  FrozenRewritePatternSet patterns;
};
} // namespace
