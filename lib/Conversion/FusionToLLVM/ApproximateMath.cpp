//===-- ApproximateMath.cpp - Vector forms of exp, tanh, erf, log ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-approximate-math: libm's calls would take vectors apart,
// and upstream's approximations are not exact enough (docs/Rationale.md).
// What neither LLVM nor libm takes goes here too.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Conversion/Passes.h"
#include "Powers.h"
#include "VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// powf on f32 -> emitPow.
struct ApproximatePow final : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f32 or a vector of it");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitPow(builder, op.getLhs(), op.getRhs()));
    return success();
  }
};

/// clampf(x, low, high) -> min(max(x, low), high). Upstream's expansion has max
/// and min the other way round, unlike its conversions to other dialects.
struct Clamp final : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value atLeast = arith::MaximumFOp::create(
        rewriter, op.getLoc(), op.getValue(), op.getMin(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, atLeast, op.getMax(),
                                                   op.getFastmath());
    return success();
  }
};

/// isinf(x) -> |x| = infinity; isnormal(x) -> |x| from the smallest normal
/// number up to below infinity.
template <typename Op>
struct CompareMagnitude final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
    auto compare = [&](arith::CmpFPredicate predicate, APFloat bound) {
      return arith::CmpFOp::create(
          rewriter, loc, predicate, magnitude,
          createScalarOrSplatConstant(rewriter, loc, type, bound));
    };
    APFloat infinity = APFloat::getInf(semantics);
    if constexpr (std::is_same_v<Op, math::IsInfOp>) {
      rewriter.replaceOp(op, compare(arith::CmpFPredicate::OEQ, infinity));
    } else {
      Value isLarge = compare(arith::CmpFPredicate::OGE,
                              APFloat::getSmallestNormalized(semantics));
      Value isFinite = compare(arith::CmpFPredicate::OLT, infinity);
      rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
    }
    return success();
  }
};

/// LLVM has neither expm1 nor log1p, and upstream's exp(x) - 1 and log(1 + x)
/// lose what is small. With the rounded u in their place and a quotient that
/// takes its rounding back (Kahan):
///   log1p(x) -> log(u) (x / (u - 1)), u = 1 + x
///   expm1(x) -> (u - 1) (x / log(u)), u = exp(x)
template <typename Op>
struct CorrectRounding final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "expected scalars or vectors");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    auto constant = [&](const APFloat &value) {
      return createScalarOrSplatConstant(b, op.getLoc(), type, value);
    };
    auto isEqual = [&](Value left, Value right) -> Value {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, left, right);
    };
    Value one = constant(APFloat::getOne(semantics));
    Value infinity = constant(APFloat::getInf(semantics));
    Value u, result;
    if constexpr (std::is_same_v<Op, math::Log1pOp>) {
      u = arith::AddFOp::create(b, one, x);
      Value above = arith::SubFOp::create(b, u, one);
      Value correction = arith::DivFOp::create(b, x, above);
      Value log = math::LogOp::create(b, u);
      result = arith::MulFOp::create(b, log, correction);
    } else {
      u = math::ExpOp::create(b, x);
      Value above = arith::SubFOp::create(b, u, one);
      Value log = math::LogOp::create(b, u);
      Value correction = arith::DivFOp::create(b, x, log);
      result = arith::MulFOp::create(b, above, correction);
      // exp(x) is next to nothing: of 0 or a denormal, the logarithm says
      // little.
      Value minusOne = constant(APFloat::getOne(semantics, /*Negative=*/true));
      Value isNothing = isEqual(above, minusOne);
      result = arith::SelectOp::create(b, isNothing, minusOne, result);
    }
    Value isOne = isEqual(u, one);
    result = arith::SelectOp::create(b, isOne, x, result);
    Value isInfinite = isEqual(u, infinity);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isInfinite, infinity,
                                                 result);
    return success();
  }
};

struct FusionApproximateMathPass final
    : fusion::impl::FusionApproximateMathPassBase<FusionApproximateMathPass> {
  using FusionApproximateMathPassBase::FusionApproximateMathPassBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    if (polynomials)
      set.add<Approximate<math::ExpOp, emitExp>,
              Approximate<math::Exp2Op, emitExp2>,
              Approximate<math::ExpM1Op, emitExpM1>,
              Approximate<math::LogOp, emitLog>,
              Approximate<math::Log2Op, emitLog2>,
              Approximate<math::Log10Op, emitLog10>,
              Approximate<math::Log1pOp, emitLog1p>,
              Approximate<math::TanhOp, emitTanh>,
              Approximate<math::ErfOp, emitErf>, ApproximatePow>(context);
    // Whatever has no polynomial.
    set.add<CorrectRounding<math::ExpM1Op>, CorrectRounding<math::Log1pOp>>(
        context, /*benefit=*/0);
    set.add<Clamp, CompareMagnitude<math::IsInfOp>,
            CompareMagnitude<math::IsNormalOp>>(context);
    populatePowerPatterns(set);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    bool any = false;
    getOperation()->walk([&](Operation *op) {
      any |= isa_and_nonnull<math::MathDialect>(op->getDialect());
    });
    if (any && failed(applyBounded(getOperation(), patterns)))
      signalPassFailure();
  }
  FrozenRewritePatternSet patterns;
};
} // namespace
