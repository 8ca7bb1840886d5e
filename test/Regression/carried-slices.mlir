// A loop that carries a slice and yields a tensor of the slice's own size keeps sizes.
// Found by the fuzzer (seed 540006550): refused, since the size seemed to follow from the loop.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 1 elements compared
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (0, d1)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<11x8xf32> {fuzz.seed = 173 : i64, fuzz.shape = array<i64: 11, 8>, fuzz.values = "normal"}, %arg1: tensor<?xi8> {fuzz.seed = 312 : i64, fuzz.shape = array<i64: 1>, fuzz.values = "zero"}) -> tensor<?x1xf32> {
    %c10 = arith.constant 10 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg1, %c0 : tensor<?xi8>
    %c7 = arith.constant 7 : index
    %extracted_slice = tensor.extract_slice %arg0[%c10, %c7] [%dim, 1] [3, 2] : tensor<11x8xf32> to tensor<?x1xf32>
    %c0_0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %0 = scf.for %arg2 = %c0_0 to %c2 step %c1 iter_args(%arg3 = %extracted_slice) -> (tensor<?x1xf32>) {
      %cst = arith.constant dense<-4.000000e+00> : tensor<f32>
      %cst_1 = arith.constant dense<0.99197036> : tensor<1x1xf32>
      %c0_2 = arith.constant 0 : index
      %dim_3 = tensor.dim %arg3, %c0_2 : tensor<?x1xf32>
      %1 = tensor.empty(%dim_3) : tensor<?x1xf32>
      %2 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3, %cst, %cst_1 : tensor<?x1xf32>, tensor<f32>, tensor<1x1xf32>) outs(%1 : tensor<?x1xf32>) {
      ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
        %3 = arith.addf %in, %in_4 : f32
        %4 = arith.mulf %in_5, %3 : f32
        %cst_6 = arith.constant -2.000000e+00 : f32
        %5 = arith.maximumf %in_4, %cst_6 : f32
        %cst_7 = arith.constant -2.000000e+00 : f32
        %cst_8 = arith.constant 3.000000e+00 : f32
        %6 = arith.divf %3, %cst_8 : f32
        %7 = arith.addf %6, %in_4 : f32
        linalg.yield %7 : f32
      } -> tensor<?x1xf32>
      scf.yield %2 : tensor<?x1xf32>
    }
    return %0 : tensor<?x1xf32>
  }
}
