// RUN: not mlir-fusion compile %s -o %t.so 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: sed 's/2x1x3x5/2x3x3x5/; s/<1x6x5x2/<6x6x5x2/g; s/f32/i32/g' %s > %t.integers.mlir
// RUN: not mlir-fusion compile %t.integers.mlir -o %t.so 2>&1 | FileCheck %s --implicit-check-not=error:

// What upstream decomposes wrongly (tiles of one dim) or not at all (integers, which crashed) has no lowering.
// CHECK: mlir:[[#@LINE+3]]:8: error: 'linalg.winograd_filter_transform' op has no form on memrefs: expected an op that implements BufferizableOpInterface; rewrite it to linalg
func.func @main(%w: tensor<2x1x3x5xf32>) -> tensor<1x6x5x2xf32> {
  %e = tensor.empty() : tensor<1x6x5x2xf32>
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x1x3x5xf32>) outs(%e : tensor<1x6x5x2xf32>) -> tensor<1x6x5x2xf32>
  return %0 : tensor<1x6x5x2xf32>
}
