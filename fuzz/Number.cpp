//===-- Number.cpp - A scalar with what it may be off by ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, and the ops of arith and math on numbers with bounds.
//
//===----------------------------------------------------------------------===//

#include "Number.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// The approximations of exp, tanh and their like are off by this many units
/// (docs/Math.md), libm's of short types by less.
static constexpr double kFunctionUnits = 16;

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

/// Numbers that overflow in some order of the same sum may be anything.
static Number checkRange(Number number, const NumberType &type) {
  if (number.error == kAnything)
    return Number::anything();
  // An infinity's own magnitude is 0: what is here comes from finite terms.
  if (!std::isfinite(number.value))
    number.error = 0;
  if (!(number.magnitude + number.error < type.largest))
    return Number::anything();
  return number;
}

/// Rounding's part becomes error: nothing is re-associated across this.
static Number settle(Number number, const NumberType &type) {
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

static Number add(const Number &a, const Number &b, const NumberType &type) {
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

static Number negate(Number a) {
  a.value = -a.value;
  return a;
}

static Number multiply(const Number &a, const Number &b,
                       const NumberType &type) {
  // Infinity times what may be zero.
  auto isUnclear = [](const Number &infinite, const Number &other) {
    return std::isinf(infinite.value) && other.error > 0 &&
           std::fabs(other.value) <= other.error;
  };
  if (isUnclear(a, b) || isUnclear(b, a))
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

static Number divide(const Number &a, Number b, const NumberType &type) {
  b = settle(b, type);
  double size = std::fabs(b.value);
  // The sign of a zero is not followed.
  if (b.error == kAnything || std::isnan(b.value) || size <= b.error)
    return std::isnan(b.value) && b.error != kAnything ? b : Number::anything();
  Number quotient = Number::ofFloat(1 / b.value);
  quotient.error = std::isinf(size) ? 0 : b.error / (size * (size - b.error));
  quotient.magnitude += quotient.error;
  quotient.depth = 2;
  // A reciprocal may underflow or overflow where the quotient does not.
  if (!std::isinf(size) && std::fabs(quotient.value) > type.largest)
    return Number::anything();
  if (std::isinf(a.value) && std::isinf(b.value))
    return checkRange(Number::ofFloat(std::nan("")), type);
  return multiply(a, quotient, type);
}

//===----------------------------------------------------------------------===//
// Scalar ops
//===----------------------------------------------------------------------===//

enum class ScalarOp::Code : uint8_t {
  // Floats.
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  NegF,
  FMA,
  Maximum,
  Minimum,
  MaxNum,
  MinNum,
  CopySign,
  Pow,
  Abs,
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log1P,
  Log2,
  Log10,
  Sqrt,
  Rsqrt,
  Tanh,
  Erf,
  Sin,
  Cos,
  Floor,
  Ceil,
  Round,
  RoundEven,
  Trunc,
  // Of either.
  CmpF,
  CmpI,
  Select,
  ExtF,
  TruncF,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  ExtSI,
  ExtUI,
  TruncI,
  // Integers.
  AddI,
  SubI,
  MulI,
  DivS,
  DivU,
  RemS,
  RemU,
  ShL,
  ShRS,
  ShRU,
  And,
  Or,
  XOr,
  MaxS,
  MinS,
  MaxU,
  MinU,
  CtLZ,
};

std::optional<ScalarOp> ScalarOp::get(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !op->getResult(0).getType().isIntOrIndexOrFloat())
    return std::nullopt;
  auto code =
      llvm::TypeSwitch<Operation *, std::optional<Code>>(op)
#define FUZZ_CASE(op, code) .Case<op>([](auto) { return Code::code; })
      // clang-format off
      FUZZ_CASE(arith::AddFOp, AddF) FUZZ_CASE(arith::SubFOp, SubF)
      FUZZ_CASE(arith::MulFOp, MulF) FUZZ_CASE(arith::DivFOp, DivF)
      FUZZ_CASE(arith::RemFOp, RemF) FUZZ_CASE(arith::NegFOp, NegF)
      FUZZ_CASE(math::FmaOp, FMA) FUZZ_CASE(arith::MaximumFOp, Maximum)
      FUZZ_CASE(arith::MinimumFOp, Minimum) FUZZ_CASE(arith::MaxNumFOp, MaxNum)
      FUZZ_CASE(arith::MinNumFOp, MinNum) FUZZ_CASE(math::CopySignOp, CopySign)
      FUZZ_CASE(math::PowFOp, Pow) FUZZ_CASE(math::AbsFOp, Abs)
      FUZZ_CASE(math::ExpOp, Exp) FUZZ_CASE(math::Exp2Op, Exp2)
      FUZZ_CASE(math::ExpM1Op, ExpM1) FUZZ_CASE(math::LogOp, Log)
      FUZZ_CASE(math::Log1pOp, Log1P) FUZZ_CASE(math::Log2Op, Log2)
      FUZZ_CASE(math::Log10Op, Log10) FUZZ_CASE(math::SqrtOp, Sqrt)
      FUZZ_CASE(math::RsqrtOp, Rsqrt) FUZZ_CASE(math::TanhOp, Tanh)
      FUZZ_CASE(math::ErfOp, Erf) FUZZ_CASE(math::SinOp, Sin)
      FUZZ_CASE(math::CosOp, Cos) FUZZ_CASE(math::FloorOp, Floor)
      FUZZ_CASE(math::CeilOp, Ceil) FUZZ_CASE(math::RoundOp, Round)
      FUZZ_CASE(math::RoundEvenOp, RoundEven) FUZZ_CASE(math::TruncOp, Trunc)
      FUZZ_CASE(arith::CmpFOp, CmpF) FUZZ_CASE(arith::CmpIOp, CmpI)
      FUZZ_CASE(arith::SelectOp, Select) FUZZ_CASE(arith::ExtFOp, ExtF)
      FUZZ_CASE(arith::TruncFOp, TruncF) FUZZ_CASE(arith::SIToFPOp, SIToFP)
      FUZZ_CASE(arith::UIToFPOp, UIToFP) FUZZ_CASE(arith::FPToSIOp, FPToSI)
      FUZZ_CASE(arith::FPToUIOp, FPToUI) FUZZ_CASE(arith::ExtSIOp, ExtSI)
      FUZZ_CASE(arith::ExtUIOp, ExtUI) FUZZ_CASE(arith::TruncIOp, TruncI)
      FUZZ_CASE(arith::AddIOp, AddI) FUZZ_CASE(arith::SubIOp, SubI)
      FUZZ_CASE(arith::MulIOp, MulI) FUZZ_CASE(arith::DivSIOp, DivS)
      FUZZ_CASE(arith::DivUIOp, DivU) FUZZ_CASE(arith::RemSIOp, RemS)
      FUZZ_CASE(arith::RemUIOp, RemU) FUZZ_CASE(arith::ShLIOp, ShL)
      FUZZ_CASE(arith::ShRSIOp, ShRS) FUZZ_CASE(arith::ShRUIOp, ShRU)
      FUZZ_CASE(arith::AndIOp, And) FUZZ_CASE(arith::OrIOp, Or)
      FUZZ_CASE(arith::XOrIOp, XOr) FUZZ_CASE(arith::MaxSIOp, MaxS)
      FUZZ_CASE(arith::MinSIOp, MinS) FUZZ_CASE(arith::MaxUIOp, MaxU)
      FUZZ_CASE(math::CountLeadingZerosOp, CtLZ) FUZZ_CASE(arith::MinUIOp, MinU) FUZZ_CASE(arith::IndexCastOp, ExtSI)
      FUZZ_CASE(arith::IndexCastUIOp, ExtUI)
  // clang-format on
#undef FUZZ_CASE
                                                                              .Default(
                                                                                  [](Operation
                                                                                         *) {
                                                                                    return std::
                                                                                        nullopt;
                                                                                  });
  if (!code)
    return std::nullopt;
  Value operand = op->getOperand(*code == Code::Select ? 1 : 0);
  if (!operand.getType().isIntOrIndexOrFloat())
    return std::nullopt;
  // Narrowing to or from index is a cast like the others.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      NumberType(operand.getType()).width >
          NumberType(op->getResult(0).getType()).width)
    code = Code::TruncI;
  ScalarOp result(*code, NumberType(operand.getType()),
                  NumberType(op->getResult(0).getType()));
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    result.predicate = int64_t(cmp.getPredicate());
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    result.predicate = int64_t(cmp.getPredicate());
  return result;
}

/// The functions of one float, in f64.
double ScalarOp::call(double a) const {
  switch (code) {
  case Code::Abs:
    return std::fabs(a);
  case Code::Exp:
    return std::exp(a);
  case Code::Exp2:
    return std::exp2(a);
  case Code::ExpM1:
    return std::expm1(a);
  case Code::Log:
    return std::log(a);
  case Code::Log1P:
    return std::log1p(a);
  case Code::Log2:
    return std::log2(a);
  case Code::Log10:
    return std::log10(a);
  case Code::Sqrt:
    return std::sqrt(a);
  case Code::Rsqrt:
    return 1 / std::sqrt(a);
  case Code::Tanh:
    return std::tanh(a);
  case Code::Erf:
    return std::erf(a);
  case Code::Sin:
    return std::sin(a);
  case Code::Cos:
    return std::cos(a);
  case Code::Floor:
    return std::floor(a);
  case Code::Ceil:
    return std::ceil(a);
  case Code::Round:
    return std::round(a);
  case Code::RoundEven:
    return std::nearbyint(a);
  case Code::Trunc:
    return std::trunc(a);
  default:
    llvm_unreachable("expected a function of one float");
  }
}

/// A function whose slope is known: monotone, or never steeper than 1.
Number ScalarOp::apply(const Number &operand) const {
  Number a = settle(operand, from);
  if (a.error == kAnything)
    return a;
  Number result = Number::ofFloat(call(a.value));
  if (std::isnan(a.value))
    return result;
  bool isExact = llvm::is_contained({Code::Abs, Code::Floor, Code::Ceil,
                                     Code::Round, Code::RoundEven, Code::Trunc},
                                    code);
  if (a.error > 0) {
    if (llvm::is_contained({Code::Abs, Code::Sin, Code::Cos}, code))
      result.error = a.error;
    else
      result.error =
          std::max(std::fabs(call(a.value + a.error) - result.value),
                   std::fabs(call(a.value - a.error) - result.value));
    // Outside of where it is defined.
    if (std::isnan(result.error) || std::isinf(result.error) ||
        !std::isfinite(result.value))
      return Number::anything();
  }
  if (!isExact && std::isfinite(result.value))
    result.error += kFunctionUnits * from.unit * std::fabs(result.value) +
                    kFunctionUnits * from.smallest;
  // A sine of a large number needs its argument reduced.
  if (code == Code::Sin || code == Code::Cos)
    result.error += from.unit * (kFunctionUnits + std::fabs(a.value));
  // The reciprocal of a zero's root has its sign, which is not followed.
  if (code == Code::Rsqrt && a.value == 0)
    return Number::anything();
  if (std::isfinite(result.value))
    result.magnitude = std::fabs(result.value) + result.error;
  return checkRange(result, to);
}

Number ScalarOp::evaluateFloat(ArrayRef<Number> operands) const {
  switch (code) {
  case Code::AddF:
    return add(operands[0], operands[1], to);
  case Code::SubF:
    return add(operands[0], negate(operands[1]), to);
  case Code::MulF:
    return multiply(operands[0], operands[1], to);
  case Code::DivF:
    return divide(operands[0], operands[1], to);
  case Code::NegF:
    return negate(operands[0]);
  case Code::FMA:
    return add(multiply(operands[0], operands[1], to), operands[2], to);
  case Code::Maximum:
  case Code::Minimum:
  case Code::MaxNum:
  case Code::MinNum: {
    Number a = settle(operands[0], from), b = settle(operands[1], from);
    if (a.error == kAnything || b.error == kAnything)
      return Number::anything();
    bool isMax = code == Code::Maximum || code == Code::MaxNum;
    bool propagates = code == Code::Maximum || code == Code::Minimum;
    if (std::isnan(a.value) || std::isnan(b.value))
      return std::isnan(a.value) == propagates ? a : b;
    Number result = (a.value > b.value) == isMax ? a : b;
    if (!std::isfinite(result.value))
      return result;
    result.error = std::max(a.error, b.error);
    result.magnitude = std::fabs(result.value) + result.error;
    return checkRange(result, to);
  }
  case Code::CopySign: {
    Number a = settle(operands[0], from), b = settle(operands[1], from);
    if (b.error > 0 || std::isnan(b.value) || b.value == 0)
      return Number::anything();
    a.value = std::copysign(a.value, b.value);
    return a;
  }
  case Code::RemF: {
    Number a = settle(operands[0], from), b = settle(operands[1], from);
    if (a.error > 0 || b.error > 0)
      return Number::anything();
    return checkRange(Number::ofFloat(std::fmod(a.value, b.value)), to);
  }
  case Code::Pow: {
    Number a = settle(operands[0], from), b = settle(operands[1], from);
    if (a.error == kAnything || b.error == kAnything || a.value == 0 ||
        std::fabs(a.value) <= a.error || (a.value < 0 && b.error > 0))
      return Number::anything();
    Number result = Number::ofFloat(std::pow(a.value, b.value));
    for (double x : {a.value - a.error, a.value + a.error})
      for (double y : {b.value - b.error, b.value + b.error}) {
        double distance = std::fabs(std::pow(x, y) - result.value);
        if (std::isnan(distance) && !std::isnan(result.value))
          return Number::anything();
        result.error = std::max(result.error, distance);
      }
    result.error += kFunctionUnits * from.unit * std::fabs(result.value) *
                        (1 + std::fabs(b.value)) +
                    kFunctionUnits * from.smallest;
    result.magnitude = std::fabs(result.value) + result.error;
    return checkRange(result, to);
  }
  default:
    return apply(operands[0]);
  }
}

//===----------------------------------------------------------------------===//
// Comparisons, choices, conversions
//===----------------------------------------------------------------------===//

/// Of order -1, 0, 1; nothing if one is NaN.
static bool holds(arith::CmpFPredicate predicate, std::optional<int> order) {
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
    if (std::fabs(value) > 1 / to.unit)
      a.error += 2 * to.unit * std::fabs(value);
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

Number ScalarOp::evaluate(ArrayRef<Number> operands,
                          Precision precision) const {
  Number result;
  if (code == Code::Select) {
    if (operands[0].error > 0)
      return select(operands[1], operands[2]);
    result = operands[0].integer != 0 ? operands[1] : operands[2];
  } else if (code < Code::CmpF) {
    result = evaluateFloat(operands);
  } else if (code == Code::CmpF || code == Code::CmpI) {
    result = compare(operands[0], operands[1]);
  } else if (code < Code::AddI) {
    result = convert(operands[0]);
  } else {
    result = evaluateInt(operands);
  }
  if (precision == Precision::Rounded) {
    // The value as it is, overflow included; no bounds.
    if (to.isFloat)
      result = Number::ofFloat(to.round(result.value));
    else
      result.error = 0;
  }
  return result;
}
