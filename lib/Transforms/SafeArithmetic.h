//===-- SafeArithmetic.h - Arithmetic that may run anywhere --- -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by ShapeSlices.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_SAFEARITHMETIC_H
#define FUSIONDIALECT_LIB_TRANSFORMS_SAFEARITHMETIC_H

#include "mlir/IR/Builders.h"

namespace mlir::fusion {

/// Makes `op`, which may have been guarded by its place, safe anywhere.
void makeSafe(OpBuilder &builder, Operation *op);

/// Whether `op` can run anywhere, if makeSafe had a look at it.
bool canRunAnywhere(Operation *op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_SAFEARITHMETIC_H
