//===-- Powers.cpp - Powers by products -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant exponents that need few products, and integer exponents: LLVM's powi
// takes no vector of exponents and only i32, and nothing has integer powers.
//
//===----------------------------------------------------------------------===//

#include "Powers.h"
#include "LaneEmitter.h"
#include "VectorMath.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// powf(x, n) of a constant n that takes at most two products: norms have 2 and
/// -0.5, GELU has 3.
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
    if (!llvm::is_contained({-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0},
                            exponent))
      return rewriter.notifyMatchFailure(op, "expected few products");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getLhs();
    LaneEmitter e(builder, x, cast<FloatType>(getElementTypeOrSelf(x)));
    double magnitude = std::abs(exponent);
    Value result = magnitude == 0.0   ? e.constant(1.0)
                   : magnitude == 0.5 ? emitRoot(builder, e, x)
                                      : x;
    // The quotient comes first: the inverse of a product that is too large
    // would be 0, and of one too small imprecise.
    if (exponent < 0)
      result = e.divide(e.constant(1.0), result);
    Value base = result;
    if (magnitude >= 2.0)
      result = e.multiply(result, result);
    if (magnitude >= 3.0)
      result = e.multiply(result, magnitude == 3.0 ? base : result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// sqrt, but for -0, whose power is 0, and -infinity, whose is infinity.
  static Value emitRoot(ImplicitLocOpBuilder &builder, LaneEmitter &e,
                        Value x) {
    double infinity = std::numeric_limits<double>::infinity();
    Value isLowest = e.compare(arith::CmpFPredicate::OEQ, x, -infinity);
    Value positive = e.select(isLowest, e.constant(infinity), x);
    return math::SqrtOp::create(builder, e.add(positive, 0.0));
  }
};

/// fpowi(x, n) -> the power of |x|, with the sign of an x whose n is odd; of
/// few products, powf(x, n).
struct PowerOfInteger final : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs(), n = op.getRhs();
    Type type = x.getType(), element = getElementTypeOrSelf(type);
    if ((!element.isF32() && !element.isF64()) || isa<TensorType>(type))
      return rewriter.notifyMatchFailure(
          op, "expected f32, f64 or a vector of them");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    LaneEmitter e(builder, x, cast<FloatType>(element));
    APInt constant;
    if (matchPattern(n, m_ConstantInt(&constant)) && constant.isSignedIntN(8) &&
        constant.getSExtValue() >= -2 && constant.getSExtValue() <= 4) {
      rewriter.replaceOpWithNewOp<math::PowFOp>(
          op, x, e.constant(constant.getSExtValue()));
      return success();
    }

    auto [wide, isOdd] = convertExponent(builder, n);
    Value magnitude = e.absolute(x), power;
    if (element.isF64()) {
      power = math::PowFOp::create(builder, magnitude, wide);
    } else {
      power = emitPowerOfMagnitude(builder, magnitude, wide);
      LaneEmitter exponents(builder, x, builder.getF64Type());
      Value isZero = exponents.compare(arith::CmpFPredicate::OEQ, wide, 0.0);
      power = e.select(isZero, e.constant(1.0), power);
    }
    Value withSign = math::CopySignOp::create(builder, power, x);
    rewriter.replaceOp(op, e.select(isOdd, withSign, power));
    return success();
  }

private:
  /// The exponent in f64, and whether it is odd: beyond 2^53, f64 can't say.
  static std::pair<Value, Value> convertExponent(ImplicitLocOpBuilder &builder,
                                                 Value n) {
    Type like = n.getType();
    Type i64 = getTypeLike(like, builder.getI64Type());
    Type i1 = getTypeLike(like, builder.getI1Type());
    if (getElementTypeOrSelf(like).isIndex())
      n = arith::IndexCastOp::create(builder, i64, n);
    Value isOdd = n;
    unsigned width = getElementTypeOrSelf(n).getIntOrFloatBitWidth();
    if (width > 1)
      isOdd = arith::TruncIOp::create(builder, i1, n);
    if (width > 64) {
      // LLVM would call compiler-rt. Powers this high are 0, 1 or infinity.
      auto bound = [&](const APInt &value) {
        return createScalarOrSplatConstant(builder, builder.getLoc(),
                                           n.getType(), value.sext(width));
      };
      n = arith::MaxSIOp::create(builder, n,
                                 bound(APInt::getSignedMinValue(64)));
      n = arith::MinSIOp::create(builder, n,
                                 bound(APInt::getSignedMaxValue(64)));
      n = arith::TruncIOp::create(builder, i64, n);
    }
    Type f64 = getTypeLike(like, builder.getF64Type());
    return {arith::SIToFPOp::create(builder, f64, n), isOdd};
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
    if (getElementTypeOrSelf(type).isIndex()) {
      Type i64 = getTypeLike(type, rewriter.getI64Type());
      Value base = arith::IndexCastOp::create(rewriter, loc, i64, op.getLhs());
      Value exponent =
          arith::IndexCastOp::create(rewriter, loc, i64, op.getRhs());
      Value power = math::IPowIOp::create(rewriter, loc, base, exponent);
      rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, type, power);
      return success();
    }
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    auto constant = [&](const APInt &value) {
      return createScalarOrSplatConstant(rewriter, loc, type, value);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(rewriter, loc, predicate, x, y);
    };
    auto select = [&](Value condition, Value x, Value y) {
      return arith::SelectOp::create(rewriter, loc, condition, x, y);
    };
    Value zero = constant(APInt::getZero(width)),
          one = constant(APInt::getOneBitSet(width, 0)),
          minusOne = constant(APInt::getAllOnes(width));
    Value power = op.getLhs(), result = one;
    for (unsigned bit = 0; bit < width; ++bit) {
      if (bit != 0)
        power = arith::MulIOp::create(rewriter, loc, power, power);
      Value has =
          arith::AndIOp::create(rewriter, loc, op.getRhs(),
                                constant(APInt::getOneBitSet(width, bit)));
      Value product = arith::MulIOp::create(rewriter, loc, result, power);
      result =
          select(compare(arith::CmpIPredicate::ne, has, zero), product, result);
    }
    // Powers of 1 and -1 are right for a negative n, too.
    Value isOne = compare(arith::CmpIPredicate::eq, op.getLhs(), one);
    Value isMinusOne = compare(arith::CmpIPredicate::eq, op.getLhs(), minusOne);
    Value isUnit = arith::OrIOp::create(rewriter, loc, isOne, isMinusOne);
    Value isNegative = compare(arith::CmpIPredicate::slt, op.getRhs(), zero);
    rewriter.replaceOp(
        op, select(isNegative, select(isUnit, result, zero), result));
    return success();
  }
};
} // namespace

void fusion::populatePowerPatterns(RewritePatternSet &patterns) {
  patterns.add<PowerOfConstant, PowerOfInteger, PowerOfIntegers>(
      patterns.getContext());
}
