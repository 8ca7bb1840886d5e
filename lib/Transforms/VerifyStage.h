//===-- VerifyStage.h - What a stage asks of the one before -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-verify-stage, and by a pass that is a stage of
// its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_VERIFYSTAGE_H
#define FUSIONDIALECT_LIB_TRANSFORMS_VERIFYSTAGE_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// Fails, with an error at each kind of op that `stage` (fuse, inline,
/// bufferize, outline, vectorize, lower, emit) cannot take.
LogicalResult verifyStage(ModuleOp module, StringRef stage);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_VERIFYSTAGE_H
