// Zeros that pad an image with zeros between its elements are none of a transposed convolution's terms either, also where the image is too
// small to have any between. Found by the fuzzer (seed 520006101): a filter's infinity meets them.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 4 elements compared
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<2x2x1x1xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 2, 2, 1, 1>, fuzz.values = "normal"}, %arg1: tensor<2x1x1x8xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 2, 1, 1, 8>, fuzz.values = "normal"}) -> tensor<2x2x1x1xf32> {
    %0 = tensor.empty() : tensor<2x1x1x8xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x1x1x8xf32>) -> tensor<2x1x1x8xf32>
    %inserted_slice = tensor.insert_slice %arg1 into %1[0, 0, 0, 0] [2, 1, 1, 8] [1, 3, 2, 1] : tensor<2x1x1x8xf32> into tensor<2x1x1x8xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %inserted_slice low[0, 3, 0, 0] high[0, 1, 0, 0] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x1x1x8xf32> to tensor<2x5x1x8xf32>
    %cst_1 = arith.constant dense<[[[[1.837750e-01], [0.324745357], [2.0202055], [-0.980010986], [-1.05684304], [0.837580263], [0.0386787429], [-0.0191283971]]], [[[0.59803921], [0.0130756516], [0.438775927], [7.640770e-01], [-0.533161581], [0.102573104], [1.41524684], [-0.208478034]]], [[[-0.295582622], [0.568960249], [-1.57451773], [-1.25642407], [-3.40282347E+38], [0.00686344551], [-0.855729162], [0.786040961]]], [[[-0.164984554], [-0.479888588], [0xFF800000], [-1.29513872], [-0.167514473], [3.40282347E+38], [-3.40282347E+38], [0.143052489]]]]> : tensor<4x1x8x1xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %cst_1 : tensor<2x5x1x8xf32>, tensor<4x1x8x1xf32>) outs(%arg0 : tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32>
    return %2 : tensor<2x2x1x1xf32>
  }
}
