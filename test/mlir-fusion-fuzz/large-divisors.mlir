// The bound of a quotient by what is larger than a square root of the largest number: it was 0. Found by the fuzzer (seed
// 410014246): x / (1 + exp(-x)), whose exp is as wrong as its argument, which is rounded to another number of places in a sum.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 256 elements compared
#row = affine_map<(d0, d1) -> (d0, d1)>
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<16x3xf64> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 16, 3>, fuzz.values = "normal"},
                  %y: tensor<3x16xf64> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 3, 16>, fuzz.values = "normal"}) -> tensor<16x16xf64> {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %far = arith.constant -100.0 : f64
    %e = tensor.empty() : tensor<16x16xf64>
    %fill = linalg.fill ins(%zero : f64) outs(%e : tensor<16x16xf64>) -> tensor<16x16xf64>
    %m = linalg.matmul ins(%x, %y : tensor<16x3xf64>, tensor<3x16xf64>) outs(%fill : tensor<16x16xf64>) -> tensor<16x16xf64>
    %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<16x16xf64>) outs(%e : tensor<16x16xf64>) {
    ^bb0(%a: f64, %out: f64):
      %square = arith.mulf %a, %a : f64
      %p = arith.mulf %square, %far : f64
      %n = arith.negf %p : f64
      %x1 = math.exp %n : f64
      %s = arith.addf %one, %x1 : f64
      %q = arith.divf %one, %s : f64
      %r = arith.mulf %p, %q : f64
      linalg.yield %r : f64
    } -> tensor<16x16xf64>
    return %0 : tensor<16x16xf64>
  }
}
