// Upstream's canonicalization of a padded tensor that is inserted into a fill forgot the insertion's strides; found by the
// fuzzer (seed 159): a transposed convolution of a padded image, decomposed.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 352 elements compared, 0 unbounded
module attributes {fuzz.disable = ["split-phases"], fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<2x7x2x2xi8> {fuzz.seed = 62 : i64, fuzz.shape = array<i64: 2, 7, 2, 2>, fuzz.values = "normal"}, %w: tensor<1x4x3x2xi8> {fuzz.seed = 63 : i64, fuzz.shape = array<i64: 1, 4, 3, 2>, fuzz.values = "normal"}, %y: tensor<5x3xf32> {fuzz.seed = 64 : i64, fuzz.shape = array<i64: 5, 3>, fuzz.values = "normal"}) -> (tensor<2x17x5x1xi32>, tensor<14x13xf32>) {
    %b = "tosa.const"() <{values = dense<109> : tensor<1xi32>}> : () -> tensor<1xi32>
    %z = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %n = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.transpose_conv2d %x, %w, %b, %z, %n {acc_type = i32, out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<2x7x2x2xi8>, tensor<1x4x3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x17x5x1xi32>
    %f = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<14x13xf32>
    %fill = linalg.fill ins(%f : f32) outs(%e : tensor<14x13xf32>) -> tensor<14x13xf32>
    %p = tensor.pad %y low[1, 1] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %f : f32
    } : tensor<5x3xf32> to tensor<6x4xf32>
    %1 = tensor.insert_slice %p into %fill[1, 2] [6, 4] [2, 3] : tensor<6x4xf32> into tensor<14x13xf32>
    return %0, %1 : tensor<2x17x5x1xi32>, tensor<14x13xf32>
  }
}
