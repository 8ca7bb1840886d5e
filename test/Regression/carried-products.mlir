// A loop that carries a reshaped tensor, of a size that is a product, and yields one of that product keeps sizes.
// Found by the fuzzer (seed 650005399): refused, since the size seemed to follow from the loop.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 24 elements compared
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<1x?x?x2xf32> {fuzz.seed = 32 : i64, fuzz.shape = array<i64: 1, 4, 3, 2>, fuzz.values = "normal"}) -> tensor<1x?x?xf32> {
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %arg0, %c1 : tensor<1x?x?x2xf32>
    %c2 = arith.constant 2 : index
    %dim_0 = tensor.dim %arg0, %c2 : tensor<1x?x?x2xf32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<1x?x?x2xf32>
    %1 = tensor.empty(%dim, %dim_0) : tensor<1x?x?x2xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
    %3:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x?x?x2xf32>) outs(%0, %2 : tensor<1x?x?x2xf32>, tensor<1x?x?x2xf32>) {
    ^bb0(%in: f32, %out: f32, %out_3: f32):
      %cst_4 = arith.constant 0.000000e+00 : f32
      %cst_5 = arith.constant 1.000000e+00 : f32
      %5 = arith.negf %in : f32
      %6 = math.exp %5 : f32
      %7 = arith.addf %cst_5, %6 : f32
      %8 = arith.divf %cst_5, %7 : f32
      %9 = arith.mulf %in, %8 : f32
      linalg.yield %9, %in : f32, f32
    } -> (tensor<1x?x?x2xf32>, tensor<1x?x?x2xf32>)
    %collapsed = tensor.collapse_shape %3#0 [[0], [1], [2, 3]] : tensor<1x?x?x2xf32> into tensor<1x?x?xf32>
    %c0 = arith.constant 0 : index
    %c2_1 = arith.constant 2 : index
    %c1_2 = arith.constant 1 : index
    %4 = scf.for %arg1 = %c0 to %c2_1 step %c1_2 iter_args(%arg2 = %collapsed) -> (tensor<1x?x?xf32>) {
      %c1_3 = arith.constant 1 : index
      %dim_4 = tensor.dim %arg2, %c1_3 : tensor<1x?x?xf32>
      %c2_5 = arith.constant 2 : index
      %dim_6 = tensor.dim %arg2, %c2_5 : tensor<1x?x?xf32>
      %5 = tensor.empty(%dim_4, %dim_6) : tensor<1x?x?xf32>
      %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<1x?x?xf32>) outs(%5 : tensor<1x?x?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_7 = arith.constant 0.000000e+00 : f32
        %cst_8 = arith.constant 1.000000e+00 : f32
        %7 = arith.maximumf %in, %cst_7 : f32
        linalg.yield %7 : f32
      } -> tensor<1x?x?xf32>
      scf.yield %6 : tensor<1x?x?xf32>
    }
    return %4 : tensor<1x?x?xf32>
  }
}

