//===-- Requirements.h - What ops expect of sizes ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by DeriveShapes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace mlir::fusion {

/// Asserts in front of `op`, an op on tensors, what it expects of sizes that
/// are not known yet: the same assertions for the same op.
SmallVector<cf::AssertOp> assertRequirements(Operation *op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H
