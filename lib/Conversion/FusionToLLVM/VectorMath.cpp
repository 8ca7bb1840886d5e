//===-- VectorMath.cpp - exp, log, tanh, erf in arithmetic ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of the argument are those of Cephes (S. Moshier); unless a comment
// names another source, polynomials are minimax fits of our own (linear
// programs over Chebyshev nodes, coefficients rounded to f32 one by one).
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"
#include "LaneEmitter.h"

using namespace mlir;
using namespace mlir::fusion;

using arith::CmpFPredicate;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
/// log(2) in two parts, of which the first has so few bits that its products
/// with exponents are exact (Cephes).
constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;
constexpr float kLog2E = 0x1.715476p0f;
/// Added to a small float, this leaves it rounded to an integer, in the low
/// bits of the sum.
constexpr float kToInteger = 0x1.8p23f;

//===-- Exponentials ------------------------------------------------------===//

/// x = n log(2) + r, with the integer n in the low bits of `integer`.
struct Reduced {
  Value integer, r;
};
} // namespace

static Reduced reduceByLog2(LaneEmitter &e, Value x) {
  Value shifted = e.fma(x, kLog2E, kToInteger);
  Value n = e.add(shifted, -kToInteger);
  Value r = e.fma(n, -kLog2High, x);
  return {e.bits(shifted), e.fma(n, -kLog2Low, r)};
}

/// x 2^n for n from -151 to 129: by two factors, since one would not reach the
/// denormals and infinity. The shift to the exponent drops what is above n.
static Value scale(LaneEmitter &e, Value x, Value n) {
  Value half = e.shiftRight(n, 1);
  for (Value part : {half, e.subtractBits(n, half)}) {
    Value power = e.addBits(e.toExponent(part), e.integer(0x3f800000));
    x = e.multiply(x, e.fromBits(power));
  }
  return x;
}

Value fusion::emitExp(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  // Beyond, results are 0 and infinity.
  auto [n, r] = reduceByLog2(e, e.clamp(x, -104.0f, 89.0f));
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: off by 0.05 ulp of exp(r).
  Value q = e.polynomial(r, {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558aap-5f,
                             0x1.12396cp-7f, 0x1.6a5232p-10f});
  Value power = e.add(e.fma(q, e.multiply(r, r), r), 1.0f);
  return scale(e, power, n);
}

Value fusion::emitExp2(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  x = e.clamp(x, -151.0f, 129.0f);
  Value shifted = e.add(x, kToInteger);
  Value r = e.subtract(x, e.add(shifted, -kToInteger));
  // 2^r for |r| <= 0.5: off by 0.05 ulp.
  Value power =
      e.polynomial(r, {1.0f, 0x1.62e430p-1f, 0x1.ebfbdcp-3f, 0x1.c6af7cp-5f,
                       0x1.3b2de0p-7f, 0x1.5f0838p-10f, 0x1.416b7ep-13f});
  return scale(e, power, e.bits(shifted));
}

Value fusion::emitExpM1(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  auto [n, r] = reduceByLog2(e, e.clamp(x, -25.0f, 89.0f));
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: off by 0.01 ulp of expm1(r).
  Value q = e.polynomial(r, {0.5f, 0x1.555554p-3f, 0x1.5554f8p-5f,
                             0x1.1112dcp-7f, 0x1.6d3a40p-10f, 0x1.9e6914p-13f});
  Value small = e.fma(q, e.multiply(r, r), r);
  // expm1(x) = 2 (small 2^(n-1) + 2^(n-1) - 0.5): 2^n alone may be too large.
  Value power = e.fromBits(e.addBits(e.toExponent(n), e.integer(0x3f000000)));
  Value half = e.fma(small, power, e.add(power, -0.5f));
  return e.select(e.isTiny(x), x, e.add(half, half));
}

//===-- Logarithms --------------------------------------------------------===//

/// The exponent n for which x 2^-n is nearest to 1: between sqrt(0.5) and
/// sqrt(2). `bits` are those of a positive normal x.
static Value getExponent(LaneEmitter &e, Value bits) {
  return e.shiftRight(e.subtractBits(bits, e.integer(0x3f3504f3)), 23);
}

/// Splits a positive x into 2^n (1 + f); n is a float.
static std::pair<Value, Value> splitPower(LaneEmitter &e, Value x) {
  Value isDenormal = e.compare(CmpFPredicate::OLT, x, 0x1p-126f);
  Value normal = e.select(isDenormal, e.multiply(x, 0x1p23f), x);
  Value correction = e.select(isDenormal, e.constant(-23.0f), e.constant(0.0f));
  Value bits = e.bits(normal);
  Value n = getExponent(e, bits);
  Value near1 = e.fromBits(e.subtractBits(bits, e.toExponent(n)));
  return {e.add(e.toFloat(n), correction), e.add(near1, -1.0f)};
}

