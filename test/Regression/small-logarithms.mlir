// log1p and expm1 of f64 were log(1 + x) and exp(x) - 1, which lose what is small; those of f32, too, without polynomials.
// Found by the fuzzer (seeds 104 and 397).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed 's/"normal"/"special"/; s/"cancelling"/"extreme"/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// CHECK: right: 800 elements compared
#id = affine_map<(d0) -> (d0)>
module attributes {fuzz.disable = ["fusion-lower.approximate-math"], fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<200xf64> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 200>, fuzz.values = "cancelling"}, %y: tensor<200xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 200>, fuzz.values = "normal"}) -> (tensor<200xf64>, tensor<200xf64>, tensor<200xf32>, tensor<200xf32>) {
    %d = tensor.empty() : tensor<200xf64>
    %s = tensor.empty() : tensor<200xf32>
    %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<200xf64>) outs(%d, %d : tensor<200xf64>, tensor<200xf64>) {
    ^bb0(%a: f64, %o: f64, %q: f64):
      %e = math.exp %a : f64
      %2 = math.log1p %e : f64
      %3 = math.expm1 %a : f64
      linalg.yield %2, %3 : f64, f64
    } -> (tensor<200xf64>, tensor<200xf64>)
    %1:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%y : tensor<200xf32>) outs(%s, %s : tensor<200xf32>, tensor<200xf32>) {
    ^bb0(%a: f32, %o: f32, %q: f32):
      %c = arith.constant 1.0e-6 : f32
      %t = arith.mulf %a, %c : f32
      %2 = math.log1p %t : f32
      %3 = math.expm1 %t : f32
      linalg.yield %2, %3 : f32, f32
    } -> (tensor<200xf32>, tensor<200xf32>)
    return %0#0, %0#1, %1#0, %1#1 : tensor<200xf64>, tensor<200xf64>, tensor<200xf32>, tensor<200xf32>
  }
}
