// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s

// Kernels at a network's border read and write the other order themselves: a
// pointwise convolution both, a 3 x 3 one writes it. What a residual is read
// as goes with the result.
// CHECK-LABEL: func @pointwise(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x5x7xf32>, %[[W:.*]]: tensor<1x1x8x16xf32>, %[[R:.*]]: tensor<1x16x5x7xf32>, %[[B:.*]]: tensor<16xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.conv ins(%[[X]], %[[W]] :
// CHECK-SAME: outs(%{{.*}} : tensor<1x16x5x7xf32>) {filter_layout = spatial_in_out}
// CHECK-SAME: %{{.*}} = %[[R]][0, 1, 2, 3] : tensor<1x16x5x7xf32>, %{{.*}} = %[[B]][1] : tensor<16xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pointwise(%x: tensor<1x8x5x7xf32>, %w: tensor<1x1x8x16xf32>, %r: tensor<1x16x5x7xf32>, %b: tensor<16xf32>) -> tensor<1x16x5x7xf32> {
  %e = tensor.empty() : tensor<1x16x5x7xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x5x7xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x16x5x7xf32>) {filter_layout = spatial_in_out}
    epilogue(%acc: f32, %p = %r[0, 1, 2, 3] : tensor<1x16x5x7xf32>, %q = %b[1] : tensor<16xf32>) {
      %s = arith.addf %acc, %p : f32
      %t = arith.addf %s, %q : f32
      fusion.yield %t : f32
  } -> tensor<1x16x5x7xf32>
  return %y : tensor<1x16x5x7xf32>
}

// CHECK-LABEL: func @window(
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: fusion.conv
// CHECK-SAME: outs(%{{.*}} : tensor<1x16x3x5xf32>) {filter_layout = spatial_in_out, input_layout = channels_last}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @window(%x: tensor<1x8x5x7xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x16x3x5xf32> {
  %e = tensor.empty() : tensor<1x16x3x5xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x5x7xf32>, tensor<3x3x8x16xf32>) outs(%e : tensor<1x16x3x5xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x3x5xf32>
  return %y : tensor<1x16x3x5xf32>
}

// Channels 4 KiB apart would share a set of the cache, and a result with two
// readers is needed in both orders.
// CHECK-LABEL: func @not_at_border(
// CHECK: linalg.transpose
// CHECK: fusion.conv
// CHECK-SAME: {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
// CHECK: linalg.transpose
// CHECK: return
func.func @not_at_border(%x: tensor<1x8x32x32xf32>, %w: tensor<1x1x8x16xf32>) -> (tensor<1x16x32x32xf32>, tensor<1x16x30x30xf32>) {
  %v = arith.constant dense<1.0> : tensor<3x3x16x16xf32>
  %e = tensor.empty() : tensor<1x16x32x32xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x32x32xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x16x32x32xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x32x32xf32>
  %f = tensor.empty() : tensor<1x16x30x30xf32>
  %z = fusion.conv ins(%y, %v : tensor<1x16x32x32xf32>, tensor<3x3x16x16xf32>) outs(%f : tensor<1x16x30x30xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x30x30xf32>
  return %y, %z : tensor<1x16x32x32xf32>, tensor<1x16x30x30xf32>
}
