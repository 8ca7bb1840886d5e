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
func.func @unknown_window(%x: tensor<1x8x?x?xf32>, %k: tensor<?x?xf32>, %i: tensor<1x8x2x1xf32>) -> tensor<1x8x2x1xf32> {
  %y = linalg.pooling_nchw_sum ins(%x, %k : tensor<1x8x?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<1x8x2x1xf32>) -> tensor<1x8x2x1xf32>
  return %y : tensor<1x8x2x1xf32>
}

// CHECK-LABEL: func @other_kinds(
// CHECK: fusion.pool min ins
// CHECK: arith.minsi
// CHECK: fusion.pool max_unsigned ins
// CHECK: arith.maxui
func.func @other_kinds(%x: tensor<1x6x6x8xi8>, %k: tensor<2x2xi8>, %i: tensor<1x5x5x8xi8>) -> (tensor<1x5x5x8xi8>, tensor<1x5x5x8xi8>) {
  %y = linalg.pooling_nhwc_min ins(%x, %k : tensor<1x6x6x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  %z = linalg.pooling_nhwc_max_unsigned ins(%x, %k : tensor<1x6x6x8xi8>, tensor<2x2xi8>) outs(%i : tensor<1x5x5x8xi8>) -> tensor<1x5x5x8xi8>
  return %y, %z : tensor<1x5x5x8xi8>, tensor<1x5x5x8xi8>
}

// The highest value is what a minimum starts at.
// CHECK-LABEL: func @neutral_minimum(
// CHECK: fusion.pool min_unsigned ins({{.*}} : tensor<1x6x8xi8>) outs({{.*}}) {layout = channels_last, window = [2]} -> tensor<1x5x8xi8>
func.func @neutral_minimum(%x: tensor<1x6x8xi8>) -> tensor<1x5x8xi8> {
  %high = arith.constant -1 : i8
  %k = tensor.empty() : tensor<2xi8>
  %e = tensor.empty() : tensor<1x5x8xi8>
  %i = linalg.fill ins(%high : i8) outs(%e : tensor<1x5x8xi8>) -> tensor<1x5x8xi8>
  %y = linalg.pooling_nwc_min_unsigned ins(%x, %k : tensor<1x6x8xi8>, tensor<2xi8>) outs(%i : tensor<1x5x8xi8>) -> tensor<1x5x8xi8>
  return %y : tensor<1x5x8xi8>
}

// CHECK-LABEL: func @by_structure(
// CHECK: fusion.pool max ins({{.*}} : tensor<2x8x7xf32>) outs({{.*}}) {strides = [2], window = [3]} epilogue
func.func @by_structure(%x: tensor<2x8x7xf32>, %k: tensor<3xf32>, %i: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, k) -> (n, c, h * 2 + k)>, affine_map<(n, c, h, k) -> (k)>, affine_map<(n, c, h, k) -> (n, c, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %k : tensor<2x8x7xf32>, tensor<3xf32>) outs(%i : tensor<2x8x3xf32>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32):
    %m = arith.maximumf %a, %acc : f32
    linalg.yield %m : f32
  } -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// The position of the maximum is no pool's result, and this maximum ignores NaN.
// CHECK-LABEL: func @with_positions(
// CHECK: linalg.generic
func.func @with_positions(%x: tensor<2x8x7xf32>, %k: tensor<3xf32>, %i: tensor<2x8x3xf32>, %j: tensor<2x8x3xi64>) -> (tensor<2x8x3xf32>, tensor<2x8x3xi64>) {
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, k) -> (n, c, h * 2 + k)>, affine_map<(n, c, h, k) -> (k)>, affine_map<(n, c, h, k) -> (n, c, h)>,
                       affine_map<(n, c, h, k) -> (n, c, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %k : tensor<2x8x7xf32>, tensor<3xf32>) outs(%i, %j : tensor<2x8x3xf32>, tensor<2x8x3xi64>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32, %at: i64):
    %step = linalg.index 3 : index
    %here = arith.index_cast %step : index to i64
    %larger = arith.cmpf ogt, %a, %acc : f32
    %m = arith.select %larger, %a, %acc : f32
    %p = arith.select %larger, %here, %at : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<2x8x3xf32>, tensor<2x8x3xi64>)
  return %y#0, %y#1 : tensor<2x8x3xf32>, tensor<2x8x3xi64>
}

// A root extends elements as it compares them.
// REMARK-DAG: [Missed] raise-pool {{.*}}unsupported-type: elements are extended in another way than they are compared or summed
// CHECK-LABEL: func @unsigned_sum(
// CHECK: linalg.generic
func.func @unsigned_sum(%x: tensor<2x8x7xi8>, %k: tensor<3xi8>, %i: tensor<2x8x5xi32>) -> tensor<2x8x5xi32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, c, h, k) -> (n, c, h + k)>, affine_map<(n, c, h, k) -> (k)>, affine_map<(n, c, h, k) -> (n, c, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %k : tensor<2x8x7xi8>, tensor<3xi8>) outs(%i : tensor<2x8x5xi32>) {
  ^bb0(%a: i8, %unused: i8, %acc: i32):
    %a32 = arith.extui %a : i8 to i32
    %s = arith.addi %a32, %acc : i32
    linalg.yield %s : i32
  } -> tensor<2x8x5xi32>
  return %y : tensor<2x8x5xi32>
}

// Channels are summed with the window.
// REMARK-DAG: [Missed] raise-pool {{.*}}map-mismatch: a loop is neither a dim of the result nor of the window
// CHECK-LABEL: func @sum_of_channels(
// CHECK: linalg.generic
func.func @sum_of_channels(%x: tensor<2x8x7xf32>, %k: tensor<3xf32>, %i: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, h, c, k) -> (n, c, h + k)>, affine_map<(n, h, c, k) -> (k)>, affine_map<(n, h, c, k) -> (n, h)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %k : tensor<2x8x7xf32>, tensor<3xf32>) outs(%i : tensor<2x5xf32>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32):
    %s = arith.addf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}
