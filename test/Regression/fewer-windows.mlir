// A result smaller than all windows of an image with zeros between its elements, which only a call knows: no transposed convolution,
// whose result has all of them.
// Found by the fuzzer (seed 420001818): the call was refused.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 32 elements compared
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<1x?x?x2xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 4, 3, 2>, fuzz.values = "normal"},
                  %columns: tensor<?xi8> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 2>, fuzz.values = "zero"}) -> tensor<1x?x?x2xf32> {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %h = tensor.dim %x, %c1 : tensor<1x?x?x2xf32>
    %c2 = arith.constant 2 : index
    %v = tensor.dim %x, %c2 : tensor<1x?x?x2xf32>
    %double = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%h]
    %wide = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%v]
    %0 = tensor.empty(%double, %wide) : tensor<1x?x?x2xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
    %image = tensor.insert_slice %x into %1[0, 1, 0, 0] [1, %h, %v, 2] [1, 2, 1, 1] : tensor<1x?x?x2xf32> into tensor<1x?x?x2xf32>
    %count = tensor.dim %columns, %c0 : tensor<?xi8>
    %w = arith.constant dense<[[[[0.5, -1.0], [2.0, 1.5]], [[1.0, 3.0], [-0.25, 0.75]]]]> : tensor<1x2x2x2xf32>
    %2 = tensor.empty(%double, %count) : tensor<1x?x?x2xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
    %4 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %w : tensor<1x?x?x2xf32>, tensor<1x2x2x2xf32>) outs(%3 : tensor<1x?x?x2xf32>) -> tensor<1x?x?x2xf32>
    return %4 : tensor<1x?x?x2xf32>
  }
}
