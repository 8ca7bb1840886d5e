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
#include "Options.h"
#include "Shapes.h"

namespace mlir::fusion {

/// Reads one file for each tensor of the signature; `role` names them in
/// errors. Floats that are only compared with may be of f64, whatever the
/// signature's.
FailureOr<SmallVector<NpyArray>> readArrays(ArrayRef<std::string> paths,
                                            StringRef role,
                                            ArrayRef<TensorSignature> wanted,
                                            bool isCompared = false);

/// Zeros for each tensor.
FailureOr<SmallVector<NpyArray>> makeArrays(ArrayRef<TensorSignature> tensors);

/// The inputs: read from files, or seeded random numbers.
FailureOr<SmallVector<NpyArray>> getInputs(const InputOptions &options,
                                           const Signature &signature);

/// The library's signature with the sizes that these inputs give.
FailureOr<Signature> getSignatureFor(const Library &library,
                                     ArrayRef<NpyArray> inputs);

/// What callModel takes: inputs, then results, each of dynamic shape in the
/// library's own signature followed by its dims.
SmallVector<void *> getArguments(const Library &library,
                                 ArrayRef<NpyArray> inputs,
                                 ArrayRef<NpyArray> results);
/// Calls the library once, without a workspace with the thread's own.
LogicalResult callModel(const Library &library, ArrayRef<void *> arguments,
                        void *workspace = nullptr);

} // namespace mlir::fusion

#endif // MLIR_FUSION_TENSORS_H
