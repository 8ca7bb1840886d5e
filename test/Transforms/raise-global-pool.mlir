// RUN: mlir-fusion-opt %s -fusion-raise -canonicalize | FileCheck %s

// A window that is the image is a reduction.
// CHECK-LABEL: func.func @whole_image
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?x8x6x?xf32>
// CHECK:       %[[SUM:[^ ]*]] = linalg.reduce { arith.addf } ins(%[[X]] : tensor<?x8x6x?xf32>) outs(%{{.*}} : tensor<?x8xf32>) dimensions = [2, 3]
// CHECK:       tensor.expand_shape %[[SUM]] {{\[\[}}0], [1, 2, 3]] output_shape [%{{.*}}, 8, 1, 1] : tensor<?x8xf32> into tensor<?x8x1x1xf32>
func.func @whole_image(%x: tensor<?x8x6x?xf32>, %n: index, %w: index) -> tensor<?x8x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x8x1x1xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  %window = tensor.empty(%w) : tensor<6x?xf32>
  %y = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %window : tensor<?x8x6x?xf32>, tensor<6x?xf32>) outs(%fill : tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  return %y : tensor<?x8x1x1xf32>
}

// CHECK-LABEL: func.func @channels_last
// CHECK:       linalg.reduce { arith.maximumf } {{.*}} dimensions = [1, 2]
// CHECK:       tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3]]
func.func @channels_last(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>, %h: index, %w: index) -> tensor<?x1x1x8xf32> {
  %window = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}

// More than one place: the window is not the image.
// CHECK-LABEL: func.func @places
// CHECK:       linalg.pooling_nhwc_max
func.func @places(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x2x8xf32>, %h: index, %w: index) -> tensor<?x1x2x8xf32> {
  %window = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x2x8xf32>) -> tensor<?x1x2x8xf32>
  return %y : tensor<?x1x2x8xf32>
}
