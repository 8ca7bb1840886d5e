//===-- TensorSizes.h - Sizes that can be computed with ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called before anything computes with the sizes of a model's tensors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_TENSORSIZES_H
#define FUSIONDIALECT_ANALYSIS_TENSORSIZES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// What a process can address.
inline constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// The product of numbers of at least 0, or the largest number where it is
/// more: what is no tensor's shape has no limit.
int64_t getSaturatedProduct(ArrayRef<int64_t> factors);

/// Fails, with an error at the op, if `module` has a tensor or a constant of
/// more bytes than a process or a file can hold: nothing that follows looks at
/// overflow.
LogicalResult verifyTensorSizes(ModuleOp module);

/// True if a library with all elements of `splat` would be out of proportion to
/// a model that names one: it is filled in when the model is called.
bool isLargeSplat(SplatElementsAttr splat);

/// The bytes of a number that is stored in 1, 2, 4 or 8 of them, all of which
/// are its own, else 0. Vectors of such numbers lie in memory as their elements
/// do; of others LLVM packs the bits.
int64_t getWholeBytes(Type type);

/// The bytes from one element of a memref to the next, as LLVM lays them out:
/// 4 for an i24.
int64_t getElementStride(Operation *near, Type type);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_TENSORSIZES_H
