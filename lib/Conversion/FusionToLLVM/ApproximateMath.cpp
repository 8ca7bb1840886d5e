//===-- ApproximateMath.cpp - Vector forms of exp, tanh, erf, log ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-approximate-math: libm's calls would take vectors apart,
// and upstream's approximations are not exact enough (docs/Rationale.md).
// What neither LLVM nor libm takes goes here too: integer powers above all.
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

/// powf(x, n) of a constant n from -4 to 4 in steps of 0.5 that takes at most
/// two products: norms have 2 and -0.5, GELU has 3.
struct PowerOfConstant final : OpRewritePattern<math::PowFOp> {
  PowerOfConstant(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat constant(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&constant)))
      return rewriter.notifyMatchFailure(op, "expected a constant exponent");
    bool losesInfo;
    constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    double exponent = constant.convertToDouble();
    double magnitude = std::abs(exponent);
    if (!llvm::is_contained({0.5, 1.0, 2.0, 3.0, 4.0}, magnitude))
      return rewriter.notifyMatchFailure(op, "expected few products");
    Location loc = op.getLoc();
    Value x = op.getLhs(), result = x;
    auto multiply = [&](Value lhs, Value rhs) {
      return arith::MulFOp::create(rewriter, loc, lhs, rhs);
    };
    if (magnitude == 0.5)
      result = createRoot(rewriter, loc, x);
    if (magnitude >= 2.0)
      result = multiply(x, x);
    if (magnitude >= 3.0)
      result = multiply(result, magnitude == 3.0 ? x : result);
    if (exponent < 0)
      result = arith::DivFOp::create(
          rewriter, loc, createConstant(rewriter, loc, x.getType(), 1.0),
          result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value createConstant(OpBuilder &builder, Location loc, Type type,
                              double value) {
    TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  /// sqrt, but for -0, whose power is 0, and -infinity, whose is infinity.
  static Value createRoot(OpBuilder &builder, Location loc, Value x) {
    auto constant = [&](double value) {
      return createConstant(builder, loc, x.getType(), value);
    };
    double infinity = std::numeric_limits<double>::infinity();
    Value isLowest = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, x, constant(-infinity));
    Value positive =
        arith::SelectOp::create(builder, loc, isLowest, constant(infinity), x);
    return math::SqrtOp::create(
        builder, loc,
        arith::AddFOp::create(builder, loc, positive, constant(0.0)));
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

/// ipowi(x, n) -> products of x, x^2, x^4, … for the bits that n has; a
/// negative n gives 1 / x^-n, rounded to zero.
struct PowerOfIntegers final : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr =
          rewriter.getIntegerAttr(getElementTypeOrSelf(type), value);
      if (auto shaped = dyn_cast<ShapedType>(type))
        attr = DenseElementsAttr::get(shaped, Attribute(attr));
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(rewriter, loc, predicate, x, y);
    };
    auto select = [&](Value condition, Value x, Value y) {
      return arith::SelectOp::create(rewriter, loc, condition, x, y);
    };
    Value zero = constant(0), one = constant(1), minusOne = constant(-1);
    Value power = op.getLhs(), result = one;
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    for (unsigned bit = 0; bit < width; ++bit) {
      if (bit != 0)
        power = arith::MulIOp::create(rewriter, loc, power, power);
      Value has = arith::AndIOp::create(rewriter, loc, op.getRhs(),
                                        constant(int64_t(1) << bit));
      Value product = arith::MulIOp::create(rewriter, loc, result, power);
      result =
          select(compare(arith::CmpIPredicate::ne, has, zero), product, result);
    }
    // Powers of 1 and -1 are right for a negative n, too.
    Value isUnit = arith::OrIOp::create(
        rewriter, loc, compare(arith::CmpIPredicate::eq, op.getLhs(), one),
        compare(arith::CmpIPredicate::eq, op.getLhs(), minusOne));
    Value isNegative = compare(arith::CmpIPredicate::slt, op.getRhs(), zero);
    rewriter.replaceOp(
        op, select(isNegative, select(isUnit, result, zero), result));
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
    auto compare = [&](arith::CmpFPredicate predicate, APFloat bound) -> Value {
      TypedAttr attr = FloatAttr::get(element, bound);
      if (auto shaped = dyn_cast<ShapedType>(type))
        attr = DenseElementsAttr::get(shaped, Attribute(attr));
      return arith::CmpFOp::create(
          rewriter, loc, predicate, magnitude,
          arith::ConstantOp::create(rewriter, loc, attr));
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
    set.add<ApproximatePow, Clamp, PowerOfConstant, PowerOfInteger,
            PowerOfIntegers, CompareMagnitude<math::IsInfOp>,
            CompareMagnitude<math::IsNormalOp>>(context);
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
