//===-- RoundFloats.cpp - Conversions of floats that round once -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is rounded to odd (inexact: the neighbour whose last bit is set) and
// then to a type of at least two bits less is as if it were rounded once.
//
//===----------------------------------------------------------------------===//

#include "RoundFloats.h"
#include "LaneEmitter.h"

using namespace mlir;
using namespace mlir::fusion;

using arith::CmpFPredicate;

bool fusion::isSmallFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

namespace {
/// extf of 16 bits to f64 -> extf to f32, extf to f64.
struct ExtendInSteps final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getIn().getType()) ||
        !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "expected 16 bits to f64");
    Type single = getTypeLike(op.getType(), rewriter.getF32Type());
    Value extended =
        arith::ExtFOp::create(rewriter, op.getLoc(), single, op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), extended);
    return success();
  }
};

/// truncf of f64 to 16 bits -> truncf to f32, rounded to odd, truncf to 16
/// bits.
struct TruncateInSteps final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isF64() || !isSmallFloat(op.getType()) ||
        op.getRoundingmodeAttr())
      return rewriter.notifyMatchFailure(op, "expected f64 to 16 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    LaneEmitter e(builder, x), wide(builder, x, builder.getF64Type());
    Value nearest = e.narrow(x);
    Value back = wide.widen(nearest);
    // Rounded away from zero: one step back. Rounded at all: the last bit is
    // set. Infinity steps back to the largest number, which is odd.
    Value tooLarge =
        e.compare(CmpFPredicate::OGT, e.absolute(back), e.absolute(x));
    Value bits = e.bits(nearest), one = e.integer(1);
    Value truncated = e.select(tooLarge, e.subtractBits(bits, one), bits);
    Value isInexact = e.compare(CmpFPredicate::ONE, back, x);
    Value odd = e.select(isInexact, e.either(truncated, one), bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 e.fromBits(odd));
    return success();
  }
};

/// truncf with a rounding mode (LLVM would take it for a promise about the
/// CPU's state) -> truncf to the nearest, and a step to the neighbour where the
/// mode wants that.
struct RoundByMode final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<arith::RoundingMode> mode = op.getRoundingmode();
    if (!mode)
      return rewriter.notifyMatchFailure(op, "expected a rounding mode");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getIn();
    auto typeOf = [](Value value) {
      return cast<FloatType>(getElementTypeOrSelf(value));
    };
    LaneEmitter wide(builder, x, typeOf(x)),
        e(builder, x, typeOf(op.getResult()));
    Value nearest = e.narrow(x);
    Value bits = e.bits(nearest), back = wide.widen(nearest);
    Value one = e.integer(1);
    Value farther = e.addBits(bits, one), nearer = e.subtractBits(bits, one);
    Value magnitude = wide.absolute(x), reached = wide.absolute(back);
    auto towards = [&](CmpFPredicate isBeyond, bool negativeIsFarther) {
      Value isNegative = wide.isNegative(x);
      Value step = negativeIsFarther ? e.select(isNegative, farther, nearer)
                                     : e.select(isNegative, nearer, farther);
      return e.select(wide.compare(isBeyond, back, x), step, bits);
    };
    switch (*mode) {
    case arith::RoundingMode::to_nearest_even:
      break;
    case arith::RoundingMode::downward:
      bits = towards(CmpFPredicate::OGT, /*negativeIsFarther=*/true);
      break;
    case arith::RoundingMode::upward:
      bits = towards(CmpFPredicate::OLT, /*negativeIsFarther=*/false);
      break;
    case arith::RoundingMode::toward_zero:
      bits = e.select(wide.compare(CmpFPredicate::OGT, reached, magnitude),
                      nearer, bits);
      break;
    case arith::RoundingMode::to_nearest_away: {
      Value next = wide.absolute(wide.widen(e.fromBits(farther)));
      // A tie that went to the nearer one. (Beyond infinity is NaN.)
      Value isTie = wide.both(
          wide.compare(CmpFPredicate::OLT, reached, magnitude),
          wide.compare(CmpFPredicate::OEQ, wide.subtract(magnitude, reached),
                       wide.subtract(next, magnitude)));
      bits = e.select(isTie, farther, bits);
      break;
    }
    }
    rewriter.replaceOp(op, e.fromBits(bits));
    return success();
  }
};

/// An integer of more bits than f32 has -> bf16, by f64; one of more bits than
/// f64 has is rounded to odd first. (f16 is infinite long before f32 rounds.)
template <typename Op>
struct ConvertByF64 final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    if (!getElementTypeOrSelf(op.getType()).isBF16() || width <= 24 ||
        width > 64)
      return rewriter.notifyMatchFailure(op, "expected a wide integer");
    Location loc = op.getLoc();
    constexpr unsigned precision = 53;
    if (width > precision)
      x = roundToOdd(rewriter, loc, x, width, precision);
    Value wide = Op::create(
        rewriter, loc, getTypeLike(op.getType(), rewriter.getF64Type()), x);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }

private:
  /// `x` without its last width - precision bits, unless it needs no more than
  /// `precision` bits.
  static Value roundToOdd(OpBuilder &builder, Location loc, Value x,
                          unsigned width, unsigned precision) {
    auto constant = [&](const APInt &value) {
      return createScalarOrSplatConstant(builder, loc, x.getType(), value);
    };
    Value low = constant(APInt::getLowBitsSet(width, width - precision));
    Value high = constant(APInt::getHighBitsSet(width, precision));
    // Carries into the last bit that stays, from whatever is dropped.
    Value sticky = arith::AddIOp::create(
        builder, loc, arith::AndIOp::create(builder, loc, x, low), low);
    Value odd = arith::AndIOp::create(
        builder, loc, arith::OrIOp::create(builder, loc, x, sticky), high);
    Value distance = x, limit = constant(APInt::getOneBitSet(width, precision));
    if (std::is_same_v<Op, arith::SIToFPOp>) {
      Value half = constant(APInt::getOneBitSet(width, precision - 1));
      distance = arith::AddIOp::create(builder, loc, x, half);
    }
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       distance, limit);
    return arith::SelectOp::create(builder, loc, fits, x, odd);
  }
};

