//===-- WideIntegers.cpp - Integers of more than 64 bits ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM calls compiler-rt for their conversions from and to floats and for their
// divisions, which no compiled model is linked with.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"
#include "RoundFloats.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fusion;

bool fusion::isWideInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() > 64;
}

namespace {
/// f64 has 52 bits behind the first one.
constexpr unsigned kMantissaBits = 52;
constexpr int64_t kExponentBias = 1023;

/// Arithmetic on integers of one type.
class IntegerEmitter {
public:
  IntegerEmitter(ImplicitLocOpBuilder &builder, Type type)
      : builder(builder), type(type),
        width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {}

  Value constant(int64_t value) {
    return createScalarOrSplatConstant(builder, builder.getLoc(), type, value);
  }
  Value negateIf(Value condition, Value x) {
    Value zero = constant(0);
    Value negated = arith::SubIOp::create(builder, zero, x);
    return arith::SelectOp::create(builder, condition, negated, x);
  }
  Value isNegative(Value x) {
    return compare(arith::CmpIPredicate::slt, x, constant(0));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(builder, predicate, x, y);
  }
  Value clamp(Value x, int64_t low, int64_t high) {
    x = arith::MaxSIOp::create(builder, x, constant(low));
    return arith::MinSIOp::create(builder, x, constant(high));
  }
  Value shiftLeft(Value x, Value places) {
    return arith::ShLIOp::create(builder, x, places);
  }
  Value shiftLeft(Value x, int64_t places) {
    return shiftLeft(x, constant(places));
  }
  Value shiftRight(Value x, Value places) {
    return arith::ShRUIOp::create(builder, x, places);
  }
  Value shiftRight(Value x, int64_t places) {
    return shiftRight(x, constant(places));
  }
  /// Numbers that are not negative, of a narrower type and of a wider one.
  Value extend(Value x) { return arith::ExtUIOp::create(builder, type, x); }
  Value truncate(Value x) { return arith::TruncIOp::create(builder, type, x); }

private:
  ImplicitLocOpBuilder &builder;
  Type type;

public:
  const unsigned width;
};

/// sitofp and uitofp -> the first bits of the magnitude, the last of them set
/// where there are more, times a power of two.
template <typename Op>
struct WideIntegerToFloat final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    constexpr unsigned kMaxWidth = 1024;
    Value x = op.getIn();
    Type type = op.getType(), f64 = getTypeLike(type, rewriter.getF64Type());
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    IntegerEmitter wide(builder, x.getType());
    if (!isWideInteger(x.getType()) || wide.width >= kMaxWidth ||
        getElementTypeOrSelf(type).getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "expected a wide integer");
    Type i64 = getTypeLike(type, rewriter.getI64Type());
    IntegerEmitter e(builder, i64);

    // What is rounded to odd must be exact in f64, or have two bits more.
    bool isDouble = type == f64;
    unsigned precision = isDouble ? kMantissaBits + 3 : kMantissaBits + 1;
    constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
    Value isNegative = isSigned ? wide.isNegative(x) : Value();
    Value magnitude = isSigned ? wide.negateIf(isNegative, x) : x;
    Value zeros = math::CountLeadingZerosOp::create(builder, magnitude);
    // Zero stays what it is.
    zeros = wide.clamp(zeros, 0, wide.width - 1);
    Value bits = wide.shiftLeft(magnitude, zeros);
    Value first = e.truncate(wide.shiftRight(bits, wide.width - precision));
    Value rest = wide.shiftLeft(bits, precision);
    Value isInexact =
        wide.compare(arith::CmpIPredicate::ne, rest, wide.constant(0));
    Value odd = arith::OrIOp::create(builder, first, e.extend(isInexact));
    Value number = arith::SIToFPOp::create(builder, f64, odd);

