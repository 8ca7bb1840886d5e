// RUN: mlir-fusion-opt %s -split-input-file --fusion-assign-layout | FileCheck %s
// RUN: mlir-fusion-opt %s -split-input-file --fusion-assign-layout --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A pointwise convolution of a channels-first image to a channels-first result is a product that turns neither; an operand
// a channel becomes one a row.
// CHECK-LABEL: func @one_image(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x2x4x8xf32>, %[[R:[^ ]*]]: tensor<1x3x4x8xf32>, %[[B:[^ ]*]]: tensor<3xf32>, %[[S:[^ ]*]]: f32
// CHECK-NOT: linalg.transpose
// CHECK: %[[COLUMNS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2, 3]] : tensor<1x2x4x8xf32> into tensor<2x32xf32>
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: %[[MATRIX:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2, 3]] : tensor<1x3x4x8xf32> into tensor<3x32xf32>
// CHECK: %[[Y:.*]] = fusion.matmul ins(%[[W]], %[[COLUMNS]] :
// CHECK-SAME: %{{.*}} = %[[MATRIX]][0, 1] : tensor<3x32xf32>, %{{.*}} = %[[B]][0] : tensor<3xf32>, %{{.*}} = %[[S]] : f32
// CHECK: %[[IMAGE:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2, 3]] output_shape [1, 3, 4, 8]
// CHECK-NOT: linalg.transpose
// CHECK: return %[[IMAGE]]
// REMARK: {{.*}}:[[#@LINE+4]]:{{.*}}multiply-channels-first{{.*}}fused: the filter times the channels-first image
func.func @one_image(%x: tensor<1x2x4x8xf32>, %r: tensor<1x3x4x8xf32>, %b: tensor<3xf32>, %a: f32) -> tensor<1x3x4x8xf32> {
  %w = arith.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]> : tensor<3x2x1x1xf32>
  %e = tensor.empty() : tensor<1x3x4x8xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x4x8xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x4x8xf32>)
    epilogue(%acc: f32, %p = %r[0, 1, 2, 3] : tensor<1x3x4x8xf32>, %q = %b[1] : tensor<3xf32>, %t = %a : f32) {
      %0 = arith.addf %acc, %p : f32
      %1 = arith.addf %0, %q : f32
      %2 = arith.mulf %1, %t : f32
      fusion.yield %2 : f32
  } -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}

// -----

// Images are batch dims, however many; a constant filter gets its output channels as rows, and of a 1-D image nothing
// is merged.
// CHECK-LABEL: func @images(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x2x32xf32>, %[[G:[^ ]*]]: tensor<?x3xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: %[[Y:.*]] = fusion.matmul ins(%[[W]], %[[X]] : tensor<3x2xf32>, tensor<?x2x32xf32>) outs(%{{.*}} : tensor<?x3x32xf32>)
// CHECK-SAME: %{{.*}} = %[[G]][0, 1] : tensor<?x3xf32>
// CHECK: return %[[Y]]
func.func @images(%x: tensor<?x2x32xf32>, %g: tensor<?x3xf32>, %n: index) -> tensor<?x3x32xf32> {
  %w = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %e = tensor.empty(%n) : tensor<?x3x32xf32>
  %y = fusion.conv ins(%x, %w : tensor<?x2x32xf32>, tensor<1x2x3xf32>) outs(%e : tensor<?x3x32xf32>) {filter_layout = spatial_in_out}
    epilogue(%acc: f32, %q = %g[0, 1] : tensor<?x3xf32>) {
      %0 = arith.mulf %acc, %q : f32
      fusion.yield %0 : f32
  } -> tensor<?x3x32xf32>
  return %y : tensor<?x3x32xf32>
}

// -----

// A filter that is computed is read in its own order.
// CHECK-LABEL: func @computed_filters(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<2x2x4x8xf32>, %[[W:[^ ]*]]: tensor<3x2x1x1xf32>, %[[V:[^ ]*]]: tensor<1x1x2x3xf32>
// CHECK-NOT: linalg.transpose
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1, 2, 3]] : tensor<3x2x1x1xf32> into tensor<3x2xf32>
// CHECK: fusion.matmul ins(%[[ROWS]], %{{.*}} : tensor<3x2xf32>, tensor<2x2x32xf32>)
// CHECK: %[[TRANSPOSED:.*]] = tensor.collapse_shape %[[V]] {{\[\[}}0, 1, 2], [3]] : tensor<1x1x2x3xf32> into tensor<2x3xf32>
// CHECK: fusion.matmul ins(%[[TRANSPOSED]], %{{.*}} : tensor<2x3xf32>, tensor<2x2x32xf32>) outs(%{{.*}}) {transpose_lhs}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @computed_filters(%x: tensor<2x2x4x8xf32>, %w: tensor<3x2x1x1xf32>, %v: tensor<1x1x2x3xf32>) -> (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>) {
  %e = tensor.empty() : tensor<2x3x4x8xf32>
  %y = fusion.conv ins(%x, %w : tensor<2x2x4x8xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  %z = fusion.conv ins(%x, %v : tensor<2x2x4x8xf32>, tensor<1x1x2x3xf32>) outs(%e : tensor<2x3x4x8xf32>) {filter_layout = spatial_in_out} -> tensor<2x3x4x8xf32>
  return %y, %z : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
}

