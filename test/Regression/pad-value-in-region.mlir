// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s

// The padding value is a constant inside the pad that goes.
// CHECK-LABEL: func @pad
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 0, 0, 1] high[0, 0, 0, 1]
// CHECK: tensor.yield %[[ZERO]]
// CHECK: linalg.transpose ins(%[[P]]
func.func @pad(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x10x3xf32> {
  %e = tensor.empty() : tensor<1x8x8x3xf32>
  %0 = linalg.transpose ins(%x : tensor<1x3x8x8xf32>) outs(%e : tensor<1x8x8x3xf32>) permutation = [0, 2, 3, 1]
  %1 = tensor.pad %0 low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<1x8x8x3xf32> to tensor<1x8x10x3xf32>
  return %1 : tensor<1x8x10x3xf32>
}
