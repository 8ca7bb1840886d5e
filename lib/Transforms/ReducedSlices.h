//===-- ReducedSlices.h - Slices that drop dims of size one -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of --fusion-canonicalize.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_REDUCEDSLICES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_REDUCEDSLICES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Slices and insertions of which upstream could drop other dims than are meant
/// become whole ones and a reshape, before a pattern of upstream's sees them:
///   extract_slice %x[0, 0, %c3, 0] [1, 4, 1, 1] : to tensor<1x4xf32>
///     -> extract_slice to tensor<1x4x1x1xf32>, collapse_shape [[0], [1, 2, 3]]
void populateReducedSlicePatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_REDUCEDSLICES_H
