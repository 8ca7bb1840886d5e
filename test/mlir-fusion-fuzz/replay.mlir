// A graph is run as its attributes say; sums that cancel have a bound of their terms' size.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 6 elements compared, 0 unbounded

// An argument without attributes has normal values in its static shape, each argument others.
// RUN: sed 's/fuzz.seed = 7 : i64, //; s/ {fuzz.seed = 8[^}]*}//' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s

// What is no input is named; a model without main is no graph.
// DEFINE: %{fails} = not mlir-fusion-fuzz %t.mlir | FileCheck %s --check-prefix
// RUN: sed 's/, fuzz.shape = array<i64: 2, 64>//' %s > %t.mlir
// RUN: %{fails} SHAPE
// RUN: sed 's/array<i64: 64, 3>/array<i64: 64, 4>/' %s > %t.mlir
// RUN: %{fails} SHAPE
// RUN: sed 's/array<i64: 2, 64>/array<i64: -2, 64>/' %s > %t.mlir
// RUN: %{fails} SHAPE
// SHAPE: skipped: {{.*}}argument {{[01]}}: expected a shape of its type as fuzz.shape
// RUN: sed 's/fuzz.seed = 7 : i64/fuzz.seed = "seven"/' %s > %t.mlir
// RUN: %{fails} SEED
// SEED: skipped: {{.*}}argument 0: expected an i64 as fuzz.seed
// RUN: sed 's/"normal"/"usual"/' %s > %t.mlir
// RUN: %{fails} VALUES
// VALUES: skipped: {{.*}}argument 1: expected one of normal, whole, positive, zero, one, extreme, special, cancelling as fuzz.values
// RUN: echo 'func.func @main(%%x: f32) -> f32 { return %%x : f32 }' > %t.mlir
// RUN: %{fails} TYPE
// TYPE: skipped: {{.*}}argument 0: expected a ranked tensor of numbers of at most 64 bits
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