/// fma of 16 bits -> the product in f64, which is exact, plus the summand,
/// rounded to odd. In f32 the sum could be rounded to a tie.
struct FmaByF64 final : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected 16 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    LaneEmitter e(builder, op.getA(), builder.getF64Type());
    Value product = e.multiply(e.widen(op.getA()), e.widen(op.getB()));
    Value summand = e.widen(op.getC());
    Value sum = e.add(product, summand);
    // What the sum lacks, exactly (Knuth).
    Value part = e.subtract(sum, product);
    Value error = e.add(e.subtract(product, e.subtract(sum, part)),
                        e.subtract(summand, part));
    // Even and inexact: one step towards the exact sum.
    Value bits = e.bits(sum), one = e.integer(1);
    Value isOdd = e.compareBits(arith::CmpIPredicate::ne, e.both(bits, one),
                                e.integer(0));
    Value isFarther = e.compare(
        CmpFPredicate::OGT, e.multiply(error, copySign(builder, e, sum)), 0.0);
    Value step =
        e.select(isFarther, e.addBits(bits, one), e.subtractBits(bits, one));
    Value isInexact = e.compare(CmpFPredicate::ONE, error, 0.0);
    Value odd = e.select(isInexact, e.select(isOdd, bits, step), bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 e.fromBits(odd));
    return success();
  }

private:
  static Value copySign(ImplicitLocOpBuilder &builder, LaneEmitter &e,
                        Value x) {
    return math::CopySignOp::create(builder, e.constant(1.0), x);
  }
};

/// extf of f16 to f32 -> integer arithmetic.
struct ExtendHalf final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f16 to f32");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    LaneEmitter half(builder, x, builder.getF16Type()), e(builder, x);
    Value bits =
        arith::ExtUIOp::create(builder, e.integer(0).getType(), half.bits(x));
    Value sign = e.shiftLeft(e.both(bits, e.integer(0x8000)), 16);
    Value magnitude = e.shiftLeft(e.both(bits, e.integer(0x7fff)), 13);
    // The exponents' biases are 15 and 127; infinity has the largest exponent.
    Value bias = e.integer((127 - 15) << 23);
    Value normal = e.addBits(magnitude, bias);
    Value special = e.addBits(normal, bias);
    // A denormal counts in units of the last place of 2^-14.
    Value isDenormal = e.compareBits(arith::CmpIPredicate::slt, magnitude,
                                     e.integer(0x400 << 13));
    Value isSpecial = e.compareBits(arith::CmpIPredicate::sge, magnitude,
                                    e.integer(0x7c00 << 13));
    Value smallest = e.constant(0x1p-14);
    Value denormal = e.bits(e.subtract(
        e.fromBits(e.addBits(magnitude, e.bits(smallest))), smallest));
    Value result =
        e.select(isDenormal, denormal, e.select(isSpecial, special, normal));
    rewriter.replaceOp(op, e.fromBits(e.either(result, sign)));
    return success();
  }
};

/// truncf of f32 to f16 -> integer arithmetic.
struct TruncateToHalf final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x).isF32() ||
        !getElementTypeOrSelf(op.getType()).isF16() || op.getRoundingmodeAttr())
      return rewriter.notifyMatchFailure(op, "expected f32 to f16");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    LaneEmitter half(builder, x, builder.getF16Type()), e(builder, x);
    Value bits = e.bits(x);
    Value magnitude = e.both(bits, e.integer(0x7fffffff));
    Value sign = e.shiftRightUnsigned(e.both(bits, e.integer(0x80000000)), 16);
    // Ties go to the even one; a carry may reach the exponent, and infinity.
    Value lastBit = e.both(e.shiftRightUnsigned(magnitude, 13), e.integer(1));
    Value rounded = e.addBits(
        e.subtractBits(magnitude, e.integer(((127 - 15) << 23) - 0xfff)),
        lastBit);
    Value infinity = e.integer(0x7c00);
    Value normal =
        arith::MinSIOp::create(builder, e.shiftRight(rounded, 13), infinity);
    // The last place of 0.5 is what denormals count in: this sum rounds.
    Value half1 = e.constant(0.5);
    Value denormal = e.subtractBits(e.bits(e.add(e.fromBits(magnitude), half1)),
                                    e.bits(half1));
    Value isDenormal = e.compareBits(arith::CmpIPredicate::slt, magnitude,
                                     e.integer((127 - 14) << 23));
    Value isNaN = e.compare(CmpFPredicate::UNO, x, x);
    Value result = e.select(isDenormal, denormal, normal);
    result = e.select(isNaN, e.integer(0x7e00), result);
    Value narrow = arith::TruncIOp::create(builder, half.integer(0).getType(),
                                           e.either(result, sign));
    rewriter.replaceOp(op, half.fromBits(narrow));
    return success();
  }
};
} // namespace

void fusion::populateRoundOncePatterns(RewritePatternSet &patterns) {
  patterns.add<ExtendInSteps, TruncateInSteps, RoundByMode, FmaByF64,
               ConvertByF64<arith::SIToFPOp>, ConvertByF64<arith::UIToFPOp>>(
      patterns.getContext());
}

void fusion::populateExpandHalfPatterns(RewritePatternSet &patterns) {
  patterns.add<ExtendHalf, TruncateToHalf>(patterns.getContext());
}
