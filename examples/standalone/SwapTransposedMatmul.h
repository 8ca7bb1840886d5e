//===-- SwapTransposedMatmul.h - This compiler's own rule -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Run by standalone-compile between mlir-fusion's stages fuse and plan.
//
//===----------------------------------------------------------------------===//

#ifndef STANDALONE_SWAPTRANSPOSEDMATMUL_H
#define STANDALONE_SWAPTRANSPOSEDMATMUL_H

#include "mlir/Pass/Pass.h"

namespace standalone {

/// A product whose only reader transposes it becomes the product of the
/// transposed operands in swapped order. Label swap-transposed-matmul.
void populateSwapTransposedMatmulPatterns(mlir::RewritePatternSet &patterns);

/// The pass that runs it: --standalone-swap-transposed-matmul.
std::unique_ptr<mlir::Pass> createSwapTransposedMatmulPass();

} // namespace standalone

#endif // STANDALONE_SWAPTRANSPOSEDMATMUL_H
