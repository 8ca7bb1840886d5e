// RUN: mlir-fusion-opt %s -split-input-file --transform-interpreter --canonicalize --cse -verify-diagnostics | FileCheck %s

// A tile of rows reads the rows that its windows span.
// CHECK: #[[TWICE:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-LABEL: func @conv_rows(
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OUT:.*]] = %{{.*}})
// CHECK: %[[FIRST:.*]] = affine.apply #[[TWICE]](%[[I]])
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[0, 0, %[[FIRST]], 0] [1, 4, 7, 9] {{.*}} to tensor<1x4x7x9xf32>
// CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[%[[I]]] [3] [1] : tensor<6xf32> to tensor<3xf32>
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[OUT]][0, 0, %[[I]], 0] [1, 8, 3, 7] {{.*}} to tensor<1x8x3x7xf32>
// CHECK: fusion.conv ins(%[[X]], %{{.*}} : tensor<1x4x7x9xf32>, tensor<8x4x3x3xf32>) outs(%[[Y]] : tensor<1x8x3x7xf32>) {strides = [2, 1]} epilogue(%{{.*}}: f32, %{{.*}} = %[[B]][2] : tensor<3xf32>)
func.func @conv_rows(%x: tensor<1x4x13x9xf32>, %w: tensor<8x4x3x3xf32>, %b: tensor<6xf32>, %i: tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x13x9xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x6x7xf32>) {strides = [2, 1]}
    epilogue(%acc: f32, %v = %b[2] : tensor<6xf32>) {
      %s = arith.addf %acc, %v : f32
      fusion.yield %s : f32
  } -> tensor<1x8x6x7xf32>
  return %0 : tensor<1x8x6x7xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of channels reads their filters.
