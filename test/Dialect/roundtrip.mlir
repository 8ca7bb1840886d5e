// RUN: mlir-fusion-opt %s -split-input-file | mlir-fusion-opt -split-input-file | FileCheck %s
// RUN: mlir-fusion-opt %s -split-input-file --mlir-print-op-generic | mlir-fusion-opt -split-input-file | FileCheck %s

// The examples of the op pages, and each spelling of an attribute.

// CHECK-LABEL: func @conv_with_epilogue
// CHECK: fusion.conv ins(%{{.*}}, %{{.*}} : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) outs(%{{.*}} : tensor<1x64x56x56xf32>) {pad_high = [1, 1], pad_low = [1, 1]} epilogue(%[[ACC:.*]]: f32, %[[B:.*]] = %{{.*}}[1] : tensor<64xf32>, %[[R:.*]] = %{{.*}}[0, 1, 2, 3] : tensor<1x64x56x56xf32>) {
// CHECK-NEXT: arith.addf %[[ACC]], %[[B]] : f32
// CHECK: fusion.yield
// CHECK: } -> tensor<1x64x56x56xf32>
func.func @conv_with_epilogue(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %bias: tensor<64xf32>, %res: tensor<1x64x56x56xf32>, %init: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) outs(%init : tensor<1x64x56x56xf32>)
    {pad_low = [1, 1], pad_high = [1, 1]}
    epilogue(%acc: f32, %b = %bias[1] : tensor<64xf32>, %r = %res[0, 1, 2, 3] : tensor<1x64x56x56xf32>) {
      %s = arith.addf %acc, %b : f32
      %t = arith.addf %s, %r : f32
      fusion.yield %t : f32
  } -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// -----

// CHECK-LABEL: func @matmul_bias
// CHECK: fusion.matmul ins(%{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<10x32xf32>) outs(%{{.*}} : tensor<4x10xf32>) {transpose_rhs} epilogue(
func.func @matmul_bias(%x: tensor<4x32xf32>, %w: tensor<10x32xf32>, %bias: tensor<10xf32>, %init: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x32xf32>, tensor<10x32xf32>) outs(%init : tensor<4x10xf32>) {transpose_rhs}
    epilogue(%acc: f32, %b = %bias[1] : tensor<10xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
  } -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

// CHECK-LABEL: func @max_pool
// CHECK: fusion.pool max ins(%{{.*}} : tensor<1x8x7x7xf32>) outs(%{{.*}} : tensor<1x8x4x4xf32>) {pad_high = [1, 1], pad_low = [1, 1], strides = [2, 2], window = [3, 3]} -> tensor<1x8x4x4xf32>
func.func @max_pool(%x: tensor<1x8x7x7xf32>, %init: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %0 = fusion.pool max ins(%x : tensor<1x8x7x7xf32>) outs(%init : tensor<1x8x4x4xf32>)
    {window = [3, 3], strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

// CHECK-LABEL: func @memrefs
// CHECK: fusion.conv ins({{.*}}) outs({{.*}}) {filter_layout = packed, input_layout = channels_last, output_layout = channels_last} epilogue(%[[ACC:.*]]: f32, init %[[D:.*]]: f32) {
// CHECK: } range(%{{.*}}, %{{.*}})
func.func @memrefs(%x: memref<1x8x8x4xf32>, %w: memref<2x1x1x4x16xf32>, %out: memref<1x8x8x20xf32, strided<[2560, 320, 40, 1], offset: ?>>, %lo: index, %hi: index) {
  fusion.conv ins(%x, %w : memref<1x8x8x4xf32>, memref<2x1x1x4x16xf32>) outs(%out : memref<1x8x8x20xf32, strided<[2560, 320, 40, 1], offset: ?>>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, init %d: f32) {
      %s = arith.addf %acc, %d : f32
      fusion.yield %s : f32
  } range(%lo, %hi)
  return
}

// -----

// CHECK-LABEL: func @scalar_operand_and_dynamic
// CHECK: fusion.conv ins({{.*}}) outs({{.*}}) {dilations = [2, 2], groups = 2 : i64, strides = [2, 1]} epilogue(%{{.*}}: f32, %{{.*}} = %{{.*}} : f32)
func.func @scalar_operand_and_dynamic(%x: tensor<?x4x?x?xf32>, %w: tensor<6x2x3x3xf32>, %alpha: f32, %init: tensor<?x6x?x?xf32>) -> tensor<?x6x?x?xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<?x4x?x?xf32>, tensor<6x2x3x3xf32>) outs(%init : tensor<?x6x?x?xf32>)
    {strides = [2, 1], dilations = [2, 2], groups = 2}
    epilogue(%acc: f32, %a = %alpha : f32) {
      %s = arith.mulf %acc, %a : f32
      fusion.yield %s : f32
  } -> tensor<?x6x?x?xf32>
  return %0 : tensor<?x6x?x?xf32>
}

