//===-- NumberRounded.cpp - Numbers as hardware rounds them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of rules that claim to be exact: every op is rounded to its
// type, special values included. What has no defined result, such as an
// integer divided by zero, may be anything. A sum or quotient of f32 that is
// rounded to f64 first is the same: f64 has more than twice the digits.
//
//===----------------------------------------------------------------------===//

#include "ScalarOp.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// The larger or smaller of two, of which 0 is larger than -0.
static double pick(double a, double b, bool isMax, bool propagatesNaN) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) == propagatesNaN ? a : b;
  bool takesA = a == b ? std::signbit(b) == isMax : (a > b) == isMax;
  return takesA ? a : b;
}

double ScalarOp::roundFloat(ArrayRef<Number> operands) const {
  double a = operands[0].value, b = operands[1].value;
  switch (code) {
  case Code::AddF:
    return a + b;
  case Code::SubF:
    return a - b;
  case Code::MulF:
    return a * b;
  case Code::DivF:
    return a / b;
  case Code::RemF:
    return std::fmod(a, b);
  case Code::NegF:
    return -a;
  case Code::FMA:
    return to.width == 32
               ? std::fma(float(a), float(b), float(operands[2].value))
               : std::fma(a, b, operands[2].value);
  case Code::Maximum:
  case Code::Minimum:
    return pick(a, b, code == Code::Maximum, /*propagatesNaN=*/true);
  case Code::MaxNum:
  case Code::MinNum:
    return pick(a, b, code == Code::MaxNum, /*propagatesNaN=*/false);
  case Code::CopySign:
    return std::copysign(a, b);
  case Code::Pow:
    return std::pow(a, b);
  case Code::ExtF:
  case Code::TruncF:
    return a;
  case Code::SIToFP:
    return double(operands[0].integer);
  case Code::UIToFP: {
    uint64_t bits = uint64_t(operands[0].integer);
    return double(from.width >= 64 ? bits
                                   : bits & ((uint64_t(1) << from.width) - 1));
  }
  default:
    return call(a);
  }
}

Number ScalarOp::evaluateRounded(ArrayRef<Number> operands) const {
  auto isAnything = [](const Number &number) { return number.error > 0; };
  if (code == Code::Select) {
    if (isAnything(operands[0]))
      return Number::anything();
    return operands[0].integer != 0 ? operands[1] : operands[2];
  }
  bool isBoolean = to.width == 1 && (code == Code::And || code == Code::Or);
  if (!isBoolean && llvm::any_of(operands, isAnything))
    return Number::anything();
  // A gap in an image is multiplied by some forms and left out by others.
  auto isGap = [](const Number &zero, const Number &other) {
    return zero.isGap && !std::isfinite(other.value);
  };
  if (code == Code::MulF &&
      (isGap(operands[0], operands[1]) || isGap(operands[1], operands[0])))
    return Number::anything();
  if (code < Code::CmpF || (to.isFloat && code < Code::AddI))
    return Number::ofFloat(to.round(roundFloat(operands)));
  double a = operands[0].value, b = operands[1].value;
  switch (code) {
  case Code::CmpF: {
    std::optional<int> order;
    if (!std::isnan(a) && !std::isnan(b))
      order = (a > b) - (a < b);
    return Number::ofInt(holds(arith::CmpFPredicate(predicate), order) ? -1
                                                                       : 0);
  }
  case Code::FPToSI:
  case Code::FPToUI: {
    bool isSigned = code == Code::FPToSI;
    double value = std::trunc(a);
    double low = isSigned ? -std::ldexp(1.0, int(to.width) - 1) : 0;
    double high = std::ldexp(1.0, int(to.width) - (isSigned ? 1 : 0));
    if (!(value >= low && value < high))
      return Number::anything();
    return Number::ofInt(
        to.wrap(isSigned ? int64_t(value) : int64_t(uint64_t(value))));
  }
  case Code::CmpI:
    return compare(operands[0], operands[1]);
  default:
    return code < Code::AddI ? convert(operands[0]) : evaluateInt(operands);
  }
}

Number fuzz::addAll(MutableArrayRef<Number> terms, const NumberType &type,
                    Precision precision) {
  if (llvm::any_of(terms,
                   [](const Number &term) { return term.error == kAnything; }))
    return Number::anything();
  // In an order of their own, with what each step loses.
  llvm::sort(terms, [](const Number &a, const Number &b) {
    return std::isnan(b.value) ? !std::isnan(a.value) : a.value < b.value;
  });
  Number sum;
  sum.value = -0.0;
  double lost = 0;
  bool isFinite = true;
  for (const Number &term : terms) {
    double next = sum.value + term.value;
    if (std::isfinite(next))
      lost += std::fabs(sum.value) >= std::fabs(term.value)
                  ? (sum.value - next) + term.value
                  : (term.value - next) + sum.value;
    sum.value = next;
    sum.error += term.error;
    sum.magnitude += term.magnitude;
    sum.depth = std::max(sum.depth, term.depth + 1);
    isFinite &= std::isfinite(term.value);
  }
  if (lost != 0 && std::isfinite(sum.value))
    sum.value += lost;
  if (precision == Precision::Rounded)
    return Number::ofFloat(type.round(sum.value));
  // Out of range in some order.
  if (!(sum.magnitude + sum.error < type.largest) ||
      (isFinite && !std::isfinite(sum.value)))
    return Number::anything();
  return sum;
}
