// A scale that was folded into weights made the largest of them infinite, where the scaled sum is not.
// Found by the fuzzer (seed 500000311).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed 's/f32/f64/g; s/3.0e38/1.5e308/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// CHECK: right: 3 elements compared, 0 unbounded
#map = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>
module attributes {fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<1x1xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 1>, fuzz.values = "one"}) -> tensor<1x3xf32> {
    %w = arith.constant dense<[[3.0e38, 2.0, -3.0e38]]> : tensor<1x3xf32>
    %eighth = arith.constant 0.125 : f32
    %zero = arith.constant 0.0 : f32
    %scale = arith.constant dense<[4.0, 2.0, 1.0]> : tensor<3xf32>
    %e1 = tensor.empty() : tensor<1x1xf32>
    %small = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x1xf32>) outs(%e1 : tensor<1x1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %p = arith.mulf %a, %eighth : f32
      linalg.yield %p : f32
    } -> tensor<1x1xf32>
    %e = tensor.empty() : tensor<1x3xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3xf32>) -> tensor<1x3xf32>
    %0 = linalg.matmul ins(%small, %w : tensor<1x1xf32>, tensor<1x3xf32>) outs(%f : tensor<1x3xf32>) -> tensor<1x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %scale : tensor<1x3xf32>, tensor<3xf32>) outs(%e : tensor<1x3xf32>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %p = arith.mulf %a, %s : f32
      linalg.yield %p : f32
    } -> tensor<1x3xf32>
    return %1 : tensor<1x3xf32>
  }
}
