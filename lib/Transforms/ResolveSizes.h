//===-- ResolveSizes.h - Rules for sizes of tensors -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by ResolveShapes.cpp and DeriveShapes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Rules that compute a `tensor.dim` from what its tensor was made of: those of
/// upstream, and through loops and branches that keep a size.
void populateResolveSizesPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H
