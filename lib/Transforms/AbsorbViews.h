//===-- AbsorbViews.h - A root's result by other names ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies between a root and the reader that it may absorb. Called by
// Absorption.cpp and AbsorptionRewrite.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_ABSORBVIEWS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_ABSORBVIEWS_H

#include "Views.h"

namespace mlir::fusion {

/// A root's result through transposes, expand_shapes, collapse_shapes and casts
/// of its type: all of its elements, each once, in another order or shape.
struct RenamedResult {
  FusionRootOpInterface root;
  /// From the root on; empty if the value is the result itself.
  SmallVector<Operation *> steps;
};

/// The root whose result `value` is, or no root.
RenamedResult getRenamedResult(Value value);

/// True for a step of such a chain.
bool isRenaming(Operation *op);

/// A reshape of an operand that is read beside the root's result.
struct Reshape {
  /// Dims of the larger shape that are one dim of the smaller.
  SmallVector<ReassociationIndices> groups;
  RankedTensorType type;
};

/// An operand as the root reads it: reshaped in turn, then through the map.
struct RenamedView : View {
  SmallVector<Reshape> reshapes;

  /// Of what the map indexes.
  Type getType() const;
};

/// What `view`, which is indexed by the loops of the result of `step`, is by
/// those of its source; or failure where the operand goes through only some of
/// the dims that the step splits or merges.
LogicalResult renameToSource(Operation *step, RenamedView &view);

/// The value that a renamed view's map indexes.
Value createReshapes(OpBuilder &builder, Location loc, const RenamedView &view);

/// `value`, a root's new result, through clones of `steps`.
Value cloneSteps(RewriterBase &rewriter, ArrayRef<Operation *> steps,
                 Value value);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_ABSORBVIEWS_H
