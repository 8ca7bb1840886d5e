//===-- RoundFloats.h - Conversions of floats that round once ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-widen-floats.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_ROUNDFLOATS_H
#define FUSION_CONVERSION_ROUNDFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// True for f16, bf16 and their vectors.
bool isSmallFloat(Type type);

/// What has a step between, in f32 or f64, that must not round a second time:
/// f64 and wide integers to 16 bits, fma of 16 bits; and stated rounding modes.
void populateRoundOncePatterns(RewritePatternSet &patterns);

/// True for integers of more than 64 bits and their vectors.
bool isWideInteger(Type type);

/// Such integers to floats, rounded once, and back, and divided.
void populateWideIntegerPatterns(RewritePatternSet &patterns);

/// f16 to f32 and back in integer arithmetic, for CPUs without F16C.
void populateExpandHalfPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSION_CONVERSION_ROUNDFLOATS_H