// CHECK-LABEL: func @conv_channels(
// CHECK: %[[W:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, %[[I:.*]]] [3, 3, 4, 4] {{.*}} to tensor<3x3x4x4xf32>
// CHECK: fusion.conv ins(%{{.*}}, %[[W]] : tensor<1x6x6x4xf32>, tensor<3x3x4x4xf32>) outs(%{{.*}} : tensor<1x6x6x4xf32>) {{{.*}}pad_high = [1, 1], pad_low = [1, 1]}
func.func @conv_channels(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x8xf32>, %i: tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%i : tensor<1x6x6x8xf32>)
    {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of a depthwise convolution has as many groups as channels.
// CHECK-LABEL: func @depthwise_channels(
// CHECK: fusion.conv ins({{.*}} : tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) outs({{.*}} : tensor<1x4x4x4xf32>) {groups = 4 : i64}
func.func @depthwise_channels(%x: tensor<1x8x6x6xf32>, %w: tensor<8x1x3x3xf32>, %i: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x8x6x6xf32>, tensor<8x1x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {groups = 8} -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK-LABEL: func @matmul_dynamic_rows(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[I:.*]], 0] [%[[M:.*]], 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
// CHECK: %[[W:.*]] = tensor.extract_slice %{{.*}}[%[[J:.*]], 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : tensor<?x8xf32>, tensor<2x8xf32>) outs({{.*}} : tensor<?x2xf32>) {transpose_rhs}
func.func @matmul_dynamic_rows(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>, %i: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<?x8xf32>, tensor<4x8xf32>) outs(%i : tensor<?x4xf32>) {transpose_rhs} -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %op tile_sizes [5, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A batch dim that an operand lacks, or has once, is not sliced.
// CHECK-LABEL: func @matmul_batch(
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[%[[I:.*]], 0, 0] [1, 4, 8] {{.*}} to tensor<1x4x8xf32>
// CHECK: fusion.matmul ins(%[[X]], %{{.*}} : tensor<1x4x8xf32>, tensor<8x2xf32>) outs({{.*}} : tensor<1x4x2xf32>)
func.func @matmul_batch(%x: tensor<3x4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<3x4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// CHECK-LABEL: func @pool_rows(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, %{{.*}}, 0] [1, 8, 5, 8] {{.*}} to tensor<1x8x5x8xf32>
// CHECK: fusion.pool max ins({{.*}} : tensor<1x8x5x8xf32>) outs({{.*}} : tensor<1x8x2x6xf32>) {strides = [2, 1], window = [3, 3]}
func.func @pool_rows(%x: tensor<1x8x9x8xf32>, %i: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
  %0 = fusion.pool max ins(%x : tensor<1x8x9x8xf32>) outs(%i : tensor<1x8x4x6xf32>) {window = [3, 3], strides = [2, 1]} -> tensor<1x8x4x6xf32>
  return %0 : tensor<1x8x4x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.pool"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of rows inside the image would have no padding, those at its border some.
func.func @padded_rows(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // expected-error@+3 {{expected a tile whose padding and groups are those of the whole}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x6x6xf32>) {pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x6x6xf32>
  return %0 : tensor<1x8x6x6xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Half a group is no group.
func.func @grouped_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<8x2x3x3xf32>, %i: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+3 {{expected a tile whose padding and groups are those of the whole}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x2x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {groups = 2} -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Packed columns are not cut.
func.func @packed_columns(%x: tensor<4x8xf32>, %w: tensor<2x8x16xf32>, %i: tensor<4x20xf32>) -> tensor<4x20xf32> {
  // expected-error@+3 {{expected a tile whose padding and groups are those of the whole}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<2x8x16xf32>) outs(%i : tensor<4x20xf32>) {rhs_layout = packed} -> tensor<4x20xf32>
  return %0 : tensor<4x20xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Buffers have no tile that could be given back.
func.func @buffers(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %i: memref<4x16xf32>) {
  // expected-error@+3 {{expected tensors to tile}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x16xf32>) outs(%i : memref<4x16xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of channels reads their filters.
// CHECK-LABEL: func @conv_transpose_channels(
// CHECK: %[[W:.*]] = tensor.extract_slice %{{.*}}[%[[I:.*]], 0, 0, 0] [4, 4, 3, 3] {{.*}} to tensor<4x4x3x3xf32>
// CHECK: fusion.conv_transpose ins(%{{.*}}, %[[W]] : tensor<1x4x6x5xf32>, tensor<4x4x3x3xf32>) outs(%{{.*}} : tensor<1x4x12x7xf32>) {pad_low = [1, 0], strides = [2, 1]}
func.func @conv_transpose_channels(%x: tensor<1x4x6x5xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x12x7xf32>) -> tensor<1x8x12x7xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x5xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x12x7xf32>)
    {strides = [2, 1], pad_low = [1, 0]} -> tensor<1x8x12x7xf32>
  return %0 : tensor<1x8x12x7xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv_transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A tile of depthwise channels has as many groups.
// CHECK-LABEL: func @conv_transpose_depthwise(
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[0, %[[I:.*]], 0, 0] [1, 4, 6, 5]
// CHECK: fusion.conv_transpose ins(%[[X]], %{{.*}} : tensor<1x4x6x5xf32>, tensor<4x1x3x3xf32>) outs(%{{.*}} : tensor<1x4x8x7xf32>) {groups = 4 : i64}
func.func @conv_transpose_depthwise(%x: tensor<1x8x6x5xf32>, %w: tensor<8x1x3x3xf32>, %i: tensor<1x8x8x7xf32>) -> tensor<1x8x8x7xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x8x6x5xf32>, tensor<8x1x3x3xf32>) outs(%i : tensor<1x8x8x7xf32>) {groups = 8} -> tensor<1x8x8x7xf32>
  return %0 : tensor<1x8x8x7xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv_transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The pads of a tile of rows depend on where in a stride it begins.
func.func @conv_transpose_rows(%x: tensor<1x4x6x5xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x13x7xf32>) -> tensor<1x8x13x7xf32> {
  // expected-error@+3 {{expected a tile whose padding and groups are those of the whole}}
  // expected-error@+2 {{to tile operation}}
  // expected-error@+1 {{failed to generate tiling loops}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x5xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x13x7xf32>) {strides = [2, 1]} -> tensor<1x8x13x7xf32>
  return %0 : tensor<1x8x13x7xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["fusion.conv_transpose"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %op tile_sizes [0, 0, 4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
