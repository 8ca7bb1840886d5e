// RUN: mlir-fusion-opt %s --fusion-to-linalg | FileCheck %s

// What the numbers are is in Integration/decompose-*.test.

// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1, d2, d3) -> ()>

// The identity epilogue leaves one generic.
// CHECK-LABEL: func @conv(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x9x11xf32>, %[[W:.*]]: tensor<5x3x3x2xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<2x5x4x8xf32>)
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[IN]], #[[FILTER]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ZERO]] : {{.*}})
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: return %[[Y]]
func.func @conv(%x: tensor<2x3x9x11xf32>, %w: tensor<5x3x3x2xf32>, %i: tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<2x3x9x11xf32>, tensor<5x3x3x2xf32>) outs(%i : tensor<2x5x4x8xf32>) {strides = [2, 1], dilations = [1, 3]} -> tensor<2x5x4x8xf32>
  return %0 : tensor<2x5x4x8xf32>
}

// CHECK-LABEL: func @epilogue(
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<8xf32>, %[[A:[a-z0-9]*]]: f32, %[[I:[a-z0-9]*]]: tensor<1x8x4x4xbf16>)
// CHECK: %[[BARE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8x4x4xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[CHANNEL]], #[[SCALAR]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%[[BARE]], %[[B]], %[[A]] : tensor<1x8x4x4xf32>, tensor<8xf32>, f32) outs(%[[I]] : tensor<1x8x4x4xbf16>) {
// CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[BE:.*]]: f32, %[[AE:.*]]: f32, %[[D:.*]]: bf16):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[BE]]
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[S]], %[[AE]]
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[M]] : f32 to bf16
// CHECK-NEXT: %[[U:.*]] = arith.addf %[[T]], %[[D]] : bf16
// CHECK-NEXT: linalg.yield %[[U]] : bf16
func.func @epilogue(%x: tensor<1x4x4x4xbf16>, %w: tensor<8x4x1x1xbf16>, %b: tensor<8xf32>, %a: f32, %i: tensor<1x8x4x4xbf16>) -> tensor<1x8x4x4xbf16> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x4xbf16>, tensor<8x4x1x1xbf16>) outs(%i : tensor<1x8x4x4xbf16>)
    epilogue(%acc: f32, %v = %b[1] : tensor<8xf32>, %s = %a : f32, init %d: bf16) {
      %0 = arith.addf %acc, %v : f32
      %1 = arith.mulf %0, %s : f32
      %2 = arith.truncf %1 : f32 to bf16
      %3 = arith.addf %2, %d : bf16
      fusion.yield %3 : bf16
  } -> tensor<1x8x4x4xbf16>
  return %0 : tensor<1x8x4x4xbf16>
}

// CHECK-LABEL: func @padding(
// CHECK: tensor.pad %{{.*}} low[0, 2, 1, 0] high[0, 0, 3, 0]
// CHECK: linalg.generic
func.func @padding(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x8xf32>, %i: tensor<1x6x8x8xf32>) -> tensor<1x6x8x8xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%i : tensor<1x6x8x8xf32>)
    {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, pad_low = [2, 1], pad_high = [0, 3]} -> tensor<1x6x8x8xf32>
  return %0 : tensor<1x6x8x8xf32>
}

// CHECK-LABEL: func @groups(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]] output_shape [{{%[a-z0-9_]*}}, 2, 2, {{%[a-z0-9_]*}}, 6]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3], [4]] output_shape [2, 3, 2, 3, 3]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x2x3x?x4xf32>)
// CHECK: tensor.collapse_shape %[[Y]] {{.*}} into tensor<?x6x?x4xf32>
func.func @groups(%x: tensor<?x4x?x6xf32>, %w: tensor<6x2x3x3xf32>, %i: tensor<?x6x?x4xf32>) -> tensor<?x6x?x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<?x4x?x6xf32>, tensor<6x2x3x3xf32>) outs(%i : tensor<?x6x?x4xf32>) {groups = 2} -> tensor<?x6x?x4xf32>
  return %0 : tensor<?x6x?x4xf32>
}

// The blocks of a packed filter are put together, their zeros cut off.
// CHECK-LABEL: func @packed_filter(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x3x3x2x4xf32>) {{.*}} permutation = [0, 4, 1, 2, 3]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0, 0] [2, 5, 3, 3, 2]
// CHECK: tensor.collapse_shape %{{.*}} into tensor<10x3x3x2xf32>
func.func @packed_filter(%x: tensor<1x4x6x6xf32>, %w: tensor<4x3x3x2x4xf32>, %i: tensor<1x10x4x4xf32>) -> tensor<1x10x4x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<4x3x3x2x4xf32>) outs(%i : tensor<1x10x4x4xf32>) {filter_layout = packed, groups = 2} -> tensor<1x10x4x4xf32>
  return %0 : tensor<1x10x4x4xf32>
}

// CHECK-LABEL: func @packed_rhs(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<3x8x4xf32>) {{.*}} permutation = [1, 0, 2]
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 10] [1, 1]
func.func @packed_rhs(%x: tensor<?x8xf32>, %w: tensor<3x8x4xf32>, %i: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<?x8xf32>, tensor<3x8x4xf32>) outs(%i : tensor<?x10xf32>) {rhs_layout = packed} -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// A maximum pads by the lowest value, an average without its padding counts.
// CHECK-LABEL: func @pools(
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: tensor.pad
// CHECK: arith.maximumf
// CHECK: arith.divf
// CHECK-NOT: linalg.index
// CHECK: linalg.index 2
// CHECK: linalg.index 3
// CHECK: arith.divf
func.func @pools(%x: tensor<1x8x6x6xf32>, %i: tensor<1x8x6x6xf32>) -> (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) {
  %0 = fusion.pool max ins(%x : tensor<1x8x6x6xf32>) outs(%i : tensor<1x8x6x6xf32>) {window = [3, 3], pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x6x6xf32>
  %1 = fusion.pool average ins(%x : tensor<1x8x6x6xf32>) outs(%i : tensor<1x8x6x6xf32>) {window = [3, 3], pad_low = [1, 1], pad_high = [1, 1], count_include_pad} -> tensor<1x8x6x6xf32>
  %2 = fusion.pool average ins(%x : tensor<1x8x6x6xf32>) outs(%i : tensor<1x8x6x6xf32>) {window = [3, 3], pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x6x6xf32>
  return %0, %1, %2 : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>
}

// A type without infinities pads by its lowest number.
// CHECK-LABEL: func @pool_of_finite_numbers(
// CHECK: arith.constant -4.480000e+02 : f8E4M3FN
func.func @pool_of_finite_numbers(%x: tensor<1x8x6x6xf8E4M3FN>, %i: tensor<1x8x6x6xf8E4M3FN>) -> tensor<1x8x6x6xf8E4M3FN> {
  %0 = fusion.pool max ins(%x : tensor<1x8x6x6xf8E4M3FN>) outs(%i : tensor<1x8x6x6xf8E4M3FN>) {window = [3, 3], pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x6x6xf8E4M3FN>
  return %0 : tensor<1x8x6x6xf8E4M3FN>
}

// CHECK-LABEL: func @memrefs(
// CHECK: fusion.matmul
func.func @memrefs(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %i: memref<4x2xf32>) {
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%i : memref<4x2xf32>)
  return
}
