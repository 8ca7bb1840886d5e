// RUN: mlir-fusion-opt %s --fusion-assign-layout=disable-patterns=multiply-channels-first,write-channels-first,read-channels-first | FileCheck %s

// CHECK-LABEL: func @two_convs
// CHECK-SAME: %[[X:.*]]: tensor<1x3x8x8xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<1x3x8x8xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: %[[A:.*]] = fusion.conv ins(%[[T]], %{{.*}} : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) {{.*}}input_layout = channels_last, output_layout = channels_last
// CHECK: %[[B:.*]] = fusion.conv ins(%[[A]], %{{.*}}) outs(%{{.*}} : tensor<1x6x6x4xf32>)
// CHECK: %[[U:.*]] = linalg.transpose ins(%[[B]] : tensor<1x6x6x4xf32>) {{.*}} permutation = [0, 3, 1, 2]
// CHECK: return %[[U]]
func.func @two_convs(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x4xf32>, %v: tensor<1x1x4x4xf32>) -> tensor<1x4x6x6xf32> {
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x4xf32>) outs(%e : tensor<1x4x6x6xf32>) {filter_layout = spatial_in_out} -> tensor<1x4x6x6xf32>
  %1 = fusion.conv ins(%0, %v : tensor<1x4x6x6xf32>, tensor<1x1x4x4xf32>) outs(%e : tensor<1x4x6x6xf32>) {filter_layout = spatial_in_out} -> tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// Residual, bias and init follow; dims are renumbered.
// CHECK-LABEL: func @epilogue
// CHECK: %[[A:.*]] = fusion.conv
// CHECK: %[[B:.*]] = fusion.conv ins(%[[A]], %{{.*}} : tensor<1x6x6x4xf32>, tensor<1x1x4x4xf32>) outs(%[[A]] : tensor<1x6x6x4xf32>)
// CHECK-SAME: epilogue(%{{.*}}: f32, %{{.*}} = %{{.*}}[3] : tensor<4xf32>, %{{.*}} = %[[A]][0, 1, 2, 3] : tensor<1x6x6x4xf32>, %{{.*}} = %{{.*}}[0, 3] : tensor<1x4xf32>, init %{{.*}}: f32)
// CHECK: linalg.transpose ins(%[[B]]
func.func @epilogue(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x4xf32>, %v: tensor<1x1x4x4xf32>, %b: tensor<4xf32>, %g: tensor<1x4xf32>) -> tensor<1x4x6x6xf32> {
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x4xf32>) outs(%e : tensor<1x4x6x6xf32>) {filter_layout = spatial_in_out} -> tensor<1x4x6x6xf32>
  %1 = fusion.conv ins(%0, %v : tensor<1x4x6x6xf32>, tensor<1x1x4x4xf32>) outs(%0 : tensor<1x4x6x6xf32>) {filter_layout = spatial_in_out}
    epilogue(%acc: f32, %p = %b[1] : tensor<4xf32>, %r = %0[0, 1, 2, 3] : tensor<1x4x6x6xf32>, %s = %g[0, 1] : tensor<1x4xf32>, init %d: f32) {
      %2 = arith.addf %acc, %p : f32
      %3 = arith.addf %2, %r : f32
      %4 = arith.mulf %3, %s : f32
      %5 = arith.addf %4, %d : f32
      fusion.yield %5 : f32
  } -> tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// What is channels-last already stays as it is.
// CHECK-LABEL: func @channels_last
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @channels_last(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%e : tensor<1x6x6x4xf32>)
    {input_layout = channels_last, output_layout = channels_last, filter_layout = spatial_in_out} -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// An importer's own transposes around a channels-first conv cancel.
// CHECK-LABEL: func @explicit_transposes
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @explicit_transposes(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %e0 = tensor.empty() : tensor<1x3x8x8xf32>
  %t = linalg.transpose ins(%x : tensor<1x8x8x3xf32>) outs(%e0 : tensor<1x3x8x8xf32>) permutation = [0, 3, 1, 2]
  %e = tensor.empty() : tensor<1x4x6x6xf32>
  %0 = fusion.conv ins(%t, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x4xf32>) outs(%e : tensor<1x4x6x6xf32>) {filter_layout = spatial_in_out} -> tensor<1x4x6x6xf32>
  %e1 = tensor.empty() : tensor<1x6x6x4xf32>
  %u = linalg.transpose ins(%0 : tensor<1x4x6x6xf32>) outs(%e1 : tensor<1x6x6x4xf32>) permutation = [0, 2, 3, 1]
  return %u : tensor<1x6x6x4xf32>
}

