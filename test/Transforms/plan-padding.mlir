// RUN: mlir-fusion-opt %s --fusion-materialize-padding=target=x86-64-v4 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-materialize-padding="target=x86-64-v4 skip-padding=false" | FileCheck %s --check-prefix=OFF
// RUN: mlir-fusion-opt %s --fusion-materialize-padding="target=x86-64-v4 trace-rules=fusion.conv" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: remark: materialize-padding on fusion.conv: applied, exact

// CHECK-LABEL: func @conv
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x4xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[0, 1, 2, 0] high[0, 3, 0, 0]
// CHECK: tensor.yield %[[ZERO:.*]] : f32
// CHECK: tensor<1x8x8x4xf32> to tensor<1x12x10x4xf32>
// CHECK: fusion.conv ins(%[[P]], %{{.*}}) outs(%{{.*}}) {input_layout = channels_last, output_layout = channels_last} ->
func.func @conv(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x3x3xf32>, %e: tensor<1x10x8x4xf32>) -> tensor<1x10x8x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x4xf32>, tensor<4x4x3x3xf32>) outs(%e : tensor<1x10x8x4xf32>)
    {pad_low = [1, 2], pad_high = [3, 0], input_layout = channels_last, output_layout = channels_last} -> tensor<1x10x8x4xf32>
  return %0 : tensor<1x10x8x4xf32>
}

// CHECK-LABEL: func @channels_first_dynamic
// CHECK: tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: tensor<?x4x?x8xi8> to tensor<?x4x?x10xi8>
func.func @channels_first_dynamic(%x: tensor<?x4x?x8xi8>, %w: tensor<4x4x3x3xi8>, %e: tensor<?x4x?x8xi32>) -> tensor<?x4x?x8xi32> {
  %0 = fusion.conv ins(%x, %w : tensor<?x4x?x8xi8>, tensor<4x4x3x3xi8>) outs(%e : tensor<?x4x?x8xi32>) {pad_low = [1, 1], pad_high = [1, 1]} -> tensor<?x4x?x8xi32>
  return %0 : tensor<?x4x?x8xi32>
}

