// RUN: mlir-fusion-opt %s --fusion-fuse | FileCheck %s

// A filled tensor of rank 0 as a channel's constant: asking it for its last dim crashed.
// It is neutral, so that nothing is added.
// CHECK-LABEL: func @dot
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<1x1xf32>) -> tensor<1x1xf32>
func.func @dot(%x: tensor<6xf32>, %w: tensor<6xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %w : tensor<6xf32>, tensor<6xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
