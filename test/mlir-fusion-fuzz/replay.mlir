// A graph is run as its attributes say; sums that cancel have a bound of their terms' size.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 6 elements compared, 0 unbounded

// Attributes that are missing are named; a model without main is no graph.
// RUN: sed 's/fuzz.seed = 7 : i64, //' %s > %t.mlir
// RUN: not mlir-fusion-fuzz %t.mlir | FileCheck %s --check-prefix=SEED
// SEED: skipped: {{.*}}expected a tensor with fuzz.seed, fuzz.values and fuzz.shape as argument 0
// RUN: sed 's/@main/@other/' %s > %t.mlir
// RUN: not mlir-fusion-fuzz %t.mlir 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: error: {{.*}}expected a function main

module attributes {fuzz.accuracy = "strict", fuzz.disable = ["fusion-plan.root-kernels"], fuzz.target = "x86-64-v3", fuzz.threads = 2 : i64} {
  func.func @main(%x: tensor<?x64xf32> {fuzz.seed = 7 : i64, fuzz.shape = array<i64: 2, 64>, fuzz.values = "cancelling"}, %w: tensor<64x3xf32> {fuzz.seed = 8 : i64, fuzz.shape = array<i64: 64, 3>, fuzz.values = "normal"}) -> tensor<?x3xf32> {
    %zero = arith.constant 0 : index
    %n = tensor.dim %x, %zero : tensor<?x64xf32>
    %f = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?x3xf32>
    %init = linalg.fill ins(%f : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
    %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x3xf32>) outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