    Value highest = e.constant(wide.width - precision + kExponentBias);
    Value exponent = arith::SubIOp::create(builder, highest, e.truncate(zeros));
    Value scale = arith::BitcastOp::create(
        builder, f64, e.shiftLeft(exponent, kMantissaBits));
    Value result = arith::MulFOp::create(builder, number, scale);
    if (isSigned) {
      Value negated = arith::NegFOp::create(builder, result);
      result = arith::SelectOp::create(builder, isNegative, negated, result);
    }
    if (!isDouble)
      result = arith::TruncFOp::create(builder, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// fptosi and fptoui -> the bits of f64, shifted by its exponent.
template <typename Op>
struct FloatToWideInteger final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type type = op.getType(), f64 = getTypeLike(type, rewriter.getF64Type());
    if (!isWideInteger(type) ||
        getElementTypeOrSelf(x).getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "expected a wide integer");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    if (x.getType() != f64)
      x = arith::ExtFOp::create(builder, f64, x);
    Type i64 = getTypeLike(type, rewriter.getI64Type());
    IntegerEmitter e(builder, i64), wide(builder, type);

    Value bits = arith::BitcastOp::create(builder, i64, x);
    Value isNegative = e.isNegative(bits);
    Value exponent = e.shiftRight(e.shiftLeft(bits, 1), kMantissaBits + 1);
    Value mantissa =
        e.shiftRight(e.shiftLeft(bits, 64 - kMantissaBits), 64 - kMantissaBits);
    mantissa = arith::OrIOp::create(builder, mantissa,
                                    e.constant(int64_t(1) << kMantissaBits));
    // Numbers below one have no bits left.
    Value places = arith::SubIOp::create(
        builder, exponent, e.constant(kExponentBias + kMantissaBits));
    Value missing = arith::SubIOp::create(builder, e.constant(0), places);
    Value whole = e.shiftRight(mantissa, e.clamp(missing, 0, 63));
    Value left = wide.extend(e.clamp(places, 0, wide.width - 1));
    Value magnitude = wide.shiftLeft(wide.extend(whole), left);
    rewriter.replaceOp(op, wide.negateIf(isNegative, magnitude));
    return success();
  }
};
/// Quotients and remainders -> a loop over the bits of the quotient.
template <typename Op>
struct WideDivision final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isSigned = std::is_same_v<Op, arith::DivSIOp> ||
                              std::is_same_v<Op, arith::RemSIOp>;
    constexpr bool isRemainder = std::is_same_v<Op, arith::RemSIOp> ||
                                 std::is_same_v<Op, arith::RemUIOp>;
    if (!isWideInteger(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected a wide integer");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    IntegerEmitter e(builder, op.getType());
    Value dividend = op.getLhs(), divisor = op.getRhs(), isNegative;
    if (isSigned) {
      isNegative = e.isNegative(dividend);
      Value isInverse = e.isNegative(divisor);
      dividend = e.negateIf(isNegative, dividend);
      divisor = e.negateIf(isInverse, divisor);
      if (!isRemainder)
        isNegative = arith::XOrIOp::create(builder, isNegative, isInverse);
    }
    auto [quotient, remainder] = divide(builder, dividend, divisor);
    Value result = isRemainder ? remainder : quotient;
    rewriter.replaceOp(op, isSigned ? e.negateIf(isNegative, result) : result);
    return success();
  }

private:
  static std::pair<Value, Value> divide(ImplicitLocOpBuilder &builder,
                                        Value dividend, Value divisor) {
    Type type = dividend.getType();
    IntegerEmitter outer(builder, type);
    Value first = arith::ConstantIndexOp::create(builder, 0);
    Value end = arith::ConstantIndexOp::create(builder, outer.width);
    Value step = arith::ConstantIndexOp::create(builder, 1);
    Value none = outer.constant(0);
    auto loop = scf::ForOp::create(
        builder, first, end, step, ValueRange{dividend, none},
        [&](OpBuilder &nested, Location loc, Value, ValueRange carried) {
          ImplicitLocOpBuilder inner(loc, nested);
          IntegerEmitter e(inner, type);
          // Bits of the dividend leave, those of the quotient follow them.
          Value bits = carried[0], rest = carried[1];
          Value leaving = e.shiftRight(bits, e.width - 1);
          Value exceeds = e.isNegative(rest);
          rest = e.shiftLeft(rest, 1);
          rest = arith::OrIOp::create(inner, rest, leaving);
          Value reaches = e.compare(arith::CmpIPredicate::uge, rest, divisor);
          reaches = arith::OrIOp::create(inner, exceeds, reaches);
          Value less = arith::SubIOp::create(inner, rest, divisor);
          rest = arith::SelectOp::create(inner, reaches, less, rest);
          bits = e.shiftLeft(bits, 1);
          bits = arith::OrIOp::create(inner, bits, e.extend(reaches));
          scf::YieldOp::create(inner, ValueRange{bits, rest});
        });
    return {loop.getResult(0), loop.getResult(1)};
  }
};
} // namespace

void fusion::populateWideIntegerPatterns(RewritePatternSet &patterns) {
  // Made of the divisions below.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  patterns.add<
      WideIntegerToFloat<arith::SIToFPOp>, WideIntegerToFloat<arith::UIToFPOp>,
      FloatToWideInteger<arith::FPToSIOp>, FloatToWideInteger<arith::FPToUIOp>,
      WideDivision<arith::DivSIOp>, WideDivision<arith::DivUIOp>,
      WideDivision<arith::RemSIOp>, WideDivision<arith::RemUIOp>>(
      patterns.getContext());
}