// -----

// CHECK-LABEL: func @few_pixels(
// CHECK-NOT: fusion.matmul
// CHECK: fusion.conv
// REMARK: {{.*}}:[[#@LINE+3]]:{{.*}}multiply-channels-first{{.*}}unprofitable: the pixels leave vectors empty
func.func @few_pixels(%x: tensor<1x2x5x7xf32>, %w: tensor<3x2x1x1xf32>) -> tensor<1x3x5x7xf32> {
  %e = tensor.empty() : tensor<1x3x5x7xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x5x7xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x5x7xf32>) -> tensor<1x3x5x7xf32>
  return %y : tensor<1x3x5x7xf32>
}

// -----

// CHECK-LABEL: func @unknown_pixels(
// CHECK-NOT: fusion.matmul
// CHECK: fusion.conv
// REMARK: {{.*}}:[[#@LINE+3]]:{{.*}}multiply-channels-first{{.*}}dynamic-shape: the image's channels or pixels, or the result's channels, are not known
func.func @unknown_pixels(%x: tensor<1x2x4x?xf32>, %w: tensor<3x2x1x1xf32>, %n: index) -> tensor<1x3x4x?xf32> {
  %e = tensor.empty(%n) : tensor<1x3x4x?xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x4x?xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x4x?xf32>) -> tensor<1x3x4x?xf32>
  return %y : tensor<1x3x4x?xf32>
}

// -----

// What has one element a line of pixels has no place in a matrix, nor has what has one an image if there is one image.
// CHECK-LABEL: func @operand_a_line(
// CHECK-NOT: fusion.matmul
// CHECK: fusion.conv
// REMARK: {{.*}}:[[#@LINE+3]]:{{.*}}multiply-channels-first{{.*}}map-mismatch: an epilogue operand is no row, column or matrix of the product
func.func @operand_a_line(%x: tensor<1x2x4x8xf32>, %w: tensor<3x2x1x1xf32>, %l: tensor<4xf32>) -> tensor<1x3x4x8xf32> {
  %e = tensor.empty() : tensor<1x3x4x8xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x4x8xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x4x8xf32>)
    epilogue(%acc: f32, %p = %l[2] : tensor<4xf32>) {
      %0 = arith.addf %acc, %p : f32
      fusion.yield %0 : f32
  } -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}

// -----

// CHECK-LABEL: func @operand_an_image(
// CHECK-NOT: fusion.matmul
// CHECK: fusion.conv
func.func @operand_an_image(%x: tensor<1x2x4x8xf32>, %w: tensor<3x2x1x1xf32>, %l: tensor<1xf32>) -> tensor<1x3x4x8xf32> {
  %e = tensor.empty() : tensor<1x3x4x8xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x4x8xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x4x8xf32>)
    epilogue(%acc: f32, %p = %l[0] : tensor<1xf32>) {
      %0 = arith.addf %acc, %p : f32
      fusion.yield %0 : f32
  } -> tensor<1x3x4x8xf32>
  return %y : tensor<1x3x4x8xf32>
}

// -----

// A result that is read channels-last, too, stays a convolution's.
// CHECK-LABEL: func @inside(
// CHECK-NOT: fusion.matmul
// CHECK: return
func.func @inside(%x: tensor<1x2x4x8xf32>, %w: tensor<3x2x1x1xf32>, %v: tensor<3x3x3x3xf32>) -> (tensor<1x3x4x8xf32>, tensor<1x3x2x6xf32>) {
  %e = tensor.empty() : tensor<1x3x4x8xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x2x4x8xf32>, tensor<3x2x1x1xf32>) outs(%e : tensor<1x3x4x8xf32>) -> tensor<1x3x4x8xf32>
  %f = tensor.empty() : tensor<1x3x2x6xf32>
  %z = fusion.conv ins(%y, %v : tensor<1x3x4x8xf32>, tensor<3x3x3x3xf32>) outs(%f : tensor<1x3x2x6xf32>) -> tensor<1x3x2x6xf32>
  return %y, %z : tensor<1x3x4x8xf32>, tensor<1x3x2x6xf32>
}
