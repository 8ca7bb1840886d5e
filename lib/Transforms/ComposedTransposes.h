//===-- ComposedTransposes.h - Transposes of transposes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Canonicalize.cpp in place of upstream's pattern.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_COMPOSEDTRANSPOSES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_COMPOSEDTRANSPOSES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// transpose(transpose(x)) -> transpose(x), or x, with casts where the types
/// know different sizes: upstream's FoldTransposeWithTranspose replaces a value
/// of one type by one of another.
void populateComposedTransposePatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_COMPOSEDTRANSPOSES_H
