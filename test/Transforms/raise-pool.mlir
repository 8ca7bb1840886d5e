// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] raise-pool {{.*}}fused: linalg.pooling_nchw_max is a fusion.pool

// CHECK-LABEL: func @nchw_max(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x7x9xf32>
// CHECK: fusion.pool max ins(%[[X]] : tensor<1x8x7x9xf32>) outs({{.*}} : tensor<1x8x3x5xf32>) {dilations = [1, 2], strides = [2, 1], window = [3, 3]} -> tensor<1x8x3x5xf32>
func.func @nchw_max(%x: tensor<1x8x7x9xf32>) -> tensor<1x8x3x5xf32> {
  %low = arith.constant 0xFF800000 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x8x3x5xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<1x8x3x5xf32>) -> tensor<1x8x3x5xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<[1, 2]> : vector<2xi64>, strides = dense<[2, 1]> : vector<2xi64>}
    ins(%x, %k : tensor<1x8x7x9xf32>, tensor<3x3xf32>) outs(%i : tensor<1x8x3x5xf32>) -> tensor<1x8x3x5xf32>
  return %y : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @nhwc_max_of_bytes(
// CHECK: fusion.pool max ins({{.*}} : tensor<1x6x6x8xi8>) outs({{.*}}) {layout = channels_last, window = [2, 2]} -> tensor<1x5x5x8xi8>
func.func @nhwc_max_of_bytes(%x: tensor<1x6x6x8xi8>) -> tensor<1x5x5x8xi8> {
  %low = arith.constant -128 : i8
  %k = tensor.empty() : tensor<2x2xi8>
  %e = tensor.empty() : tensor<1x5x5x8xi8>
  %i = linalg.fill ins(%low : i8) outs(%e : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  %y = linalg.pooling_nhwc_max ins(%x, %k : tensor<1x6x6x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  return %y : tensor<1x5x5x8xi8>
}

// The sum of a global average pool; its division is absorbed later.
// CHECK-LABEL: func @nchw_sum(
// CHECK: fusion.pool sum ins({{.*}} : tensor<?x8x7x7xf32>) outs({{.*}}) {window = [7, 7]} -> tensor<?x8x1x1xf32>
func.func @nchw_sum(%x: tensor<?x8x7x7xf32>, %n: index) -> tensor<?x8x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<7x7xf32>
  %e = tensor.empty(%n) : tensor<?x8x1x1xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  %y = linalg.pooling_nchw_sum ins(%x, %k : tensor<?x8x7x7xf32>, tensor<7x7xf32>) outs(%i : tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  return %y : tensor<?x8x1x1xf32>
}

// CHECK-LABEL: func @nhwc_sum(
// CHECK: fusion.pool sum ins({{.*}} : tensor<1x4x4x8xi8>) outs({{.*}} : tensor<1x2x2x8xi32>) {layout = channels_last, strides = [2, 2], window = [2, 2]} -> tensor<1x2x2x8xi32>
func.func @nhwc_sum(%x: tensor<1x4x4x8xi8>) -> tensor<1x2x2x8xi32> {
  %zero = arith.constant 0 : i32
  %k = tensor.empty() : tensor<2x2xi8>
  %e = tensor.empty() : tensor<1x2x2x8xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1x2x2x8xi32>) -> tensor<1x2x2x8xi32>
  %y = linalg.pooling_nhwc_sum {strides = dense<2> : vector<2xi64>} ins(%x, %k : tensor<1x4x4x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x2x2x8xi32>) -> tensor<1x2x2x8xi32>
  return %y : tensor<1x2x2x8xi32>
}

// The window is an attribute of the root.
// REMARK-DAG: [Missed] raise-pool {{.*}}dynamic-shape: the window's size is not known
// CHECK-LABEL: func @unknown_window(
// CHECK: linalg.pooling_nchw_sum
func.func @unknown_window(%x: tensor<1x8x?x?xf32>, %k: tensor<?x?xf32>, %i: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> {
  %y = linalg.pooling_nchw_sum ins(%x, %k : tensor<1x8x?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  return %y : tensor<1x8x1x1xf32>
}

// A minimum is no kind of pool, and an unsigned maximum has another order.
// CHECK-LABEL: func @other_kinds(
// CHECK: linalg.pooling_nhwc_min
// CHECK: linalg.pooling_nhwc_max_unsigned
func.func @other_kinds(%x: tensor<1x6x6x8xi8>, %k: tensor<2x2xi8>, %i: tensor<1x5x5x8xi8>) -> (tensor<1x5x5x8xi8>, tensor<1x5x5x8xi8>) {
  %y = linalg.pooling_nhwc_min ins(%x, %k : tensor<1x6x6x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  %z = linalg.pooling_nhwc_max_unsigned ins(%x, %k : tensor<1x6x6x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  return %y, %z : tensor<1x5x5x8xi8>, tensor<1x5x5x8xi8>
}
