//===-- TransposeToVector.h - Copies into another order of dims -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the passes --fusion-vectorize-linalg and --fusion-to-vector, whose
// kernels turn tiles in registers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fusion {

/// Exchanges rows and lanes of a square block: `rows` are as many vectors as
/// each has lanes, a power of two.
void transposeBlock(OpBuilder &builder, Location loc,
                    MutableArrayRef<Value> rows);

/// The first `count` lanes of `vector` as vectors of powers of two, each with
/// its first lane: a masked store is slow on some CPUs.
SmallVector<std::pair<int64_t, Value>>
cutLanes(OpBuilder &builder, Location loc, Value vector, int64_t count);

/// A vector whose lanes are never used.
Value createUnused(OpBuilder &builder, Location loc, VectorType type);

/// Emits `op`, on memrefs, as square blocks that are turned in registers, if it
/// copies one memref into another whose elements are next to each other along
/// another loop. Else does nothing and returns false.
bool vectorizeTranspose(RewriterBase &rewriter, linalg::LinalgOp op,
                        const TargetInfo &target);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_TRANSPOSETOVECTOR_H
