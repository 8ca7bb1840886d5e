//===-- ScalarOp.cpp - Arithmetic on numbers with bounds ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops there are, and those of floats.
//
//===----------------------------------------------------------------------===//

#include "ScalarOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// The approximations of exp, tanh and their like are off by this many units
/// (docs/Math.md), libm's of short types by less.
static constexpr double kFunctionUnits = 16;

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
      FUZZ_CASE(arith::SelectOp, Select) FUZZ_CASE(scf::IfOp, Select) FUZZ_CASE(arith::ExtFOp, ExtF)
      FUZZ_CASE(arith::TruncFOp, TruncF) FUZZ_CASE(arith::SIToFPOp, SIToFP)
      FUZZ_CASE(arith::UIToFPOp, UIToFP) FUZZ_CASE(arith::FPToSIOp, FPToSI)
      FUZZ_CASE(arith::FPToUIOp, FPToUI) FUZZ_CASE(arith::ExtSIOp, ExtSI)
      FUZZ_CASE(arith::ExtUIOp, ExtUI) FUZZ_CASE(arith::TruncIOp, TruncI)
      FUZZ_CASE(arith::AddIOp, AddI) FUZZ_CASE(index::AddOp, AddI) FUZZ_CASE(arith::SubIOp, SubI)
      FUZZ_CASE(arith::MulIOp, MulI) FUZZ_CASE(arith::DivSIOp, DivS)
      FUZZ_CASE(arith::DivUIOp, DivU)
      FUZZ_CASE(arith::CeilDivSIOp, CeilDivS) FUZZ_CASE(arith::FloorDivSIOp, FloorDivS)
      FUZZ_CASE(arith::RemSIOp, RemS)
      FUZZ_CASE(arith::RemUIOp, RemU) FUZZ_CASE(arith::ShLIOp, ShL)
      FUZZ_CASE(arith::ShRSIOp, ShRS) FUZZ_CASE(arith::ShRUIOp, ShRU)
      FUZZ_CASE(arith::AndIOp, And) FUZZ_CASE(arith::OrIOp, Or)
      FUZZ_CASE(arith::XOrIOp, XOr) FUZZ_CASE(arith::MaxSIOp, MaxS)
      FUZZ_CASE(arith::MinSIOp, MinS) FUZZ_CASE(arith::MaxUIOp, MaxU)
      FUZZ_CASE(math::CountLeadingZerosOp, CtLZ) FUZZ_CASE(arith::MinUIOp, MinU) FUZZ_CASE(arith::IndexCastOp, ExtSI)
      FUZZ_CASE(arith::IndexCastUIOp, ExtUI) FUZZ_CASE(arith::BitcastOp, Bitcast)
      .Default([](Operation *) { return std::nullopt; });
  // clang-format on
#undef FUZZ_CASE
  if (!code)
    return std::nullopt;
  Value operand = isa<arith::SelectOp>(op) ? op->getOperand(1)
                  : *code == Code::Select  ? op->getResult(0)
                                           : op->getOperand(0);
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

/// A right result may be any of its bounds' numbers: the largest counts.
void ScalarOp::addFunctionError(Number &result, double factor) const {
  result.error += kFunctionUnits * factor * from.unit *
                      (std::fabs(result.value) + result.error) +
                  kFunctionUnits * from.smallest;
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
    if (llvm::is_contained({Code::Abs, Code::Sin, Code::Cos}, code)) {
      result.error = a.error;
    } else {
      double above = std::fabs(call(a.value + a.error) - result.value),
             below = std::fabs(call(a.value - a.error) - result.value);
      // Outside of where it is defined; a maximum would not tell.
      if (std::isnan(above) || std::isnan(below))
        return Number::anything();
      result.error = std::max(above, below);
    }
    if (std::isinf(result.error) || !std::isfinite(result.value))
      return Number::anything();
  }
  if (!isExact && std::isfinite(result.value))
    addFunctionError(result);
  // A sine of a large number needs its argument reduced.
  if (code == Code::Sin || code == Code::Cos)
    result.error += from.unit * (kFunctionUnits + std::fabs(a.value) + a.error);
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
    addFunctionError(result, 1 + std::fabs(b.value) + b.error);
    result.magnitude = std::fabs(result.value) + result.error;
    return checkRange(result, to);
  }
  default:
    return apply(operands[0]);
  }
}

ScalarOp ScalarOp::getBitcast(Type from, Type to) {
  return ScalarOp(Code::Bitcast, NumberType(from), NumberType(to));
}

Number ScalarOp::evaluate(ArrayRef<Number> operands,
                          Precision precision) const {
  if (code == Code::Bitcast)
    return castBits(operands[0]);
  if (precision == Precision::Rounded)
    return evaluateRounded(operands);
  if (code == Code::Select) {
    if (operands[0].error > 0)
      return select(operands[1], operands[2]);
    return operands[0].integer != 0 ? operands[1] : operands[2];
  }
  if (code < Code::CmpF)
    return evaluateFloat(operands);
  if (code == Code::CmpF || code == Code::CmpI)
    return compare(operands[0], operands[1]);
  return code < Code::AddI ? convert(operands[0]) : evaluateInt(operands);
}
