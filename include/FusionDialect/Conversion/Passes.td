//===-- Passes.td - Passes from fusion to other dialects -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alphabetical.
#ifndef FUSION_CONVERSION_PASSES
#define FUSION_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def FusionToLinalgPass : Pass<"fusion-to-linalg"> {
  let summary = "Replace every root by its decomposition to linalg";
  let description = [{
    Each fusion op on tensors becomes the linalg ops that define its meaning: the reference of the numerical tests, the
    fall-back where no kernel takes an op, and the base line of an ablation. Ops on memrefs are left alone.

    ```mlir
    %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
    ```
    becomes a zero `linalg.fill` and a `linalg.generic` of multiply and add.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // FUSION_CONVERSION_PASSES
