//===-- PadFolds.h - Pads that upstream must not fold -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream folds pads as if none took elements away: one whose result has the
// source's type to the source, two in a row to one of the sums.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_PADFOLDS_H
#define FUSIONDIALECT_ANALYSIS_PADFOLDS_H

#include "mlir/IR/Operation.h"

namespace mlir::fusion {

/// If `op` is a pad of which those folds would be wrong, sets `nofold`. A pad
/// of nothing loses it: that one may go whoever has asked for it.
void guardPad(Operation *op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_PADFOLDS_H
