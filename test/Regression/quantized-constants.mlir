// RUN: mlir-fusion-opt %s --fusion-fuse | FileCheck %s

// Zero points of a constant filter were subtracted, and summed for each channel, at each run. With constant ones nothing but the
// roots is left; with an input's zero point that is known at run time only, one product for each channel.
// CHECK-LABEL: func @constant(
// CHECK-NOT: linalg
// CHECK: fusion.conv ins(%{{.*}}, %cst{{.*}} : tensor<1x5x5x3xi8>, tensor<4x2x2x3xi32>)
// CHECK-NOT: linalg
// CHECK: fusion.matmul
// CHECK-NOT: linalg
// CHECK: return
func.func @constant(%x: tensor<1x5x5x3xi8>, %m: tensor<1x6x8xi8>) -> (tensor<1x4x4x4xi32>, tensor<1x6x2xi32>) {
  %xz = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<-3> : tensor<1xi8>} : () -> tensor<1xi8>
  %w = "tosa.const"() {values = dense<[[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [1, 2, 3]]], [[[9, 8, 7], [6, 5, 4]], [[3, 2, 1], [0, 1, 2]]],
    [[[5, 2, 3], [4, 5, 6]], [[7, 8, 9], [1, 2, 3]]], [[[6, 8, 7], [6, 5, 4]], [[3, 2, 1], [0, 1, 2]]]]> : tensor<4x2x2x3xi8>} : () -> tensor<4x2x2x3xi8>
  %n = "tosa.const"() {values = dense<[[[1, 2], [3, 4], [5, 6], [7, 8], [9, 1], [2, 3], [4, 5], [6, 7]]]> : tensor<1x8x2xi8>} : () -> tensor<1x8x2xi8>
  %b = "tosa.const"() {values = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
    : (tensor<1x5x5x3xi8>, tensor<4x2x2x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi32>
  %1 = tosa.matmul %m, %n, %xz, %wz : (tensor<1x6x8xi8>, tensor<1x8x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x2xi32>
  return %0, %1 : tensor<1x4x4x4xi32>, tensor<1x6x2xi32>
}

// The sum of a channel's weights is a constant: one product for each channel is left.
// CHECK-LABEL: func @input_zero_at_run_time(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2xi32>, i32) outs(%{{.*}} : tensor<2xi32>)
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @input_zero_at_run_time(%m: tensor<6x4xi8>, %z: i32) -> tensor<6x2xi32> {
  %w = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6x2xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<6x2xi32>) -> tensor<6x2xi32>
  %y = linalg.quantized_matmul ins(%m, %w, %z, %zero : tensor<6x4xi8>, tensor<4x2xi8>, i32, i32) outs(%f : tensor<6x2xi32>) -> tensor<6x2xi32>
  return %y : tensor<6x2xi32>
}
