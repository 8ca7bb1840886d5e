//===-- TransposeToVector.h - Copies into another order of dims -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the pass --fusion-vectorize-linalg.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fusion {

/// Emits `op`, on memrefs, as square blocks that are turned in registers, if it
/// copies one memref into another whose elements are next to each other along
/// another loop. Else does nothing and returns false.
bool vectorizeTranspose(RewriterBase &rewriter, linalg::LinalgOp op,
                        const TargetInfo &target);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H
