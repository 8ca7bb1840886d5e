//===-- FlippedFilter.h - A filter read in reverse order ------ -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by RaiseConvTranspose.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_FLIPPEDFILTER_H
#define FUSIONDIALECT_LIB_TRANSFORMS_FLIPPEDFILTER_H

#include "FusionDialect/Dialect/Fusion.h"
#include "Views.h"

namespace mlir::fusion {

/// A filter whose taps are to be read in reverse order, through a reshape that
/// leaves the spatial dims alone.
struct FlippedFilter {
  /// What is read, by the indices of the reshape's source.
  View view;
  /// The reshape's source, and the reshape if there is one.
  Value inner;
  Operation *reshape = nullptr;
  /// True if the filter was a flip of `view.value`, so that none is left.
  bool isUndone = false;
};

/// The filter of `conv` in reverse order.
FlippedFilter flipFilter(ConvOp conv);

/// The filter that `flipped` stands for: a constant, the value that was flipped
/// or a transpose of it, else one that is flipped at run time.
Value buildFilter(RewriterBase &rewriter, Location loc,
                  const FlippedFilter &flipped);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_FLIPPEDFILTER_H
