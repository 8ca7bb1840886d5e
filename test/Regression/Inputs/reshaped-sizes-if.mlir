#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<?x7x?x?xf32> {fuzz.seed = 597 : i64, fuzz.shape = array<i64: 2, 7, 6, 5>, fuzz.values = "normal"}, %arg1: tensor<7x1x1xf64> {fuzz.seed = 931 : i64, fuzz.shape = array<i64: 7, 1, 1>, fuzz.values = "normal"}, %arg2: tensor<i1> {fuzz.seed = 295 : i64, fuzz.shape = array<i64>, fuzz.values = "whole"}) -> tensor<?x7x1x1xf64> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x7x?x?xf32>
    %0 = tensor.empty(%dim) : tensor<?x7x1x1xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x7x1x1xf32>) -> tensor<?x7x1x1xf32>
    %c0_0 = arith.constant 0 : index
    %dim_1 = tensor.dim %1, %c0_0 : tensor<?x7x1x1xf32>
    %2 = tensor.empty(%dim_1) : tensor<?x7x1x1xf64>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<?x7x1x1xf32>) outs(%2 : tensor<?x7x1x1xf64>) {
    ^bb0(%in: f32, %out: f64):
      %8 = arith.extf %in : f32 to f64
      linalg.yield %8 : f64
    } -> tensor<?x7x1x1xf64>
    %c0_2 = arith.constant 0 : index
    %dim_3 = tensor.dim %3, %c0_2 : tensor<?x7x1x1xf64>
    %4 = tensor.empty(%dim_3) : tensor<?x7x1x1xf64>
    %cst_4 = arith.constant 0.000000e+00 : f64
    %5 = linalg.fill ins(%cst_4 : f64) outs(%4 : tensor<?x7x1x1xf64>) -> tensor<?x7x1x1xf64>
    %6 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%3, %arg1 : tensor<?x7x1x1xf64>, tensor<7x1x1xf64>) outs(%5 : tensor<?x7x1x1xf64>) -> tensor<?x7x1x1xf64>
    %extracted = tensor.extract %arg2[] : tensor<i1>
    %7 = scf.if %extracted -> (tensor<?x7x1x1xf64>) {
      %c0_5 = arith.constant 0 : index
      %dim_6 = tensor.dim %6, %c0_5 : tensor<?x7x1x1xf64>
      %8 = tensor.empty(%dim_6) : tensor<?x7x1x1xf64>
      %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<?x7x1x1xf64>) outs(%8 : tensor<?x7x1x1xf64>) {
      ^bb0(%in: f64, %out: f64):
        %cst_7 = arith.constant 0.000000e+00 : f64
        %cst_8 = arith.constant 1.000000e+00 : f64
        %10 = math.expm1 %in : f64
        %11 = arith.cmpf ogt, %in, %cst_7 : f64
        %12 = arith.select %11, %in, %10 : f64
        linalg.yield %12 : f64
      } -> tensor<?x7x1x1xf64>
      scf.yield %9 : tensor<?x7x1x1xf64>
    } else {
      scf.yield %6 : tensor<?x7x1x1xf64>
    }
    return %7 : tensor<?x7x1x1xf64>
  }
}
