//===-- ScalarConvert.cpp - Comparisons, conversions, integers ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that turn rounding into other answers, and those that are exact.
//
//===----------------------------------------------------------------------===//

#include "ScalarOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Comparisons, choices, conversions
//===----------------------------------------------------------------------===//

bool fuzz::holds(arith::CmpFPredicate predicate, std::optional<int> order) {
  using P = arith::CmpFPredicate;
  bool unordered = !order;
  int o = order.value_or(0);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::OEQ:
    return !unordered && o == 0;
  case P::OGT:
    return !unordered && o > 0;
  case P::OGE:
    return !unordered && o >= 0;
  case P::OLT:
    return !unordered && o < 0;
  case P::OLE:
    return !unordered && o <= 0;
  case P::ONE:
    return !unordered && o != 0;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || o == 0;
  case P::UGT:
    return unordered || o > 0;
  case P::UGE:
    return unordered || o >= 0;
  case P::ULT:
    return unordered || o < 0;
  case P::ULE:
    return unordered || o <= 0;
  case P::UNE:
    return unordered || o != 0;
  case P::UNO:
    return unordered;
  }
  llvm_unreachable("unknown predicate");
}

Number ScalarOp::compare(const Number &left, const Number &right) const {
  // An i1 is -1 where it is true.
  auto answer = [](bool result, bool isUnclear) {
    return Number::ofInt(result ? -1 : 0, isUnclear ? kAnything : 0);
  };
  if (code == Code::CmpI) {
    APInt a(64, uint64_t(left.integer)), b(64, uint64_t(right.integer));
    double errors = left.error + right.error;
    double distance = std::fabs(double(left.integer) - double(right.integer));
    return answer(
        arith::applyCmpPredicate(arith::CmpIPredicate(predicate), a, b),
        errors > 0 && distance <= errors);
  }
  Number a = settle(left, from), b = settle(right, from);
  if (a.error == kAnything || b.error == kAnything)
    return answer(false, true);
  std::optional<int> order;
  if (!std::isnan(a.value) && !std::isnan(b.value))
    order = (a.value > b.value) - (a.value < b.value);
  double errors = a.error + b.error;
  bool isUnclear =
      order && errors > 0 && std::fabs(a.value - b.value) <= errors;
  return answer(holds(arith::CmpFPredicate(predicate), order), isUnclear);
}

static const llvm::fltSemantics &getSemantics(const NumberType &type) {
  if (type.width == 64)
    return llvm::APFloat::IEEEdouble();
  if (type.width == 32)
    return llvm::APFloat::IEEEsingle();
  return type.unit == 0x1p-8 ? llvm::APFloat::BFloat()
                             : llvm::APFloat::IEEEhalf();
}

/// Of what was computed, and of NaN, nobody knows the bits.
Number ScalarOp::castBits(const Number &operand) const {
  if (operand.error != 0 || operand.depth != 0 ||
      (from.isFloat && std::isnan(operand.value)))
    return Number::anything();
  APInt bits(from.width, uint64_t(operand.integer), /*isSigned=*/false,
             /*implicitTrunc=*/true);
  bool losesInfo;
  if (from.isFloat) {
    llvm::APFloat number(operand.value);
    number.convert(getSemantics(from), llvm::APFloat::rmNearestTiesToEven,
                   &losesInfo);
    bits = number.bitcastToAPInt();
  }
  if (!to.isFloat)
    return Number::ofInt(bits.getSExtValue());
  llvm::APFloat number(getSemantics(to), bits);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return Number::ofFloat(number.convertToDouble());
}

/// One of two, and it is not known which.
Number ScalarOp::select(const Number &left, const Number &right) const {
  if (!to.isFloat) {
    Number result = left;
    if (left.integer != right.integer || right.error != left.error)
      result.error = std::fabs(double(left.integer) - double(right.integer)) +
                     std::max(left.error, right.error);
    return result;
  }
  Number a = settle(left, to), b = settle(right, to);
  if (a.error == kAnything || b.error == kAnything)
    return Number::anything();
  if (std::isnan(a.value) && std::isnan(b.value))
    return a;
  double distance = a.value == b.value ? 0 : std::fabs(a.value - b.value);
  if (!std::isfinite(distance))
    return Number::anything();
  a.error = std::max(a.error, b.error) + distance;
  a.magnitude = std::fabs(a.value) + a.error;
  return a;
}

