// RUN: mlir-fusion-opt %s -split-input-file --fusion-convert-tosa | FileCheck %s --implicit-check-not=tosa.
// RUN: mlir-fusion-opt %s -split-input-file --fusion-convert-tosa --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] raise-tosa-pool {{.*}}fused: tosa.max_pool2d is a fusion.pool
// CHECK-LABEL: func @max_pool(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x6x5x3xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4x4x3xf32>
// CHECK: fusion.pool max ins(%[[X]] : tensor<?x6x5x3xf32>) outs(%[[E]] : tensor<?x4x4x3xf32>) {layout = channels_last, pad_high = [1, 0], pad_low = [2, 1], strides = [2, 1], window = [3, 3]} -> tensor<?x4x4x3xf32>
func.func @max_pool(%x: tensor<?x6x5x3xf32>) -> tensor<?x4x4x3xf32> {
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>} : (tensor<?x6x5x3xf32>) -> tensor<?x4x4x3xf32>
  return %0 : tensor<?x4x4x3xf32>
}

// -----

// Sums of halves are f32.
// REMARK: [Passed] raise-tosa-pool {{.*}}fused: tosa.avg_pool2d is a fusion.pool
// CHECK-LABEL: func @average_pool(
// CHECK: fusion.pool average ins({{.*}}) outs({{.*}}) {layout = channels_last, pad_low = [1, 1], window = [2, 2]} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK-NEXT: fusion.yield %[[H]]
func.func @average_pool(%x: tensor<1x6x5x3xf16>) -> tensor<1x6x5x3xf16> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf16>} : () -> tensor<1xf16>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x5x3xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x6x5x3xf16>
  return %0 : tensor<1x6x5x3xf16>
}

// -----

// A maximum that ignores NaN, averages of integers, which are rescaled by the count, and channels that are not known
// stay upstream's.
// CHECK-LABEL: func @other_pools(
// CHECK-NOT: fusion.pool
// CHECK: return
func.func @other_pools(%x: tensor<1x6x6x3xf32>, %y: tensor<1x6x6x3xi8>, %d: tensor<1x6x6x?xf32>) -> (tensor<1x5x5x3xf32>, tensor<1x5x5x3xi8>, tensor<1x5x5x?xf32>) {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.max_pool2d %x {nan_mode = IGNORE, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x3xf32>) -> tensor<1x5x5x3xf32>
  %1 = tosa.avg_pool2d %y, %z, %z {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x5x5x3xi8>
  %2 = tosa.max_pool2d %d {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x?xf32>) -> tensor<1x5x5x?xf32>
  return %0, %1, %2 : tensor<1x5x5x3xf32>, tensor<1x5x5x3xi8>, tensor<1x5x5x?xf32>
}

// -----

// Pads that extend the result are zeros in front of the input, or output padding.
// REMARK: [Passed] raise-tosa-transpose-conv {{.*}}fused: tosa.transpose_conv2d is a fusion.conv_transpose
// CHECK-LABEL: func @transpose_conv(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x4x5x3xf32>, %[[W:[^ ]*]]: tensor<4x3x2x3xf32>, %[[B:[^ ]*]]: tensor<4xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[0, 2, 0, 0] high[0, 0, 0, 0]
// CHECK: fusion.conv_transpose ins(%[[P]], %[[W]] : tensor<1x6x5x3xf32>, tensor<4x3x2x3xf32>) outs({{.*}}) {filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last, output_padding = [2, 0], pad_high = [0, 1], pad_low = [1, 0], strides = [2, 3]} epilogue(%[[ACC:.*]]: f32, %[[C:.*]] = %[[B]][3] : tensor<4xf32>) {
// CHECK-NEXT: arith.addf %[[ACC]], %[[C]] : f32
func.func @transpose_conv(%x: tensor<1x4x5x3xf32>, %w: tensor<4x3x2x3xf32>, %b: tensor<4xf32>) -> tensor<1x14x13x4xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 3, 2, 0, -1>, stride = array<i64: 2, 3>} : (tensor<1x4x5x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x14x13x4xf32>
  return %0 : tensor<1x14x13x4xf32>
}

// -----

