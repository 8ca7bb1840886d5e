//===-- LiveBytes.h - What is alive at once ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measure of an arena, for explain.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_LIVEBYTES_H
#define MLIR_FUSION_LIVEBYTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fusion {

/// The most bytes of activations that are alive at once in a function on
/// tensors whose ops run in the order they stand: each from the op that makes
/// it to the last that reads it, both included, since an op reads while it
/// writes.
///
/// A view is one with what it is a view of; so is a result with the destination
/// that it is written into, if nothing reads that later. What lies elsewhere
/// does not count: arguments, constants, and what is one with them or is
/// returned. How buffers are copied, padded, aligned and placed has no say.
/// None if a size is dynamic.
std::optional<int64_t> countLiveBytes(func::FuncOp function);

} // namespace mlir::fusion

#endif // MLIR_FUSION_LIVEBYTES_H
