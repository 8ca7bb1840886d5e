//===-- VectorMath.h - exp, log, tanh, erf in arithmetic --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-approximate-math, one function an operation.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_VECTORMATH_H
#define FUSION_CONVERSION_VECTORMATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fusion {

/// Each emits the function of `x`, an f32 or a vector of f32, without branches:
/// a lane's result does not depend on the number of lanes. What each may be off
/// by is in docs/Math.md and tested.
Value emitExp(ImplicitLocOpBuilder &builder, Value x);
Value emitExp2(ImplicitLocOpBuilder &builder, Value x);
Value emitExpM1(ImplicitLocOpBuilder &builder, Value x);
Value emitLog(ImplicitLocOpBuilder &builder, Value x);
Value emitLog2(ImplicitLocOpBuilder &builder, Value x);
Value emitLog10(ImplicitLocOpBuilder &builder, Value x);
Value emitLog1p(ImplicitLocOpBuilder &builder, Value x);
Value emitPow(ImplicitLocOpBuilder &builder, Value x, Value y);
/// 2^(y log2(x)) for x >= 0 and an f64 `y` that is not 0; 1 ulp.
Value emitPowerOfMagnitude(ImplicitLocOpBuilder &builder, Value x, Value y);
Value emitTanh(ImplicitLocOpBuilder &builder, Value x);
Value emitErf(ImplicitLocOpBuilder &builder, Value x);

} // namespace mlir::fusion

#endif // FUSION_CONVERSION_VECTORMATH_H
