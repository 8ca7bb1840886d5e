// expm1 of f64 where exp is a denormal was off by the error of its logarithm: -1.0003 at -744.
// Found by the fuzzer (seed 700000134).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 8 elements compared, 0 unbounded
#id = affine_map<(d0) -> (d0)>
module attributes {fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<8xf64> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 8>, fuzz.values = "one"}) -> tensor<8xf64> {
    %c = arith.constant dense<[-36.0, -38.0, -500.0, -709.0, -720.0, -740.0, -744.0, -745.0]> : tensor<8xf64>
    %d = tensor.empty() : tensor<8xf64>
    %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %c : tensor<8xf64>, tensor<8xf64>) outs(%d : tensor<8xf64>) {
    ^bb0(%a: f64, %b: f64, %o: f64):
      %t = arith.mulf %a, %b : f64
      %3 = math.expm1 %t : f64
      linalg.yield %3 : f64
    } -> tensor<8xf64>
    return %0 : tensor<8xf64>
  }
}