// A pool's kernel clamps its window.
// CHECK-LABEL: func @pool
// CHECK-NOT: tensor.pad
// CHECK: fusion.pool max {{.*}}pad_high = [1, 1]
func.func @pool(%x: tensor<1x4x4x8xf32>, %e: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {window = [3, 3], pad_low = [1, 1], pad_high = [1, 1], layout = channels_last} -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// A kernel that goes through one plane after the other pads itself.
// CHECK-LABEL: func @planes(
// CHECK-NOT: tensor.pad
// CHECK: fusion.conv {{.*}}pad_high = [1, 1], pad_low = [1, 1]
// CHECK: return
func.func @planes(%x: tensor<1x8x9x20xf32>, %w: tensor<8x1x3x3xf32>, %e: tensor<1x8x9x20xf32>) -> tensor<1x8x9x20xf32> {
  %y = fusion.conv ins(%x, %w : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>) outs(%e : tensor<1x8x9x20xf32>) {groups = 8, pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x9x20xf32>
  return %y : tensor<1x8x9x20xf32>
}

// Kernels of products skip what is in padding, here in tiles of one row and of
// two whole rows, and where the height is known at run time only.
// CHECK-LABEL: func @skipped(
// CHECK-NOT: tensor.pad
// CHECK-COUNT-3: fusion.conv {{.*}}pad_high = [1, 1]
// CHECK: return
// OFF-LABEL: func @skipped(
// OFF-COUNT-3: tensor.pad
// OFF: return
func.func @skipped(%x: tensor<1x9x28x4xf32>, %e: tensor<1x9x28x16xf32>, %y: tensor<1x7x7x4xf32>, %f: tensor<1x7x7x16xf32>,
                   %z: tensor<?x?x28x4xf32>, %g: tensor<?x?x28x16xf32>)
    -> (tensor<1x9x28x16xf32>, tensor<1x7x7x16xf32>, tensor<?x?x28x16xf32>) {
  %w = arith.constant dense<0.5> : tensor<1x3x3x4x16xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x9x28x4xf32>, tensor<1x3x3x4x16xf32>) outs(%e : tensor<1x9x28x16xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x28x16xf32>
  %1 = fusion.conv ins(%y, %w : tensor<1x7x7x4xf32>, tensor<1x3x3x4x16xf32>) outs(%f : tensor<1x7x7x16xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<1x7x7x16xf32>
  %2 = fusion.conv ins(%z, %w : tensor<?x?x28x4xf32>, tensor<1x3x3x4x16xf32>) outs(%g : tensor<?x?x28x16xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<?x?x28x16xf32>
  return %0, %1, %2 : tensor<1x9x28x16xf32>, tensor<1x7x7x16xf32>, tensor<?x?x28x16xf32>
}

// Zero times infinity is no zero. Computed weights may be infinite.
// CHECK-LABEL: func @infinite(
// CHECK-COUNT-3: tensor.pad
// CHECK: return
func.func @infinite(%x: tensor<1x9x28x1xf32>, %w: tensor<1x1x3x1x2xf32>, %e: tensor<1x9x28x2xf32>)
    -> (tensor<1x9x28x2xf32>, tensor<1x9x28x2xf32>, tensor<1x9x28x2xf32>) {
  %all = arith.constant dense<0x7F800000> : tensor<1x1x3x1x2xf32>
  %one = arith.constant dense<[[[[[1.0, 1.0]], [[1.0, 0x7FC00000]], [[1.0, 1.0]]]]]> : tensor<1x1x3x1x2xf32>
  %0 = fusion.conv ins(%x, %all : tensor<1x9x28x1xf32>, tensor<1x1x3x1x2xf32>) outs(%e : tensor<1x9x28x2xf32>)
    {pad_low = [0, 1], pad_high = [0, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x28x2xf32>
  %1 = fusion.conv ins(%x, %one : tensor<1x9x28x1xf32>, tensor<1x1x3x1x2xf32>) outs(%e : tensor<1x9x28x2xf32>)
    {pad_low = [0, 1], pad_high = [0, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x28x2xf32>
  %2 = fusion.conv ins(%x, %w : tensor<1x9x28x1xf32>, tensor<1x1x3x1x2xf32>) outs(%e : tensor<1x9x28x2xf32>)
    {pad_low = [0, 1], pad_high = [0, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x28x2xf32>
  return %0, %1, %2 : tensor<1x9x28x2xf32>, tensor<1x9x28x2xf32>, tensor<1x9x28x2xf32>
}

// CHECK-LABEL: func @skipped_depthwise(
// CHECK-NOT: tensor.pad
// CHECK: fusion.conv {{.*}}pad_high = [1, 1]
// CHECK: return
// OFF-LABEL: func @skipped_depthwise(
// OFF: tensor.pad
func.func @skipped_depthwise(%x: tensor<1x9x28x16xf32>, %e: tensor<1x9x28x16xf32>) -> tensor<1x9x28x16xf32> {
  %w = arith.constant dense<0.5> : tensor<3x3x1x16xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x9x28x16xf32>, tensor<3x3x1x16xf32>) outs(%e : tensor<1x9x28x16xf32>)
    {groups = 16, pad_low = [1, 1], pad_high = [1, 1], filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x28x16xf32>
  return %0 : tensor<1x9x28x16xf32>
}

// A window this large is loops, and one this wide would have code of its own in
// nearly every tile.
// CHECK-LABEL: func @large_depthwise_windows(
// CHECK-COUNT-2: tensor.pad
// CHECK: return
func.func @large_depthwise_windows(%x: tensor<1x12x28x16xf32>, %e: tensor<1x12x28x16xf32>) -> (tensor<1x12x28x16xf32>, tensor<1x12x28x16xf32>) {
  %square = arith.constant dense<0.5> : tensor<9x9x1x16xf32>
  %row = arith.constant dense<0.5> : tensor<1x25x1x16xf32>
  %0 = fusion.conv ins(%x, %square : tensor<1x12x28x16xf32>, tensor<9x9x1x16xf32>) outs(%e : tensor<1x12x28x16xf32>)
    {groups = 16, pad_low = [4, 4], pad_high = [4, 4], filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last} -> tensor<1x12x28x16xf32>
  %1 = fusion.conv ins(%x, %row : tensor<1x12x28x16xf32>, tensor<1x25x1x16xf32>) outs(%e : tensor<1x12x28x16xf32>)
    {groups = 16, pad_low = [0, 12], pad_high = [0, 12], filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last} -> tensor<1x12x28x16xf32>
  return %0, %1 : tensor<1x12x28x16xf32>, tensor<1x12x28x16xf32>
}