// The end of a classifier: the pooled image is a reshape, not a transpose.
// CHECK-LABEL: func @global_pool
// CHECK: fusion.pool average ins(%{{.*}} : tensor<1x7x7x16xf32>) outs(%{{.*}} : tensor<1x1x1x16xf32>) {layout = channels_last, window = [7, 7]}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @global_pool(%x: tensor<1x3x7x7xf32>, %w: tensor<1x1x3x16xf32>) -> tensor<1x16xf32> {
  %e = tensor.empty() : tensor<1x16x7x7xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x7x7xf32>, tensor<1x1x3x16xf32>) outs(%e : tensor<1x16x7x7xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x7x7xf32>
  %f = tensor.empty() : tensor<1x16x1x1xf32>
  %1 = fusion.pool average ins(%0 : tensor<1x16x7x7xf32>) outs(%f : tensor<1x16x1x1xf32>) {window = [7, 7]} -> tensor<1x16x1x1xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<1x16xf32>
  return %2 : tensor<1x16xf32>
}

// 1-D and 3-D images.
// CHECK-LABEL: func @one_and_three_dims
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK: fusion.conv ins(%{{.*}} : tensor<1x8x3xf32>, tensor<3x3x4xf32>)
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 1]
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 3, 4, 1]
// CHECK: fusion.pool max
// CHECK: linalg.transpose {{.*}} permutation = [0, 4, 1, 2, 3]
func.func @one_and_three_dims(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %y: tensor<1x2x4x4x4xf32>) -> (tensor<1x4x6xf32>, tensor<1x2x3x3x3xf32>) {
  %e = tensor.empty() : tensor<1x4x6xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8xf32>, tensor<4x3x3xf32>) outs(%e : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %f = tensor.empty() : tensor<1x2x3x3x3xf32>
  %1 = fusion.pool max ins(%y : tensor<1x2x4x4x4xf32>) outs(%f : tensor<1x2x3x3x3xf32>) {window = [2, 2, 2]} -> tensor<1x2x3x3x3xf32>
  return %0, %1 : tensor<1x4x6xf32>, tensor<1x2x3x3x3xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[X:.*]]: tensor<?x3x?x?xf32>
// CHECK: linalg.transpose ins(%[[X]] : tensor<?x3x?x?xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: fusion.conv {{.*}} -> tensor<?x?x?x4xf32>
// CHECK: fusion.conv {{.*}} -> tensor<?x?x?x4xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NOT: linalg.transpose
func.func @dynamic(%x: tensor<?x3x?x?xf32>, %w: tensor<1x1x3x4xf32>, %v: tensor<1x1x4x4xf32>) -> tensor<?x4x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x3x?x?xf32>
  %k = tensor.dim %x, %c3 : tensor<?x3x?x?xf32>
  %e = tensor.empty(%n, %h, %k) : tensor<?x4x?x?xf32>
  %0 = fusion.conv ins(%x, %w : tensor<?x3x?x?xf32>, tensor<1x1x3x4xf32>) outs(%e : tensor<?x4x?x?xf32>) {filter_layout = spatial_in_out} -> tensor<?x4x?x?xf32>
  %n0 = tensor.dim %0, %c0 : tensor<?x4x?x?xf32>
  %h0 = tensor.dim %0, %c2 : tensor<?x4x?x?xf32>
  %k0 = tensor.dim %0, %c3 : tensor<?x4x?x?xf32>
  %f = tensor.empty(%n0, %h0, %k0) : tensor<?x4x?x?xf32>
  %1 = fusion.conv ins(%0, %v : tensor<?x4x?x?xf32>, tensor<1x1x4x4xf32>) outs(%f : tensor<?x4x?x?xf32>) {filter_layout = spatial_in_out} -> tensor<?x4x?x?xf32>
  return %1 : tensor<?x4x?x?xf32>
}

