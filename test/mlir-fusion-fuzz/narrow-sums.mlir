// A long sum of bf16 is kept in f32, and held to that; summed in bf16 it is far off within its bound, which is said.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed 's/fuzz.disable = \[\]/fuzz.disable = ["widen-sums"]/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s --check-prefix=NARROW
// CHECK: right: 6 elements compared, 0 unbounded
// NARROW: right: 6 elements compared, 6 unbounded
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64, fuzz.disable = []} {
  func.func @main(%x: tensor<2x600xbf16> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 2, 600>, fuzz.values = "one"}) -> tensor<2x3xbf16> {
    %z = arith.constant 0.0 : bf16
    %w = arith.constant dense<1.0> : tensor<600x3xbf16>
    %e = tensor.empty() : tensor<2x3xbf16>
    %i = linalg.fill ins(%z : bf16) outs(%e : tensor<2x3xbf16>) -> tensor<2x3xbf16>
    %m = linalg.matmul ins(%x, %w : tensor<2x600xbf16>, tensor<600x3xbf16>) outs(%i : tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %m : tensor<2x3xbf16>
  }
}
