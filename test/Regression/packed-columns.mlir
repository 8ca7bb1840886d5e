// Packed weights do not say how many columns they had: products with a result of unknown columns were refused.
// Found by the fuzzer (seed 301307).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed "s/x86-64-v2/x86-64-v3/" %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// CHECK: right: 36 elements compared, 0 unbounded
// Another number than the weights have is refused as if they were not packed.
module attributes {fuzz.target = "x86-64-v2", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<?x9xf32> {fuzz.seed = 935 : i64, fuzz.shape = array<i64: 3, 9>, fuzz.values = "normal"}, %like: tensor<?xi8> {fuzz.seed = 674 : i64, fuzz.shape = array<i64: 12>, fuzz.values = "zero"}) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<0.5> : tensor<9x12xf32>
    %m = tensor.dim %x, %c0 : tensor<?x9xf32>
    %n = tensor.dim %like, %c0 : tensor<?xi8>
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.matmul ins(%x, %w : tensor<?x9xf32>, tensor<9x12xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  }
}
