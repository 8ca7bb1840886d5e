//===-- IndexedLoads.h - Loads in the body of a linalg op -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by VectorizeLinalg.cpp for bodies that compute where they read: a
// resize, a gather.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_INDEXEDLOADS_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_INDEXEDLOADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fusion {

/// The loads of a body and what it takes to know where they read. Along the
/// vector loop a load either stays in place, or goes through neighbouring
/// elements: it is then one more operand of the op.
class IndexedLoads {
public:
  /// Nothing if a load does neither.
  static std::optional<IndexedLoads> get(linalg::LinalgOp op,
                                         int64_t vectorLoop);

  /// True for what `create` takes out of the body.
  bool contains(Operation *op) const {
    return uniform.contains(op) || positions.contains(op) ||
           llvm::is_contained(moving, op);
  }
  /// The loads of neighbouring elements.
  ArrayRef<memref::LoadOp> getMoving() const { return moving; }

  /// Computes what is uniform where the loops are at `offsets`, into `mapping`;
  /// returns the places, `width` elements each, that the moving loads read.
  SmallVector<Value> create(OpBuilder &builder, ArrayRef<Value> offsets,
                            int64_t width, IRMapping &mapping) const;

private:
  bool addUniform(Value value);
  bool isAlongVectorLoop(Value index);

  linalg::LinalgOp op;
  int64_t vectorLoop = 0;
  llvm::SetVector<Operation *> uniform;
  /// Inputs that the uniform ops read.
  llvm::SetVector<BlockArgument> inputs;
  SmallVector<memref::LoadOp> moving;
  /// What computes the last index of a moving load, and nothing else.
  llvm::SetVector<Operation *> positions;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_INDEXEDLOADS_H
