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
