//===-- Shrink.h - Smaller sizes of a graph ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reducer does to shapes.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_SHRINK_H
#define FUZZ_SHRINK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fusion::fuzz {

/// The dims of what a graph starts from: arguments of main, constants and empty
/// tensors. They are numbered.
struct LeafDim {
  Value value;
  unsigned dim;
  int64_t size;
};
SmallVector<LeafDim> getLeafDims(func::FuncOp main);

/// Takes `less` elements of dim number `index`, and of all that follow from it:
/// results, other operands, windows. False if an op is met that has no form for
/// that, or if a size would be less than one; the graph is broken then.
bool shrink(func::FuncOp main, size_t index, int64_t less);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_SHRINK_H
