// Upstream's canonicalizer, but for a fold that forgets strides.
// RUN: mlir-fusion-opt %s --fusion-canonicalize | FileCheck %s

// CHECK-LABEL: @twice
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %b = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
  return %b : tensor<4xf32>
}

// CHECK-LABEL: @strided
// CHECK: tensor.pad
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}}[0] [4] [2]
func.func @strided(%x: tensor<2xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<4xf32>
  %r = tensor.insert_slice %p into %f[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
