// A branch's result of a size that only an assertion says to be the other's.
// Found by the fuzzer (seed 540005693): refused, since the size seemed to follow from the condition, which is no size.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 3 elements compared
#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d3, d4, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<?xi8> {fuzz.seed = 532 : i64, fuzz.shape = array<i64: 3>, fuzz.values = "zero"}, %arg1: tensor<i1> {fuzz.seed = 154 : i64, fuzz.shape = array<i64>, fuzz.values = "whole"}, %arg2: tensor<1x1x1x3x1xf32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64: 1, 1, 1, 3, 1>, fuzz.values = "normal"}) -> tensor<1x1x1x?x1xf32> {
    %0 = tensor.empty() : tensor<1xf32>
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?xi8>
    %1 = tensor.empty(%dim) : tensor<1x1x1x?x1xf32>
    %cst = arith.constant 0xFF800000 : f32
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x1x1x?x1xf32>) -> tensor<1x1x1x?x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%arg2, %0 : tensor<1x1x1x3x1xf32>, tensor<1xf32>) outs(%2 : tensor<1x1x1x?x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %cst_1 = arith.constant 2.000000e+00 : f32
      %5 = arith.maximumf %out, %cst_1 : f32
      linalg.yield %5 : f32
    } -> tensor<1x1x1x?x1xf32>
    %extracted = tensor.extract %arg1[] : tensor<i1>
    %4 = scf.if %extracted -> (tensor<1x1x1x?x1xf32>) {
      scf.yield %3 : tensor<1x1x1x?x1xf32>
    } else {
      %c3 = arith.constant 3 : index
      %dim_0 = tensor.dim %3, %c3 : tensor<1x1x1x?x1xf32>
      %5 = tensor.empty(%dim_0) : tensor<1x1x1x?x1xf32>
      %6 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x1x1x?x1xf32>) outs(%5 : tensor<1x1x1x?x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_1 = arith.constant 0.000000e+00 : f32
        %cst_2 = arith.constant 1.000000e+00 : f32
        %7 = math.expm1 %in : f32
        %8 = arith.cmpf ogt, %in, %cst_1 : f32
        %9 = arith.select %8, %in, %7 : f32
        linalg.yield %9 : f32
      } -> tensor<1x1x1x?x1xf32>
      scf.yield %6 : tensor<1x1x1x?x1xf32>
    }
    return %4 : tensor<1x1x1x?x1xf32>
  }
}
