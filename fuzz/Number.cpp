//===-- Number.cpp - A scalar with what it may be off by ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, sums and products.
//
//===----------------------------------------------------------------------===//

#include "ScalarOp.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Numbers and types
//===----------------------------------------------------------------------===//

Number Number::ofFloat(double value) {
  Number number;
  number.value = value;
  number.magnitude = std::isfinite(value) ? std::fabs(value) : 0;
  return number;
}

Number Number::ofInt(int64_t value, double error) {
  Number number;
  number.integer = value;
  number.error = error;
  return number;
}

Number Number::anything() {
  Number number;
  number.error = kAnything;
  return number;
}

NumberType::NumberType(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    isFloat = true;
    width = floatType.getWidth();
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    unit = std::ldexp(1.0, -int(llvm::APFloat::semanticsPrecision(semantics)));
    auto toDouble = [](llvm::APFloat number) {
      bool losesInfo;
      number.convert(llvm::APFloat::IEEEdouble(),
                     llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      return number.convertToDouble();
    };
    largest = toDouble(llvm::APFloat::getLargest(semantics));
    smallest = toDouble(llvm::APFloat::getSmallest(semantics));
    return;
  }
  width = type.isIntOrIndex() && !type.isIndex() ? type.getIntOrFloatBitWidth()
                                                 : 64;
}

double NumberType::round(double value) const {
  if (width == 64 || !std::isfinite(value))
    return value;
  if (width == 32)
    return float(value);
  // One step of this type at the value's exponent.
  int exponent;
  std::frexp(value, &exponent);
  double step = std::max(std::ldexp(2 * unit, exponent - 1), smallest);
  double rounded = std::nearbyint(value / step) * step;
  return std::fabs(rounded) > largest
             ? std::copysign(std::numeric_limits<double>::infinity(), rounded)
             : std::copysign(rounded, value);
}

int64_t NumberType::wrap(int64_t value) const {
  if (width >= 64)
    return value;
  return int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

double NumberType::getBound(const Number &number) const {
  if (!isFloat || number.error == kAnything)
    return number.error;
  // Twice: the reference of f64 rounds, too.
  double bound = number.error + 2 * number.depth * unit * number.magnitude;
  return std::isnan(bound) ? kAnything : bound;
}

Number fuzz::checkRange(Number number, const NumberType &type) {
  if (number.error == kAnything)
    return Number::anything();
  // An infinity's own magnitude is 0: what is here comes from finite terms.
  if (!std::isfinite(number.value))
    number.error = 0;
  if (!(number.magnitude + number.error < type.largest))
    return Number::anything();
  return number;
}

Number fuzz::settle(Number number, const NumberType &type) {
  if (!std::isfinite(number.value))
    return checkRange(number, type);
  number.error = type.getBound(number);
  number.magnitude = std::fabs(number.value) + number.error;
  number.depth = 0;
  return checkRange(number, type);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

Number fuzz::add(const Number &a, const Number &b, const NumberType &type) {
  Number sum;
  sum.value = a.value + b.value;
  sum.error = a.error + b.error;
  sum.magnitude = a.magnitude + b.magnitude;
  sum.depth = std::max(a.depth, b.depth) + 1;
  if (!std::isfinite(sum.value) && std::isfinite(a.value) &&
      std::isfinite(b.value))
    return Number::anything();
  return checkRange(sum, type);
}

Number fuzz::negate(Number a) {
  a.value = -a.value;
  return a;
}

Number fuzz::multiply(const Number &a, const Number &b,
                      const NumberType &type) {
  // Infinity times what may be zero.
  auto isUnclear = [](const Number &infinite, const Number &other) {
    return std::isinf(infinite.value) && other.error > 0 &&
           std::fabs(other.value) <= other.error;
  };
  if (isUnclear(a, b) || isUnclear(b, a))
    return Number::anything();
  if ((a.isGap && !std::isfinite(b.value)) ||
      (b.isGap && !std::isfinite(a.value)))
    return Number::anything();
  Number product;
  product.value = a.value * b.value;
  product.magnitude = a.magnitude * b.magnitude;
  product.error = a.error * b.magnitude + b.error * a.magnitude +
                  a.error * b.error +
                  type.smallest * (1 + a.magnitude + b.magnitude);
  product.depth = a.depth + b.depth + 1;
  if (a.error == kAnything || b.error == kAnything)
    return Number::anything();
  // What a right result may have made of an overflow.
  if (!std::isfinite(product.value) && std::isfinite(a.value) &&
      std::isfinite(b.value))
    return Number::anything();
  return checkRange(product, type);
}

Number fuzz::divide(const Number &a, Number b, const NumberType &type) {
  b = settle(b, type);
  double size = std::fabs(b.value);
  // The sign of a zero is not followed.
  if (b.error == kAnything || std::isnan(b.value) || size <= b.error)
    return std::isnan(b.value) && b.error != kAnything ? b : Number::anything();
  Number quotient = Number::ofFloat(1 / b.value);
  // Not by the product, which may overflow.
  quotient.error = std::isinf(size) ? 0 : b.error / size / (size - b.error);
  quotient.magnitude += quotient.error;
  quotient.depth = 2;
  // A reciprocal may underflow or overflow where the quotient does not.
  if (!std::isinf(size) && std::fabs(quotient.value) > type.largest)
    return Number::anything();
  if (std::isinf(a.value) && std::isinf(b.value))
    return checkRange(Number::ofFloat(std::nan("")), type);
  return multiply(a, quotient, type);
}