// -----

// The result of a root on integers: the accumulator is wider than what is stored.
// CHECK-LABEL: func @other_accumulator
// CHECK: fusion.conv ins({{.*}} : tensor<1x4x4x4xi8>, tensor<8x1x1x4xi8>) outs({{.*}} : tensor<1x4x4x8xi8>) {algorithm = direct, filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last} epilogue(%[[ACC:.*]]: i32) {
// CHECK-NEXT: arith.trunci %[[ACC]] : i32 to i8
func.func @other_accumulator(%x: tensor<1x4x4x4xi8>, %w: tensor<8x1x1x4xi8>, %init: tensor<1x4x4x8xi8>) -> tensor<1x4x4x8xi8> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x4xi8>, tensor<8x1x1x4xi8>) outs(%init : tensor<1x4x4x8xi8>)
    {algorithm = direct, filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: i32) {
      %t = arith.trunci %acc : i32 to i8
      fusion.yield %t : i8
  } -> tensor<1x4x4x8xi8>
  return %0 : tensor<1x4x4x8xi8>
}

// -----

// CHECK-LABEL: func @matmul_forms
// CHECK: fusion.matmul ins({{.*}} : tensor<5x2x1x8x4xf32>, tensor<3x8x6xf32>) outs({{.*}} : tensor<5x2x3x4x6xf32>) {transpose_lhs} -> tensor<5x2x3x4x6xf32>
// CHECK: fusion.matmul ins({{.*}} : tensor<?x8xf32>, tensor<1x8x16xf32>) outs({{.*}} : tensor<?x?xf32>) {rhs_layout = packed} -> tensor<?x?xf32>
func.func @matmul_forms(%x: tensor<5x2x1x8x4xf32>, %w: tensor<3x8x6xf32>, %i: tensor<5x2x3x4x6xf32>, %v: tensor<?x8xf32>, %p: tensor<1x8x16xf32>, %j: tensor<?x?xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<5x2x1x8x4xf32>, tensor<3x8x6xf32>) outs(%i : tensor<5x2x3x4x6xf32>) {transpose_lhs} -> tensor<5x2x3x4x6xf32>
  %1 = fusion.matmul ins(%v, %p : tensor<?x8xf32>, tensor<1x8x16xf32>) outs(%j : tensor<?x?xf32>) {rhs_layout = packed} -> tensor<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func @pool_forms
// CHECK: fusion.pool average ins({{.*}}) outs({{.*}}) {count_include_pad, dilations = [1, 2], layout = channels_last, pad_high = [0, 1], window = [2, 2]}
// CHECK: fusion.pool sum ins({{.*}} : tensor<1x4x9xi32>) outs({{.*}} : tensor<1x4x8xi32>) {window = [2]}
// CHECK: fusion.pool max ins({{.*}} : tensor<1x4x3x3x3xf32>) outs({{.*}} : tensor<1x4x2x2x2xf32>) {window = [2, 2, 2]}
// CHECK: fusion.pool min ins
// CHECK: fusion.pool max_unsigned ins
// CHECK: fusion.pool min_unsigned ins
func.func @pool_forms(%x: tensor<1x6x6x4xf32>, %i: tensor<1x5x5x4xf32>, %y: tensor<1x4x9xi32>, %j: tensor<1x4x8xi32>, %z: tensor<1x4x3x3x3xf32>, %k: tensor<1x4x2x2x2xf32>) {
  %0 = fusion.pool average ins(%x : tensor<1x6x6x4xf32>) outs(%i : tensor<1x5x5x4xf32>) {window = [2, 2], dilations = [1, 2], pad_high = [0, 1], layout = channels_last, count_include_pad} -> tensor<1x5x5x4xf32>
  %1 = fusion.pool sum ins(%y : tensor<1x4x9xi32>) outs(%j : tensor<1x4x8xi32>) {window = [2]} -> tensor<1x4x8xi32>
  %2 = fusion.pool max ins(%z : tensor<1x4x3x3x3xf32>) outs(%k : tensor<1x4x2x2x2xf32>) {window = [2, 2, 2]} -> tensor<1x4x2x2x2xf32>
  %min = fusion.pool min ins(%z : tensor<1x4x3x3x3xf32>) outs(%k : tensor<1x4x2x2x2xf32>) {window = [2, 2, 2]} -> tensor<1x4x2x2x2xf32>
  %max_u = fusion.pool max_unsigned ins(%y : tensor<1x4x9xi32>) outs(%j : tensor<1x4x8xi32>) {window = [2]} -> tensor<1x4x8xi32>
  %min_u = fusion.pool min_unsigned ins(%y : tensor<1x4x9xi32>) outs(%j : tensor<1x4x8xi32>) {window = [2]} -> tensor<1x4x8xi32>
  return
}

