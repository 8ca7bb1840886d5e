//===-- MemoryAccess.h - What a load or store touches -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by CheckBounds.cpp and BoundsChecker.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_MEMORYACCESS_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_MEMORYACCESS_H

#include "mlir/IR/Builders.h"

namespace mlir::fusion {

struct MemoryAccess {
  struct Dim {
    /// The memref's dim and the first index.
    int64_t number;
    Value index;
    /// How many indices from there on; 0: the mask says which, or without one
    /// as many as there are.
    int64_t lanes;
  };

  /// Nothing for what accesses no elements of a memref, such as a prefetch.
  /// Constants may be made.
  static std::optional<MemoryAccess> get(Operation *op, OpBuilder &builder);

  Value memref;
  /// Of all dims.
  SmallVector<Dim> dims;
  /// The lanes of the last dims that are accessed, if not all are.
  Value mask;
  /// Of a gather or scatter: elements from the place that `dims` name.
  Value offsets;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_MEMORYACCESS_H