/// (log(1 + f) - f + f^2 / 2) / f^2 for 1 + f from sqrt(0.5) to sqrt(2): off by
/// 0.1 ulp of log(1 + f).
static Value emitLogTail(LaneEmitter &e, Value f) {
  Value p = e.polynomial(f, {0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a01ap-3f,
                             -0x1.547282p-3f, 0x1.22d954p-3f, -0x1.0d82e2p-3f,
                             0x1.055e4ap-3f, -0x1.38c522p-4f});
  return e.multiply(p, f);
}

/// n log(2) + log(1 + f), summed from the smallest part on.
static Value emitLogOfParts(LaneEmitter &e, Value n, Value f) {
  Value square = e.multiply(f, f);
  Value sum = e.fma(emitLogTail(e, f), square, e.multiply(n, kLog2Low));
  sum = e.fma(square, -0.5f, sum);
  return e.fma(n, kLog2High, e.add(f, sum));
}

/// `result` where x is positive and finite; else what each logarithm gives.
static Value selectLogOfSpecials(LaneEmitter &e, Value x, Value result) {
  result = e.select(e.compare(CmpFPredicate::OLT, x, kInfinity), result, x);
  result = e.select(e.compare(CmpFPredicate::OLT, x, 0.0f), e.constant(kNaN),
                    result);
  return e.select(e.compare(CmpFPredicate::OEQ, x, 0.0f),
                  e.constant(-kInfinity), result);
}

Value fusion::emitLog(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  auto [n, f] = splitPower(e, x);
  return selectLogOfSpecials(e, x, emitLogOfParts(e, n, f));
}

/// n log_b(2) + log(1 + f) log_b(e), both factors given in two parts: the first
/// so short that its products are exact.
static Value emitLogOfBase(ImplicitLocOpBuilder &builder, Value x,
                           float ofTwoHigh, float ofTwoLow, float ofEHigh,
                           float ofELow) {
  LaneEmitter e(builder, x);
  auto [n, f] = splitPower(e, x);
  Value square = e.multiply(f, f);
  Value rest = e.fma(square, -0.5f, e.multiply(emitLogTail(e, f), square));
  Value sum = e.multiply(rest, ofELow);
  sum = e.fma(f, ofELow, sum);
  if (ofTwoLow != 0.0f)
    sum = e.fma(n, ofTwoLow, sum);
  sum = e.fma(rest, ofEHigh, sum);
  sum = e.fma(f, ofEHigh, sum);
  return selectLogOfSpecials(e, x, e.fma(n, ofTwoHigh, sum));
}

Value fusion::emitLog2(ImplicitLocOpBuilder &builder, Value x) {
  return emitLogOfBase(builder, x, 1.0f, 0.0f, 1.0f, 0.44269504088896341f);
}

Value fusion::emitLog10(ImplicitLocOpBuilder &builder, Value x) {
  // The parts are Cephes's.
  return emitLogOfBase(builder, x, 3.0078125e-1f, 2.48745663981195213739e-4f,
                       4.3359375e-1f, 7.00731903251827651129e-4f);
}

Value fusion::emitLog1p(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  Value sum = e.add(x, 1.0f);
  Value n = getExponent(e, e.bits(sum));
  // f = (1 + x) 2^-n - 1 from x itself, rounded once. A quarter of x goes with
  // 2^(2-n), which is normal for all n.
  Value power =
      e.fromBits(e.subtractBits(e.integer(0x40800000), e.toExponent(n)));
  Value f = e.fma(e.multiply(x, 0.25f), power, e.fma(power, 0.25f, -1.0f));
  Value result =
      selectLogOfSpecials(e, sum, emitLogOfParts(e, e.toFloat(n), f));
  return e.select(e.isTiny(x), x, result);
}

//===-- Powers ------------------------------------------------------------===//

