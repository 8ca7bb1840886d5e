//===-- Patterns.h - Conversions that others can link -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules behind the passes of this layer.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_CONVERSION_PATTERNS_H
#define FUSIONDIALECT_CONVERSION_PATTERNS_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Roots on tensors become their decomposition: populates --fusion-to-linalg.
void populateFusionToLinalgPatterns(RewritePatternSet &patterns);

/// Roots on memrefs that have a kernel (hasKernel) become loops and vector ops:
/// populates --fusion-to-vector. With `prefetch`, they fetch weights ahead that
/// no second-level cache holds, and residuals.
void populateFusionToVectorPatterns(RewritePatternSet &patterns,
                                    const TargetInfo &target,
                                    bool prefetch = true);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_CONVERSION_PATTERNS_H
