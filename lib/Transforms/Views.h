//===-- Views.h - Tensors that repeat or reorder another --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by rules that read through broadcasts, transposes and fills.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_VIEWS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_VIEWS_H

#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion {

/// A value and the map from a reader's loops to the element it reads; a scalar
/// has a map without results.
struct View {
  Value value;
  AffineMap map;
};

/// How many results of `map` are loops, not constants or arithmetic.
unsigned getNumDimResults(AffineMap map);

/// What `view` reads if its value only repeats or reorders another one:
///   linalg.broadcast(%bias)[0, 2, 3] at (d0, d1, d2, d3) -> %bias at (d1)
/// Looks through one op: fill, splat, broadcast, transpose, a generic that
/// only yields, collapse_shape, expand_shape.
std::optional<View> lookThrough(const View &view);

/// The deepest view that `view` leads to and that reads less than the result's
/// size, else `view`; its map is a projected permutation, or 0 where a dim has
/// one element.
View lookThroughBroadcasts(View view);

/// The deepest view that `view` leads to and `accept` takes, else `view`.
View lookThroughWhere(View view, function_ref<bool(const View &)> accept);

/// `value` with neighbouring dims merged. Undoes an expand_shape; a constant
/// stays one (a resource keeps its blob).
Value collapseShape(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<ReassociationIndices> groups);

/// `value` with dims split to `type`. A constant stays one.
Value expandShape(OpBuilder &builder, Location loc, Value value,
                  RankedTensorType type, ArrayRef<ReassociationIndices> groups);

/// True if `view` has an element of its own for each of the result's. A
/// constant with dims of one element counts as the broadcast that it also is:
/// it is no buffer that a result could be stored to.
bool spansResult(const View &view, ShapedType result);

/// The epilogue argument that reads `view`, whose map is a projected
/// permutation (or 0) of the result's dims. Dims of one element are left out,
/// so that equal broadcasts are equal:
///   tensor<1x64x1x1xf32> at (d0, d1, 0, 0) -> tensor<64xf32> at [1]
BlockArgument readInEpilogue(RewriterBase &rewriter, FusionRootOpInterface root,
                             const View &view);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_VIEWS_H