Number ScalarOp::convert(const Number &operand) const {
  switch (code) {
  case Code::ExtF:
    return settle(operand, from);
  case Code::TruncF: {
    Number a = settle(operand, from);
    if (a.error == kAnything || !std::isfinite(a.value))
      return a;
    a.error += 2 * to.unit * (std::fabs(a.value) + a.error) + to.smallest;
    a.magnitude = std::fabs(a.value) + a.error;
    return checkRange(a, to);
  }
  case Code::SIToFP:
  case Code::UIToFP: {
    if (operand.error == kAnything)
      return operand;
    double value = double(operand.integer);
    if (code == Code::UIToFP && operand.integer < 0)
      value = from.width == 1 ? 1 : value + std::ldexp(1.0, int(from.width));
    if (code == Code::UIToFP && operand.error > 0)
      return Number::anything();
    Number a = Number::ofFloat(value);
    a.error = operand.error;
    a.magnitude += a.error;
    if (a.magnitude > 1 / to.unit)
      a.error += 2 * to.unit * a.magnitude;
    return checkRange(a, to);
  }
  case Code::FPToSI:
  case Code::FPToUI: {
    Number a = settle(operand, from);
    if (a.error == kAnything || !std::isfinite(a.value))
      return Number::anything();
    bool isSigned = code == Code::FPToSI;
    double low = isSigned ? -std::ldexp(1.0, int(to.width) - 1) : 0;
    double high = std::ldexp(1.0, int(to.width) - (isSigned ? 1 : 0));
    double value = std::trunc(a.value);
    double first = std::trunc(a.value - a.error),
           last = std::trunc(a.value + a.error);
    if (first < low || last >= high)
      return Number::anything();
    int64_t integer = value >= 9.3e18 ? 0 : int64_t(value);
    if (value >= 9.2e18)
      integer = int64_t(uint64_t(value));
    return Number::ofInt(to.wrap(integer),
                         std::max(last - value, value - first));
  }
  case Code::ExtSI:
  case Code::ExtUI: {
    Number a = operand;
    if (code == Code::ExtUI && from.width < 64) {
      a.integer &= (int64_t(1) << from.width) - 1;
      if (a.error > 0)
        return Number::anything();
    }
    return a;
  }
  case Code::TruncI: {
    Number a = Number::ofInt(to.wrap(operand.integer), operand.error);
    if (a.error > 0 && (a.integer != operand.integer ||
                        std::fabs(double(a.integer)) + a.error >=
                            std::ldexp(1.0, int(to.width) - 1)))
      return Number::anything();
    return a;
  }
  default:
    llvm_unreachable("expected a conversion");
  }
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Number ScalarOp::evaluateInt(ArrayRef<Number> operands) const {
  int64_t a = operands[0].integer, b = operands[1].integer;
  double errorA = operands[0].error, errorB = operands[1].error;
  uint64_t mask = to.width >= 64 ? ~uint64_t(0) : (uint64_t(1) << to.width) - 1;
  uint64_t ua = uint64_t(a) & mask, ub = uint64_t(b) & mask;
  bool isExact = errorA == 0 && errorB == 0;
  auto make = [&](int64_t result, double exact, double error) {
    if (isExact)
      return Number::ofInt(to.wrap(result));
    // A bound holds where nothing wraps.
    if (!(std::fabs(exact) + error < std::ldexp(1.0, int(to.width) - 1)))
      return Number::anything();
    return Number::ofInt(to.wrap(result), error);
  };
  auto makeExact = [&](uint64_t result) {
    return isExact ? Number::ofInt(to.wrap(int64_t(result)))
                   : Number::anything();
  };
  double lowest =
      to.width >= 64 ? double(INT64_MIN) : -std::ldexp(1.0, int(to.width) - 1);
  switch (code) {
  case Code::AddI:
    return make(int64_t(uint64_t(a) + uint64_t(b)), double(a) + double(b),
                errorA + errorB);
  case Code::SubI:
    return make(int64_t(uint64_t(a) - uint64_t(b)), double(a) - double(b),
                errorA + errorB);
  case Code::MulI:
    return make(int64_t(uint64_t(a) * uint64_t(b)), double(a) * double(b),
                errorA * std::fabs(double(b)) + errorB * std::fabs(double(a)) +
                    errorA * errorB);
  case Code::DivS:
    if (b == 0 || (b == -1 && double(a) == lowest))
      return Number::anything();
    return errorB > 0 ? Number::anything()
                      : make(a / b, double(a / b),
                             errorA / std::fabs(double(b)) + (errorA > 0));
  case Code::CeilDivS:
  case Code::FloorDivS:
    if (b == 0 || (b == -1 && double(a) == lowest))
      return Number::anything();
    return makeExact(uint64_t(code == Code::CeilDivS
                                  ? llvm::divideCeilSigned(a, b)
                                  : llvm::divideFloorSigned(a, b)));
  case Code::RemS:
    if (b == 0 || (b == -1 && double(a) == lowest))
      return Number::anything();
    return makeExact(uint64_t(a % b));
  case Code::DivU:
    return ub == 0 ? Number::anything() : makeExact(ua / ub);
  case Code::RemU:
    return ub == 0 ? Number::anything() : makeExact(ua % ub);
  case Code::ShL:
  case Code::ShRS:
  case Code::ShRU:
    if (ub >= to.width || errorB > 0)
      return Number::anything();
    if (code == Code::ShL)
      return makeExact(uint64_t(a) << ub);
    if (code == Code::ShRU)
      return makeExact(ua >> ub);
    return make(a >> ub, double(a >> ub),
                std::ldexp(errorA, -int(ub)) + (errorA > 0));
  case Code::And:
    // A false is false whatever the other.
    if (to.width == 1 && ((a == 0 && errorA == 0) || (b == 0 && errorB == 0)))
      return Number::ofInt(0);
    return makeExact(uint64_t(a & b));
  case Code::Or:
    if (to.width == 1 && ((a != 0 && errorA == 0) || (b != 0 && errorB == 0)))
      return Number::ofInt(-1);
    return makeExact(uint64_t(a | b));
  case Code::XOr:
    return makeExact(uint64_t(a ^ b));
  case Code::MaxS:
    return make(std::max(a, b), double(std::max(a, b)),
                std::max(errorA, errorB));
  case Code::MinS:
    return make(std::min(a, b), double(std::min(a, b)),
                std::max(errorA, errorB));
  case Code::MaxU:
    return makeExact(std::max(ua, ub));
  case Code::MinU:
    return makeExact(std::min(ua, ub));
  case Code::CtLZ:
    return makeExact(uint64_t(llvm::countl_zero(ua)) - (64 - to.width));
  default:
    llvm_unreachable("expected arithmetic on integers");
  }
}
