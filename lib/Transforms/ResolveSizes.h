//===-- ResolveSizes.h - Rules for sizes of tensors -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by the passes that compute sizes and by rules that compare them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H
#define FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fusion {

/// Rules that compute a `tensor.dim` from what its tensor was made of: those of
/// upstream, and through loops and branches that keep a size.
void populateResolveSizesPatterns(RewritePatternSet &patterns);

/// Makes one value of what is computed twice, which is then known to be equal,
/// and applies `patterns`.
LogicalResult mergeAndResolve(func::FuncOp function,
                              const FrozenRewritePatternSet &patterns);

/// Whether the tensor or buffer that `loop` carries as `carried` provably has
/// the sizes of its init in each trip.
bool keepsSizes(scf::ForOp loop, BlockArgument carried);

/// True if dim `dim` of `tensor` provably has the size of dim `otherDim` of
/// `other`: where both come from, in the same arithmetic or in linear terms.
bool haveEqualSizes(Value tensor, int64_t dim, Value other, int64_t otherDim);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_RESOLVESIZES_H
