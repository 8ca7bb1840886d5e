//===-- Joins.h - Tensors put together from slices --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fusion-join-slices and fusion-expand-padding know about a concatenation
// after fusion-plan.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_JOINS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_JOINS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fusion {

/// One slice, with unit strides, of a joined tensor.
struct JoinedSlice {
  Value source;
  SmallVector<OpFoldResult> offsets;
  SmallVector<OpFoldResult> sizes;
};

/// Insertions into each other's results, the first one into a tensor.empty.
/// Nothing else reads what lies between.
struct Join {
  SmallVector<JoinedSlice> slices;
  /// In the order of the slices.
  SmallVector<tensor::InsertSliceOp> inserts;

  /// The join whose last insertion has the result `joined`.
  static std::optional<Join> get(Value joined);
};

/// Inserts `slices` into `destination`, all of them moved by `offsets`.
Value insertSlices(OpBuilder &builder, Location loc,
                   ArrayRef<JoinedSlice> slices, Value destination,
                   ArrayRef<OpFoldResult> offsets);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_JOINS_H
