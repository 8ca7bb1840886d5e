//===-- TensorSizes.h - Sizes that can be computed with ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called before anything computes with the sizes of a model's tensors.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_TENSORSIZES_H
#define FUSIONDIALECT_ANALYSIS_TENSORSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// Fails, with an error at the op, if `module` has a tensor or a constant of
/// more bytes than a process or a file can hold: nothing that follows looks at
/// overflow.
LogicalResult verifyTensorSizes(ModuleOp module);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_TENSORSIZES_H
