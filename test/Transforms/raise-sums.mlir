// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter-passed=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] widen-sums {{.*}}fused: sums of 16 bits are kept in f32 and rounded once

// CHECK-LABEL: func @product(
// CHECK: fusion.matmul ins({{.*}}bf16>)
// CHECK-SAME: epilogue(%[[ACC:.*]]: f32)
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK: fusion.yield %[[ROUNDED]] : bf16
func.func @product(%x: tensor<3x8xbf16>, %y: tensor<8x5xbf16>) -> tensor<3x5xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3x5xbf16>
  %i = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  %0 = linalg.matmul ins(%x, %y : tensor<3x8xbf16>, tensor<8x5xbf16>) outs(%i : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// What follows is computed as it was.
// CHECK-LABEL: func @any_init(
// CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.addf %[[ROUNDED]], %{{.*}} : f16
func.func @any_init(%x: tensor<1x4x4x4xf16>, %w: tensor<4x4x1x1xf16>, %i: tensor<1x4x4x4xf16>) -> tensor<1x4x4x4xf16> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf16>, tensor<4x4x1x1xf16>) outs(%i : tensor<1x4x4x4xf16>) -> tensor<1x4x4x4xf16>
  return %0 : tensor<1x4x4x4xf16>
}

// A maximum does not round, and f32 is what it is.
// CHECK-LABEL: func @maximum(
// CHECK-NOT: truncf
// CHECK: return
func.func @maximum(%x: tensor<1x4x4x4xbf16>, %y: tensor<3x8xf32>, %z: tensor<8x5xf32>) -> (tensor<1x4x2x2xbf16>, tensor<3x5xf32>) {
  %lowest = arith.constant 0xFF80 : bf16
  %e = tensor.empty() : tensor<1x4x2x2xbf16>
  %i = linalg.fill ins(%lowest : bf16) outs(%e : tensor<1x4x2x2xbf16>) -> tensor<1x4x2x2xbf16>
  %w = tensor.empty() : tensor<2x2xbf16>
  %0 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x4x4x4xbf16>, tensor<2x2xbf16>) outs(%i : tensor<1x4x2x2xbf16>) -> tensor<1x4x2x2xbf16>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<3x5xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.matmul ins(%y, %z : tensor<3x8xf32>, tensor<8x5xf32>) outs(%j : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<1x4x2x2xbf16>, tensor<3x5xf32>
}