// A product is no image, but its kernel wants plain operands in order.
// CHECK-LABEL: func @matmul_operands
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<2x8xf32>, %[[R:.*]]: tensor<2x4xf32>
// CHECK-DAG: %[[WT:.*]] = linalg.transpose ins(%[[W]] : tensor<2x8xf32>) {{.*}} permutation = [1, 0]
// CHECK-DAG: %[[RT:.*]] = linalg.transpose ins(%[[R]] : tensor<2x4xf32>) {{.*}} permutation = [1, 0]
// CHECK: fusion.matmul ins(%[[X]], %[[WT]] : tensor<4x8xf32>, tensor<8x2xf32>)
// CHECK-NOT: transpose_rhs
// CHECK-SAME: = %[[RT]][0, 1] : tensor<4x2xf32>
func.func @matmul_operands(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>, %r: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<2x8xf32>) outs(%e : tensor<4x2xf32>) {transpose_rhs}
    epilogue(%acc: f32, %s = %r[1, 0] : tensor<2x4xf32>) {
      %1 = arith.addf %acc, %s : f32
      fusion.yield %1 : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @order_only
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: = %[[T]][0, 1] : tensor<4x2xf32>
func.func @order_only(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %r: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>)
    epilogue(%acc: f32, %s = %r[1, 0] : tensor<2x4xf32>) {
      %1 = arith.addf %acc, %s : f32
      fusion.yield %1 : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A constant matrix is packed from either order later.
// CHECK-LABEL: func @constant_rhs
// CHECK-NOT: linalg.transpose
// CHECK: fusion.matmul {{.*}} {transpose_rhs}
func.func @constant_rhs(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x2xf32>) outs(%e : tensor<4x2xf32>) {transpose_rhs} -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A filter that is computed is read as it is: its output channels must be next to each other.
// CHECK-LABEL: func @runtime_filter
// CHECK-SAME: %[[X:.*]]: tensor<1x6x6x4xf32>, %[[W:.*]]: tensor<8x3x3x4xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<8x3x3x4xf32>) outs({{.*}} : tensor<3x3x4x8xf32>) permutation = [1, 2, 3, 0]
// CHECK: fusion.conv ins(%[[X]], %[[T]] : {{.*}}) outs({{.*}}) {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
func.func @runtime_filter(%x: tensor<1x6x6x4xf32>, %w: tensor<8x3x3x4xf32>) -> tensor<1x4x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x6x6x4xf32>, tensor<8x3x3x4xf32>) outs(%e : tensor<1x4x4x8xf32>)
    {filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// Together with the image.
// CHECK-LABEL: func @runtime_filter_first
// CHECK: linalg.transpose ins({{.*}} : tensor<8x4x3x3xf32>) outs({{.*}} : tensor<3x3x4x8xf32>) permutation = [2, 3, 1, 0]
// CHECK: fusion.conv {{.*}} {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
func.func @runtime_filter_first(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x4x4xf32> {
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// CHECK-LABEL: func @runtime_filter_of_bytes
// CHECK: linalg.transpose ins({{.*}} : tensor<8x3x3x4xi8>) outs({{.*}} : tensor<3x3x4x8xi8>) permutation = [1, 2, 3, 0]
// CHECK: fusion.conv {{.*}} {filter_layout = spatial_in_out,
func.func @runtime_filter_of_bytes(%x: tensor<1x6x6x4xi8>, %w: tensor<8x3x3x4xi8>) -> tensor<1x4x4x8xi32> {
  %e = tensor.empty() : tensor<1x4x4x8xi32>
  %0 = fusion.conv ins(%x, %w : tensor<1x6x6x4xi8>, tensor<8x3x3x4xi8>) outs(%e : tensor<1x4x4x8xi32>)
    {filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x4x8xi32>
  return %0 : tensor<1x4x4x8xi32>
}

// The phases of a transposed convolution take their taps from the filter in that order, so that each has a kernel.
// CHECK-LABEL: func @runtime_filter_transposed
// CHECK-SAME: (%{{.*}}, %[[W:.*]]: tensor<8x4x3x3xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<8x4x3x3xf32>) outs({{.*}}) permutation = [2, 3, 1, 0]
// CHECK: fusion.conv_transpose {{.*}} {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, strides = [2, 2]}
func.func @runtime_filter_transposed(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x13x13xf32> {
  %e = tensor.empty() : tensor<1x8x13x13xf32>
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x13x13xf32>) {strides = [2, 2]} -> tensor<1x8x13x13xf32>
  return %0 : tensor<1x8x13x13xf32>
}

// CHECK-LABEL: func @runtime_filter_transposed_last
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x3x3x4xi8>) outs({{.*}}) permutation = [1, 2, 3, 0]
// CHECK: fusion.conv_transpose {{.*}} {filter_layout = spatial_in_out,
func.func @runtime_filter_transposed_last(%x: tensor<1x6x6x4xi8>, %w: tensor<8x3x3x4xi8>) -> tensor<1x13x13x8xi32> {
  %e = tensor.empty() : tensor<1x13x13x8xi32>
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x6x6x4xi8>, tensor<8x3x3x4xi8>) outs(%e : tensor<1x13x13x8xi32>)
    {filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last, strides = [2, 2]} -> tensor<1x13x13x8xi32>
  return %0 : tensor<1x13x13x8xi32>
}