Value fusion::emitPowerOfMagnitude(ImplicitLocOpBuilder &builder, Value x,
                                   Value y) {
  LaneEmitter e(builder, x), wide(builder, x, builder.getF64Type());
  auto [n, f] = splitPower(e, x);
  // log2(1 + f) by s = f / (2 + f); off by 2^-37.
  Value f64 = wide.widen(f);
  Value s = wide.divide(f64, wide.add(f64, 2.0));
  Value p = wide.polynomial(wide.multiply(s, s),
                            {0x1.71547652bee04p+1, 0x1.ec709d12bc856p-1,
                             0x1.27777ff7afdf8p-1, 0x1.a58d813e1fc68p-2,
                             0x1.5ce8e74d69c5fp-2});
  Value log = wide.fma(s, p, wide.widen(n));
  log = wide.select(e.compare(CmpFPredicate::OLT, x, kInfinity), log,
                    wide.widen(x));
  log = wide.select(e.compare(CmpFPredicate::OEQ, x, 0.0),
                    wide.constant(-kInfinity), log);

  // Beyond, results are 0 and infinity.
  Value product = wide.clamp(wide.multiply(y, log), -200.0, 200.0);
  constexpr double toInteger = 0x1.8p52;
  Value shifted = wide.add(product, toInteger);
  Value r = wide.subtract(product, wide.add(shifted, -toInteger));
  // 2^r for |r| <= 0.5: off by 2^-34.
  Value power = wide.polynomial(
      r, {0x1.ffffffffabbcbp-1, 0x1.62e42ff116286p-1, 0x1.ebfbe0a4be913p-3,
          0x1.c6b08aaf2ecc5p-5, 0x1.3b29dc40c927fp-7, 0x1.5d8a7087f35b7p-10,
          0x1.446a1fe67200fp-13, 0x1.fe1784e212acep-17});
  Value scale =
      wide.fromBits(wide.addBits(wide.shiftLeft(wide.bits(shifted), 52),
                                 wide.integer(0x3ff0000000000000)));
  return e.narrow(wide.multiply(power, scale));
}

Value fusion::emitPow(ImplicitLocOpBuilder &builder, Value x, Value y) {
  LaneEmitter e(builder, x), wide(builder, x, builder.getF64Type());
  Value magnitude = e.absolute(x);
  Value result = emitPowerOfMagnitude(builder, magnitude, wide.widen(y));
  // Of a negative x, odd powers are negative and broken ones are none.
  Value half = e.multiply(y, 0.5);
  Value isWhole = e.compare(CmpFPredicate::OEQ, e.floor(y), y);
  Value isOdd =
      e.both(isWhole, e.compare(CmpFPredicate::UNE, e.floor(half), half));
  Value negated = e.fromBits(e.addBits(e.bits(result), e.integer(0x80000000)));
  result = e.select(e.both(e.isNegative(x), isOdd), negated, result);
  Value isNegative = e.both(e.compare(CmpFPredicate::OLT, x, 0.0),
                            e.compare(CmpFPredicate::OGT, x, -kInfinity));
  Value isNone =
      e.both(isNegative, e.compare(CmpFPredicate::UNE, e.floor(y), y));
  result = e.select(isNone, e.constant(kNaN), result);
  // 1 even where the other one is NaN.
  Value isOne = e.either(e.compare(CmpFPredicate::OEQ, y, 0.0),
                         e.compare(CmpFPredicate::OEQ, x, 1.0));
  Value isRootOfOne =
      e.both(e.compare(CmpFPredicate::OEQ, magnitude, 1.0),
             e.compare(CmpFPredicate::OEQ, e.absolute(y), kInfinity));
  return e.select(e.either(isOne, isRootOfOne), e.constant(1.0), result);
}

//===-- Sigmoid curves ----------------------------------------------------===//

/// An odd function from -1 to 1 that is flat at both ends. Where it is
/// 2 t / (1 + t^2), an error of t = p / q fades as t comes near 1: polynomials
/// of low degree do. Beyond `limit` the result is 1. The first coefficient of
/// `p` is 1.
static Value emitCurve(LaneEmitter &e, Value x, float limit, ArrayRef<double> p,
                       ArrayRef<double> q) {
  x = e.clamp(x, -limit, limit);
  Value square = e.multiply(x, x);
  Value tail = e.multiply(e.polynomial(square, p.drop_front()), square);
  Value numerator = e.fma(tail, x, x);
  Value denominator = e.polynomial(square, q);
  Value t = e.divide(numerator, denominator);
  return e.divide(e.add(numerator, numerator),
                  e.fma(numerator, t, denominator));
}

Value fusion::emitTanh(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  // t = tanh(x / 2).
  return emitCurve(e, x, 9.0f,
                   {1.0f, 0x1.03a1e4p-5f, 0x1.5a1c68p-13f, 0x1.955016p-24f},
                   {2.0f, 0x1.d72648p-3f, 0x1.738714p-9f, 0x1.84f14ep-18f});
}

Value fusion::emitErf(ImplicitLocOpBuilder &builder, Value x) {
  LaneEmitter e(builder, x);
  // t = erf(x) / (1 + sqrt(1 - erf(x)^2)).
  return emitCurve(
      e, x, 4.0f,
      {1.0f, 0x1.a353fep-3f, 0x1.7e69bap-6f, 0x1.7864d6p-10f, -0x1.628d12p-19f},
      {0x1.c5bf8ap0f, 0x1.8ee340p-2f, 0x1.3325c6p-4f, 0x1.e9931ap-8f,
       0x1.830904p-14f});
}
