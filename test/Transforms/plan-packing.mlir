// RUN: mlir-fusion-opt %s --fusion-pack-constants=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-pack-constants=target=x86-64-v4 | FileCheck %s --check-prefix=V4

// A block is one vector where the group has no more channels, else what a tile keeps in registers; the rest of it is zero.
// CHECK-LABEL: func @matmul
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}[1.000000e+00, 2.000000e+00, 3.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x2x8xf32>
// CHECK: fusion.matmul ins(%{{.*}}, %[[W]] : tensor<4x2xf32>, tensor<1x2x8xf32>) outs(%{{.*}} : tensor<4x3xf32>) {rhs_layout = packed}
// V4-LABEL: func @matmul
// V4: fusion.matmul {{.*}} tensor<1x2x16xf32>
func.func @matmul(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @matmul_transposed
// CHECK: arith.constant dense<{{\[\[}}[1.000000e+00, 4.000000e+00, 0.000000e+00,
// CHECK-SAME: [2.000000e+00, 5.000000e+00, 0.000000e+00,
// CHECK-SAME: [3.000000e+00, 6.000000e+00, 0.000000e+00, {{.*}}> : tensor<1x3x8xf32>
// CHECK: {rhs_layout = packed}
func.func @matmul_transposed(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x3xf32>, tensor<2x3xf32>) outs(%e : tensor<4x2xf32>) {transpose_rhs} -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @conv
// CHECK: fusion.conv ins(%{{.*}}, %{{.*}} : tensor<1x8x8x3xf32>, tensor<1x2x2x3x24xf32>) outs(%{{.*}} : tensor<1x7x7x20xf32>) {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
// V4-LABEL: func @conv
// V4: tensor<1x2x2x3x32xf32>
func.func @conv(%x: tensor<1x8x8x3xf32>) -> tensor<1x7x7x20xf32> {
  %w = arith.constant dense<1.0> : tensor<20x3x2x2xf32>
  %e = tensor.empty() : tensor<1x7x7x20xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x3xf32>, tensor<20x3x2x2xf32>) outs(%e : tensor<1x7x7x20xf32>) {input_layout = channels_last, output_layout = channels_last} -> tensor<1x7x7x20xf32>
  return %0 : tensor<1x7x7x20xf32>
}

// Each group has blocks of its own: 2 x ceil(18 / 24).
// CHECK-LABEL: func @grouped
// CHECK: fusion.conv ins(%{{.*}}, %{{.*}} : tensor<1x4x4x4xf32>, tensor<2x1x1x2x24xf32>) {{.*}} {filter_layout = packed, groups = 2 : i64,
func.func @grouped(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x36xf32> {
  %w = arith.constant dense<1.0> : tensor<1x1x2x36xf32>
  %e = tensor.empty() : tensor<1x4x4x36xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x4xf32>, tensor<1x1x2x36xf32>) outs(%e : tensor<1x4x4x36xf32>)
    {groups = 2, filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x4x36xf32>
  return %0 : tensor<1x4x4x36xf32>
}

// A depthwise filter's channels come last, in one block.
// CHECK-LABEL: func @depthwise
// CHECK: arith.constant dense<{{\[\[}}{{\[\[}}1.000000e+00, 3.000000e+00]], {{\[\[}}2.000000e+00, 4.000000e+00]]]]> : tensor<1x2x1x2xf32>
// CHECK: fusion.conv {{.*}} {filter_layout = spatial_in_out, groups = 2 : i64,
func.func @depthwise(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x3x2xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]]]> : tensor<2x1x1x2xf32>
  %e = tensor.empty() : tensor<1x4x3x2xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>) outs(%e : tensor<1x4x3x2xf32>)
    {groups = 2, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x3x2xf32>
  return %0 : tensor<1x4x3x2xf32>
}

// Two roots, one resource.
// CHECK-LABEL: func @shared
// CHECK-COUNT-2: arith.constant dense_resource<constant_packed> : tensor<1x600x8xf32>
func.func @shared(%x: tensor<4x600xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %w = arith.constant dense<1.0> : tensor<600x1xf32>
  %e = tensor.empty() : tensor<4x1xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x600xf32>, tensor<600x1xf32>) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = fusion.matmul ins(%x, %w : tensor<4x600xf32>, tensor<600x1xf32>) outs(%e : tensor<4x1xf32>)
    epilogue(%acc: f32) {
      %2 = arith.negf %acc : f32
      fusion.yield %2 : f32
  } -> tensor<4x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// Packed weights do not say how many columns they had, so the result does.
// CHECK-LABEL: func @columns
// CHECK: %[[E:.*]] = tensor.cast %{{.*}} : tensor<4x?xf32> to tensor<4x3xf32>
// CHECK: %[[Y:.*]] = fusion.matmul {{.*}} outs(%[[E]] : tensor<4x3xf32>) {rhs_layout = packed}
// CHECK: tensor.cast %[[Y]] : tensor<4x3xf32> to tensor<4x?xf32>
func.func @columns(%x: tensor<4x2xf32>, %e: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%e : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// Computed weights stay as they are.
// CHECK-LABEL: func @computed
// CHECK: fusion.matmul ins(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<2x3xf32>) outs(%{{.*}} : tensor<4x3xf32>) ->
func.func @computed(%x: tensor<4x2xf32>, %w: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A kernel that goes through one plane after the other reads one filter after
// the other, too.
// CHECK-LABEL: func @planes(
// CHECK: fusion.conv ins(%{{[^ ]*}}, %{{[^ ]*}} : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>)
// CHECK-NOT: filter_layout
// CHECK: return
func.func @planes(%x: tensor<1x8x9x20xf32>, %e: tensor<1x8x7x18xf32>) -> tensor<1x8x7x18xf32> {
  %w = arith.constant dense<1.0> : tensor<8x1x3x3xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>) outs(%e : tensor<1x8x7x18xf32>) {groups = 8} -> tensor<1x8x7x18xf32>
  return %y : tensor<1x8x7x18xf32>
}