// -----

// Attributes that the dialect does not know keep their names and values.
// CHECK-LABEL: func @other_attributes
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}}) {"a name" = 1 : i64, acme.tag, strides = [3]}
func.func @other_attributes(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) {"a name" = 1 : i64, acme.tag, strides = [3]} -> tensor<4x2xf32>
  return
}

// -----

// Empty tensors and an image without rows.
// CHECK-LABEL: func @empty
// CHECK: fusion.matmul ins({{.*}} : tensor<0x8xf32>, tensor<8x0xf32>) outs({{.*}} : tensor<0x0xf32>)
// CHECK: fusion.conv ins({{.*}} : tensor<0x4x6x6xf32>, tensor<8x4x3x3xf32>) outs({{.*}} : tensor<0x8x4x4xf32>)
func.func @empty(%x: tensor<0x8xf32>, %w: tensor<8x0xf32>, %i: tensor<0x0xf32>, %y: tensor<0x4x6x6xf32>, %v: tensor<8x4x3x3xf32>, %j: tensor<0x8x4x4xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<0x8xf32>, tensor<8x0xf32>) outs(%i : tensor<0x0xf32>) -> tensor<0x0xf32>
  %1 = fusion.conv ins(%y, %v : tensor<0x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%j : tensor<0x8x4x4xf32>) -> tensor<0x8x4x4xf32>
  return
}

// -----

// CHECK-LABEL: func @conv_transpose
// CHECK: fusion.conv_transpose ins(%{{.*}}, %{{.*}} : tensor<1x16x8x8xf32>, tensor<4x16x3x3xf32>) outs(%{{.*}} : tensor<1x4x16x16xf32>) {output_padding = [1, 1], pad_high = [1, 1], pad_low = [1, 1], strides = [2, 2]} epilogue(%[[ACC:.*]]: f32, %[[B:.*]] = %{{.*}}[1] : tensor<4xf32>) {
// CHECK: } -> tensor<1x4x16x16xf32>
func.func @conv_transpose(%x: tensor<1x16x8x8xf32>, %w: tensor<4x16x3x3xf32>, %bias: tensor<4xf32>, %init: tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x16x8x8xf32>, tensor<4x16x3x3xf32>) outs(%init : tensor<1x4x16x16xf32>)
    {strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1], output_padding = [1, 1]}
    epilogue(%acc: f32, %b = %bias[1] : tensor<4xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
  } -> tensor<1x4x16x16xf32>
  return %0 : tensor<1x4x16x16xf32>
}

// -----

// CHECK-LABEL: func @conv_transpose_grouped_on_memrefs
// CHECK: fusion.conv_transpose ins({{.*}}) outs({{.*}}) {dilations = [2], filter_layout = spatial_in_out, groups = 2 : i64, input_layout = channels_last, output_layout = channels_last}{{$}}
func.func @conv_transpose_grouped_on_memrefs(%x: memref<1x?x4xf32>, %w: memref<3x2x6xf32>, %out: memref<1x?x6xf32>) {
  fusion.conv_transpose ins(%x, %w : memref<1x?x4xf32>, memref<3x2x6xf32>) outs(%out : memref<1x?x6xf32>)
    {dilations = [2], filter_layout = spatial_in_out, groups = 2, input_layout = channels_last, output_layout = channels_last}
  return
}
