//===-- ScalarOp.h - Arithmetic on numbers with bounds ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Number.cpp and ScalarOp*.cpp share.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_SCALAROP_H
#define FUZZ_SCALAROP_H

#include "Number.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fusion::fuzz {

/// Numbers that overflow in some order of the same sum may be anything.
Number checkRange(Number number, const NumberType &type);

/// Rounding's part becomes error: nothing is re-associated across this.
Number settle(Number number, const NumberType &type);

Number add(const Number &a, const Number &b, const NumberType &type);
Number negate(Number a);
Number multiply(const Number &a, const Number &b, const NumberType &type);
Number divide(const Number &a, Number b, const NumberType &type);

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
  Bitcast,
  // Integers.
  AddI,
  SubI,
  MulI,
  DivS,
  DivU,
  CeilDivS,
  FloorDivS,
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

/// Of order -1, 0, 1; nothing if one is NaN.
bool holds(arith::CmpFPredicate predicate, std::optional<int> order);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_SCALAROP_H
