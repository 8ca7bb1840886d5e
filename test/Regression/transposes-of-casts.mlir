// Transposes that together are none, of types that know different sizes, are a cast: upstream replaced a value by one of another type.
// Found by the fuzzer (seed 640004243).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 6 elements compared
module attributes {fuzz.accuracy = "default", fuzz.disable = ["write-channels-first"], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<1x2x?x?xf32> {fuzz.seed = 312 : i64, fuzz.shape = array<i64: 1, 2, 1, 6>, fuzz.values = "normal"}) -> tensor<1x?x1x?xf32> {
    %cst = arith.constant dense_resource<c_10> : tensor<2x1x1xf32>
    %c2 = arith.constant 2 : index
    %dim = tensor.dim %arg0, %c2 : tensor<1x2x?x?xf32>
    %c3 = arith.constant 3 : index
    %dim_0 = tensor.dim %arg0, %c3 : tensor<1x2x?x?xf32>
    %cst_1 = arith.constant dense_resource<c_9> : tensor<2xf32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<1x2x?x?xf32>
    %broadcasted = linalg.broadcast ins(%cst_1 : tensor<2xf32>) outs(%0 : tensor<1x2x?x?xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %cst : tensor<1x2x?x?xf32>, tensor<2x1x1xf32>) outs(%broadcasted : tensor<1x2x?x?xf32>) -> tensor<1x2x?x?xf32>
    %cast = tensor.cast %1 : tensor<1x2x?x?xf32> to tensor<1x?x1x?xf32>
    %cst_2 = arith.constant dense<[[[0.0666766464, 0.873225867]], [[0.12474627, 0.145169586]]]> : tensor<2x1x2xf32>
    %c1 = arith.constant 1 : index
    %dim_3 = tensor.dim %cast, %c1 : tensor<1x?x1x?xf32>
    %c3_4 = arith.constant 3 : index
    %2 = tensor.empty(%dim_3, %c3_4) : tensor<1x?x1x?xf32>
    %cst_5 = arith.constant 0.000000e+00 : f32
    %3 = linalg.fill ins(%cst_5 : f32) outs(%2 : tensor<1x?x1x?xf32>) -> tensor<1x?x1x?xf32>
    %4 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%cast, %cst_2 : tensor<1x?x1x?xf32>, tensor<2x1x2xf32>) outs(%3 : tensor<1x?x1x?xf32>) -> tensor<1x?x1x?xf32>
    return %4 : tensor<1x?x1x?xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      c_10: "0x40000000139D213F6E760BBF",
      c_9: "0x4000000084DB96BFD21BD93F"
    }
  }
#-}
