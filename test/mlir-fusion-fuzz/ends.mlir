// A root of what may be less than nothing, as far as the reference knows, may be anything: the end of the bound that has no root
// was forgotten. Found by the fuzzer (seeds 410009861, 410011122).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 64 elements compared, {{[1-9][0-9]*}} unbounded
#map = affine_map<(d0) -> (d0)>
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<64xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 64>, fuzz.values = "normal"},
                  %y: tensor<64xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 64>, fuzz.values = "normal"}) -> tensor<64xf32> {
    %half = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<64xf32>
    %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %sum = arith.addf %a, %b : f32
      // Never; but the reference compares two numbers of which it knows bounds.
      %less = arith.cmpf olt, %sum, %sum : f32
      %one = arith.select %less, %sum, %half : f32
      %size = math.absf %one : f32
      %root = math.sqrt %size : f32
      linalg.yield %root : f32
    } -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
