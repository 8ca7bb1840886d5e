//===-- SizedCopy.h - A dynamic model at given sizes ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes what is counted on static types countable for --shape.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_SIZEDCOPY_H
#define MLIR_FUSION_SIZEDCOPY_H

#include "Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fusion {

/// A copy of a function on tensors, of its own, whose types have the sizes that
/// follow from `shapes` of its arguments; those that follow from values stay
/// dynamic. To be looked at, not to be compiled: its ops do not verify.
OwningOpRef<func::FuncOp> copyWithSizes(func::FuncOp function,
                                        ArrayRef<Shape> shapes);

} // namespace mlir::fusion

#endif // MLIR_FUSION_SIZEDCOPY_H
