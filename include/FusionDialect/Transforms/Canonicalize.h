//===-- Canonicalize.h - Upstream's canonicalizer, with an end --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by the stages wherever upstream's --canonicalize would be.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TRANSFORMS_CANONICALIZE_H
#define FUSIONDIALECT_TRANSFORMS_CANONICALIZE_H

#include "mlir/Pass/Pass.h"

namespace mlir::fusion {

/// The pass --fusion-canonicalize: upstream's `canonicalize` without a pattern
/// that is wrong, and within the limit of BoundedRewrites.h. Rules that undo
/// each other, such as a plug-in's, are an error that names one.
std::unique_ptr<Pass> createFusionCanonicalizePass();

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TRANSFORMS_CANONICALIZE_H
