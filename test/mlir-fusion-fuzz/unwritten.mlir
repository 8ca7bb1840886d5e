// What nobody has written is other bits at the two places of memory.
// RUN: not mlir-fusion-fuzz %s | FileCheck %s
// CHECK: unstable: 16 elements compared, 16 unbounded: other bits
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<4x4xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 4, 4>, fuzz.values = "zero"}) -> tensor<4x4xf32> {
    %e = tensor.empty() : tensor<4x4xf32>
    %d = tensor.empty() : tensor<4x4xf32>
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
    %0 = linalg.matmul ins(%x, %e : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
