//===-- Powers.h - Powers by products ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-approximate-math.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_POWERS_H
#define FUSION_CONVERSION_POWERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// powf of some constant exponents, fpowi and ipowi.
void populatePowerPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSION_CONVERSION_POWERS_H
