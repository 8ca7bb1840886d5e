//===-- Patterns.h - Conversions that others can link -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules behind the passes of this layer.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_CONVERSION_PATTERNS_H
#define FUSIONDIALECT_CONVERSION_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Roots on tensors become their decomposition: populates --fusion-to-linalg.
void populateFusionToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_CONVERSION_PATTERNS_H
