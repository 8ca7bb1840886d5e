//===-- Tensors.h - A model's inputs and results ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, makes and checks the arrays that a signature asks for; used by run and
// bench.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_TENSORS_H
#define MLIR_FUSION_TENSORS_H

#include "Library.h"
#include "Npy.h"

namespace mlir::fusion {

/// 1x3x224x224xf32.
std::string getTypeString(const TensorSignature &tensor);

/// Reads one file for each tensor of the signature; `role` names them in
/// errors.
FailureOr<SmallVector<NpyArray>> readArrays(ArrayRef<std::string> paths,
                                            StringRef role,
                                            ArrayRef<TensorSignature> wanted);

/// Zeros for each tensor.
FailureOr<SmallVector<NpyArray>> makeArrays(ArrayRef<TensorSignature> tensors);

/// The inputs: read from `paths`, or seeded random numbers.
FailureOr<SmallVector<NpyArray>>
getInputs(ArrayRef<std::string> paths, bool random, const Signature &signature);

/// What callModel takes: inputs, then results.
SmallVector<void *> getArguments(ArrayRef<NpyArray> inputs,
                                 ArrayRef<NpyArray> results);
/// Calls the library once.
LogicalResult callModel(const Library &library, ArrayRef<void *> arguments);

} // namespace mlir::fusion

#endif // MLIR_FUSION_TENSORS_H
