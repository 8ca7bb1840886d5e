//===-- Passes.td - Passes that fuse and plan ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alphabetical.
#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "mlir/Rewrite/PassUtil.td"

def FusionAbsorbPass : Pass<"fusion-absorb"> {
  let summary = "Absorb elementwise consumers of roots into their epilogues";
  let description = [{
    First each elementwise op that is the only reader of a root moves into the root's epilogue, in program order. Then
    small graphs of elementwise ops become one `linalg.generic` (upstream's fusion, but never into a named op or a
    reduction and never of an op that a root could take), so that SiLU, GELU or Mish follow as a whole. What stays is
    elementwise code that no root feeds.

    ```mlir
    %0 = fusion.conv ins(%x, %w : …) outs(%init : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %1 = linalg.generic {…} ins(%0, %bias : …) outs(%init : …) { ^bb0(%in: f32, %b: f32, %out: f32): arith.addf … }
    ```
    becomes
    ```mlir
    %1 = fusion.conv ins(%x, %w : …) outs(%init : …) epilogue(%acc: f32, %b = %bias[1] : tensor<8xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
    } -> tensor<1x8x4x4xf32>
    ```
  }];
  let options = RewritePassUtils.options;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fusion::FusionDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // FUSION_TRANSFORMS_PASSES