// Zero points are subtracted first, in the accumulator's type: what is inserted is nothing.
// CHECK-LABEL: func @transpose_conv_zero_point(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x4x5x3xi8>
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<1x4x5x3xi8>) outs(%{{.*}} : tensor<1x4x5x3xi32>) {
// CHECK: %[[V:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.subi %[[V]], %c-7_i32 : i32
// CHECK: fusion.conv_transpose ins(%[[D]], %{{.*}} : tensor<1x4x5x3xi32>, tensor<4x2x2x3xi8>) {{.*}} epilogue(%{{.*}}: i32, %{{.*}} = %{{.*}} : tensor<i32>)
func.func @transpose_conv_zero_point(%x: tensor<1x4x5x3xi8>, %w: tensor<4x2x2x3xi8>, %b: tensor<1xi32>) -> tensor<1x8x10x4xi32> {
  %z = "tosa.const"() {values = dense<-7> : tensor<1xi8>} : () -> tensor<1xi8>
  %n = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %n {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x5x3xi8>, tensor<4x2x2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x10x4xi32>
  return %0 : tensor<1x8x10x4xi32>
}

// -----

// The rest is upstream's: zero points stay operands, a border is the zero point, the double rounding is 64-bit code; a
// pad's value is a constant that rules see.
// CHECK-LABEL: func @quantised(
// CHECK: tensor.pad
// CHECK: tensor.yield %c-7_i8 : i8
// CHECK: linalg.conv_2d_nhwc_fhwc_q {{.*}} ins(%{{.*}}, %{{.*}}, %c-7_i32, %c3_i32 :
// CHECK: linalg.generic
// CHECK: arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: arith.shrsi %{{.*}}, %{{.*}} : i64
// CHECK: tensor.pad
// CHECK: tensor.yield %c9_i8 : i8
func.func @quantised(%x: tensor<1x4x5x3xi8>, %w: tensor<4x3x3x3xi8>, %b: tensor<4xi32>) -> tensor<1x5x5x4xi8> {
  %xz = "tosa.const"() {values = dense<-7> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x4x5x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5x4xi32>
  %m = "tosa.const"() {values = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
  %s = "tosa.const"() {values = dense<[31, 32, 33, 34]> : tensor<4xi8>} : () -> tensor<4xi8>
  %z32 = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %z8 = "tosa.const"() {values = dense<9> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m, %s, %z32, %z8 {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<1x4x5x4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x5x4xi8>
  %p = tosa.const_shape {values = dense<[0, 0, 1, 0, 0, 0, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %2 = tosa.pad %1, %p, %z8 : (tensor<1x4x5x4xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x5x4xi8>
  return %2 : tensor<1x5x5x4xi8>
}

// -----

// The order of a volume's constant filter is changed here.
// CHECK-LABEL: func @volume(
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_3d_ndhwc_dhwcf {{.*}} ins(%{{.*}}, %cst{{.*}} : tensor<1x2x2x2x2xf32>, tensor<1x1x1x2x2xf32>)
func.func @volume(%x: tensor<1x2x2x2x2xf32>, %b: tensor<2xf32>) -> tensor<1x2x2x2x2xf32> {
  %w = "tosa.const"() {values = dense<[[[[[1., 2.]]]], [[[[3., 4.]]]]]> : tensor<2x1x1x1x2xf32>} : () -> tensor<2x1x1x1x2xf32>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv3d %x, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>} : (tensor<1x2x2x2x2xf32>, tensor<2x1x1x1x2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x2x2xf32>
  return %0 : tensor<1x2x2x2x2xf32>
}

// -----

// Functions without TOSA ops are left as they are, dead code included.
// CHECK-LABEL: func @untouched(
// CHECK: %[[DEAD:.*]] = arith.addf
// CHECK: return
func.func @untouched(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// What the result's type leaves open follows from the input; a type that says less than the input is kept.
// CHECK-LABEL: func @open_sizes(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x?x5x3xf32>, %[[S:[^ ]*]]: tensor<2x6x5x3xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0 : tensor<?x?x5x3xf32>
// CHECK-DAG: %[[H:.*]] = tensor.dim %[[X]], %c1{{.*}} : tensor<?x?x5x3xf32>
// CHECK: %[[OUT:.*]] = affine.apply #{{.*}}()[%[[H]]]
// CHECK: %[[E:.*]] = tensor.empty(%[[N]], %[[OUT]]) : tensor<?x?x4x3xf32>
// CHECK: fusion.pool max ins(%[[X]] : tensor<?x?x5x3xf32>) outs(%[[E]] : tensor<?x?x4x3xf32>)
// CHECK: fusion.pool average ins(%[[X]] : tensor<?x?x5x3xf32>)
// CHECK: %[[Y:.*]] = fusion.pool max ins(%[[S]] : tensor<2x6x5x3xf32>) outs(%{{.*}} : tensor<2x4x4x3xf32>)
// CHECK: tensor.cast %[[Y]] : tensor<2x4x4x3xf32> to tensor<?x?x4x3xf32>
func.func @open_sizes(%x: tensor<?x?x5x3xf32>, %s: tensor<2x6x5x3xf32>) -> (tensor<?x?x4x3xf32>, tensor<?x?x4x3xf32>, tensor<?x?x4x3xf32>) {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>} : (tensor<?x?x5x3xf32>) -> tensor<?x?x4x3xf32>
  %1 = tosa.avg_pool2d %x, %zero, %zero {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>} : (tensor<?x?x5x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x4x3xf32>
  %2 = tosa.max_pool2d %s {kernel = array<i64: 3, 3>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>} : (tensor<2x6x5x3xf32>) -> tensor<?x?x4x3xf32>
  return %0, %1, %2 : tensor<?x?x4x3xf32>, tensor<?x?x4x3xf32>, tensor<?x?x4x3xf32>
}

// -----

// CHECK-LABEL: func @open_transpose_conv(
// CHECK: affine.apply
// CHECK: fusion.conv_transpose ins(%{{.*}}, %{{.*}} : tensor<?x?x5x3xf32>, tensor<4x3x2x3xf32>) outs(%{{.*}} : tensor<?x?x13x4xf32>)
func.func @open_transpose_conv(%x: tensor<?x?x5x3xf32>, %w: tensor<4x3x2x3xf32>, %b: tensor<4xf32>) -> tensor<?x?x13x4xf32> {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %zero, %zero {acc_type = f32, out_pad = array<i64: -1, 0, 0, -1>, stride = array<i64: 2, 3>}
    : (tensor<?x?x5x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x13x4xf32>
  return %0 : tensor<?x?x13x4xf32>
}
