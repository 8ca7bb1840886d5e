// RUN: mlir-fusion-opt %s -fusion-raise -canonicalize | FileCheck %s

// A window that is the image is a reduction.
// CHECK-LABEL: func.func @whole_image
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?x8x6x?xf32>
// CHECK:       %[[SUM:[^ ]*]] = linalg.reduce { arith.addf } ins(%[[X]] : tensor<?x8x6x?xf32>) outs(%{{.*}} : tensor<?x8xf32>) dimensions = [2, 3]
// CHECK:       tensor.expand_shape %[[SUM]] {{\[\[}}0], [1, 2, 3]] output_shape [%{{.*}}, 8, 1, 1] : tensor<?x8xf32> into tensor<?x8x1x1xf32>
func.func @whole_image(%x: tensor<?x8x6x?xf32>) -> tensor<?x8x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x6x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x8x6x?xf32>
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
func.func @channels_last(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %window = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}

// As importers write it: the image's size and the window's are computed apart, in the same way.
// CHECK-LABEL: func.func @same_arithmetic
// CHECK:       linalg.reduce { arith.addf } {{.*}} dimensions = [2]
func.func @same_arithmetic(%y: tensor<1x8x?xf32>, %init: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %l = tensor.dim %y, %c2 : tensor<1x8x?xf32>
  %l64 = arith.index_cast %l : index to i64
  %half = arith.floordivsi %l64, %two : i64
  %size = arith.addi %half, %one : i64
  %image = arith.index_cast %size : i64 to index
  %e = tensor.empty(%image) : tensor<1x8x?xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%e : tensor<1x8x?xf32>) {
  ^bb0(%out: f32):
    %v = arith.negf %out : f32
    linalg.yield %v : f32
  } -> tensor<1x8x?xf32>
  %half2 = arith.floordivsi %l64, %two : i64
  %size2 = arith.addi %half2, %one : i64
  %w = arith.index_cast %size2 : i64 to index
  %window = tensor.empty(%w) : tensor<?xf32>
  %s = linalg.pooling_ncw_sum {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
    ins(%x, %window : tensor<1x8x?xf32>, tensor<?xf32>) outs(%init : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %s : tensor<1x8x1xf32>
}

// The size of a padded image, in linear terms.
// CHECK-LABEL: func.func @padded_image
// CHECK:       linalg.reduce { arith.addf } {{.*}} dimensions = [2]
func.func @padded_image(%y: tensor<1x8x?xf32>, %init: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %l = tensor.dim %y, %c2 : tensor<1x8x?xf32>
  %x = tensor.pad %y low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %one : f32
  } : tensor<1x8x?xf32> to tensor<1x8x?xf32>
  %w = arith.addi %l, %c3 : index
  %window = tensor.empty(%w) : tensor<?xf32>
  %s = linalg.pooling_ncw_sum {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
    ins(%x, %window : tensor<1x8x?xf32>, tensor<?xf32>) outs(%init : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %s : tensor<1x8x1xf32>
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

// A window whose size is not known to be the image's may leave some of it out.
// CHECK-LABEL: func.func @any_window
// CHECK:       linalg.pooling_nhwc_max
func.func @any_window(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>, %h: index, %w: index) -> tensor<?x1x1x8xf32> {
  %window = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}

// Height and width are swapped.
// CHECK-LABEL: func.func @swapped
// CHECK:       linalg.pooling_nhwc_max
func.func @swapped(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %w = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %window = tensor.empty(%w, %h) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}

// The last column is left out.
// CHECK-LABEL: func.func @one_less
// CHECK:       linalg.pooling_nhwc_max
func.func @one_less(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %all = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %w = arith.subi %all, %c1 : index
  %window = tensor.empty(%h, %w) : tensor<?x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<?x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}

// One dim of the window is static, the image's is not.
// CHECK-LABEL: func.func @static_dim
// CHECK:       linalg.pooling_nhwc_max
func.func @static_dim(%x: tensor<?x?x?x8xf32>, %init: tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32> {
  %c2 = arith.constant 2 : index
  %w = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %window = tensor.empty(%w) : tensor<3x?xf32>
  %y = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<3> : vector<2xi64>}
    ins(%x, %window : tensor<?x?x?x8xf32>, tensor<3x?xf32>) outs(%init : tensor<?x1x1x8xf32>) -> tensor<?x1x1x8xf32>
  return %y : tensor<?x1x1x8xf32>
}
