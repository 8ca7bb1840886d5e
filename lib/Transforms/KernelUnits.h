//===-- KernelUnits.h - The work of a kernel and its parts ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-outline-kernels and where it makes kernels.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_KERNELUNITS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_KERNELUNITS_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/Builders.h"

namespace mlir::fusion {

/// The work of `op` in floating-point operations, or what the bytes it moves
/// cost in the same time: an attribute or, where sizes are known at run time
/// only, ops that compute it.
OpFoldResult createKernelWork(OpBuilder &builder, Operation *op,
                              const TargetInfo &target);

/// Replaces `op`, which is the whole work of `original`, by the part of it from
/// unit `lo` to `hi`; returns the number of units: an attribute or ops that
/// `caller` makes. Without `cut` an op that is no root is one unit.
FailureOr<OpFoldResult> restrictToRange(OpBuilder &builder, Operation *op,
                                        Value lo, Value hi,
                                        const TargetInfo &target, bool cut,
                                        OpBuilder &caller, Operation *original);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_KERNELUNITS_H
