//===-- InputChecks.h - What is asked of any model --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called before any pass looks at a model: what follows relies on it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_INPUTCHECKS_H
#define FUSIONDIALECT_ANALYSIS_INPUTCHECKS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// Regions in regions; parsers, verifiers and walks recurse as deep.
inline constexpr int64_t kMaxNesting = 256;
/// Attributes, types and locations in one another, and the same.
inline constexpr int64_t kMaxAttributeNesting = 1024;
/// Loops in loops that carry tensors: upstream's analysis of buffers takes
/// twice as long with each.
inline constexpr int64_t kMaxCarryingLoops = 16;
/// Dims of a tensor and loops of an op: each is a loop in a loop.
inline constexpr int64_t kMaxRank = 64;
/// Terms in terms of an affine expression.
inline constexpr int64_t kMaxExprDepth = 256;
/// Ops once each call is replaced by what it calls.
inline constexpr int64_t kMaxInlinedOps = int64_t(1) << 20;

/// Fails at an op that lies deeper than kMaxNesting, or whose attributes, types
/// or locations do than kMaxAttributeNesting. Recurses nowhere, and may be
/// called on what is not verified.
LogicalResult verifyNesting(Operation *root);

/// Fails, with an error at the op, where `module` goes beyond these limits or
/// those of TensorSizes.h, or says what upstream's verifiers miss.
LogicalResult verifyInput(ModuleOp module);

/// Fails at a call by which the ops of `module` become more than kMaxInlinedOps
/// when calls are inlined, or at one of a cycle of calls that never ends.
/// Other calls that come back to their function stay calls.
LogicalResult verifyInlining(ModuleOp module);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_INPUTCHECKS_H
