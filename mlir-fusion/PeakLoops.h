//===-- PeakLoops.h - Loops that do one thing as fast as can be -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the roofline. They are written in assembly, so that they are what
// they are for whatever CPU the driver itself was compiled.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PEAKLOOPS_H
#define MLIR_FUSION_PEAKLOOPS_H

#include <cstddef>

namespace mlir::fusion {

/// Multiplies and adds in registers of `vectorBits` (128, 256 or 512): fused,
/// but with 128 bits, where CPUs may lack that. Returns the floating-point
/// operations that it did, some hundred thousand.
double multiplyAndAdd(unsigned vectorBits, bool inDoubles);

/// Memory comes in multiples of this many bytes, and aligned to them.
constexpr size_t kPeakLoopStep = 512;

void readMemory(unsigned vectorBits, const char *data, size_t bytes);
void copyMemory(unsigned vectorBits, char *to, const char *from, size_t bytes);

} // namespace mlir::fusion

#endif // MLIR_FUSION_PEAKLOOPS_H
