// RUN: mlir-fusion-opt %s -split-input-file --fusion-split-phases | FileCheck %s
// RUN: mlir-fusion-opt %s -split-input-file --fusion-split-phases --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Phase 0 meets the middle tap, phase 1 the outer ones, which come in reverse order.
// CHECK-LABEL: func @two_phases(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x8x4xf32>, %[[B:[^ ]*]]: tensor<2xf32>, %[[R:[^ ]*]]: tensor<1x16x2xf32>, %[[I:[^ ]*]]: tensor<1x16x2xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[0, 0, 0] high[0, 1, 0]
// CHECK: %[[D0:.*]] = tensor.extract_slice %[[I]][0, 0, 0] [1, 8, 2] [1, 2, 1] : tensor<1x16x2xf32> to tensor<1x8x2xf32>
// CHECK: %[[R0:.*]] = tensor.extract_slice %[[R]][0, 0, 0] [1, 8, 2] [1, 2, 1] : tensor<1x16x2xf32> to tensor<1x8x2xf32>
// CHECK: %[[X0:.*]] = tensor.extract_slice %[[P]][0, 0, 0] [1, 8, 4] [1, 1, 1]
// CHECK: %[[W0:.*]] = arith.constant dense<2.000000e+00> : tensor<2x4x1xf32>
// CHECK: %[[Y0:.*]] = fusion.conv ins(%[[X0]], %[[W0]] : tensor<1x8x4xf32>, tensor<2x4x1xf32>) outs(%[[D0]] : tensor<1x8x2xf32>) {input_layout = channels_last, output_layout = channels_last} epilogue(%{{.*}}: f32, %{{.*}} = %[[B]][2] : tensor<2xf32>, %{{.*}} = %[[R0]][0, 1, 2] : tensor<1x8x2xf32>)
// CHECK: %[[I0:.*]] = tensor.insert_slice %[[Y0]] into %[[I]][0, 0, 0] [1, 8, 2] [1, 2, 1]
// CHECK: %[[D1:.*]] = tensor.extract_slice %[[I0]][0, 1, 0] [1, 8, 2] [1, 2, 1]
// CHECK: %[[W1:.*]] = arith.constant dense<{{\[\[\[}}3.000000e+00, 1.000000e+00], {{.*}}> : tensor<2x4x2xf32>
// CHECK: %[[Y1:.*]] = fusion.conv ins(%[[P]], %[[W1]] : tensor<1x9x4xf32>, tensor<2x4x2xf32>) outs(%[[D1]] : tensor<1x8x2xf32>)
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[Y1]] into %[[I0]][0, 1, 0] [1, 8, 2] [1, 2, 1]
// CHECK: return %[[I1]]
func.func @two_phases(%x: tensor<1x8x4xf32>, %b: tensor<2xf32>, %r: tensor<1x16x2xf32>, %i: tensor<1x16x2xf32>) -> tensor<1x16x2xf32> {
  %w = arith.constant dense<[[[1., 2., 3.], [1., 2., 3.], [1., 2., 3.], [1., 2., 3.]], [[1., 2., 3.], [1., 2., 3.], [1., 2., 3.], [1., 2., 3.]]]> : tensor<2x4x3xf32>
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x8x4xf32>, tensor<2x4x3xf32>) outs(%i : tensor<1x16x2xf32>)
    {strides = [2], pad_low = [1], output_padding = [1], pad_high = [1], input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %c = %b[2] : tensor<2xf32>, %d = %r[0, 1, 2] : tensor<1x16x2xf32>) {
      %s = arith.addf %acc, %c : f32
      %t = arith.addf %s, %d : f32
      fusion.yield %t : f32
  } -> tensor<1x16x2xf32>
  return %0 : tensor<1x16x2xf32>
}

// -----

// What no tap meets is the epilogue of zero.
// CHECK-LABEL: func @gap(
// CHECK: fusion.conv
// CHECK: %[[D:.*]] = tensor.extract_slice %{{.*}}[0, 1, 0] [1, 7, 2] [1, 2, 1]
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2xf32>) outs(%[[D]] : tensor<1x7x2xf32>) {
// CHECK: arith.addf %[[ZERO]], %{{.*}} : f32
// CHECK: tensor.insert_slice %[[Y]] into
func.func @gap(%x: tensor<1x8x4xf32>, %w: tensor<2x4x1xf32>, %b: tensor<2xf32>, %i: tensor<1x15x2xf32>) -> tensor<1x15x2xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x8x4xf32>, tensor<2x4x1xf32>) outs(%i : tensor<1x15x2xf32>)
    {strides = [2], input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %c = %b[2] : tensor<2xf32>) {
      %s = arith.addf %acc, %c : f32
      fusion.yield %s : f32
  } -> tensor<1x15x2xf32>
  return %0 : tensor<1x15x2xf32>
}

// -----

// Strides of one are one phase, in the whole result; taps that are no constant are taken at run time.
// CHECK: #[[FLIP:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, -d2 + 2)>
// CHECK-LABEL: func @one_phase(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<?x4x?xf32>, %[[W:[^ ]*]]: tensor<2x4x3xf32>, %[[I:[^ ]*]]: tensor<?x2x?xf32>
// CHECK: %[[P:.*]] = tensor.pad %[[X]] low[0, 0, 2] high[0, 0, 2]
// CHECK: %[[F:.*]] = linalg.generic {indexing_maps = [#[[FLIP]], {{.*}}} ins(%[[W]] : tensor<2x4x3xf32>)
// CHECK: %[[Y:.*]] = fusion.conv ins(%[[P]], %[[F]] : tensor<?x4x?xf32>, tensor<2x4x3xf32>) outs(%[[I]] : tensor<?x2x?xf32>)
// CHECK-NOT: insert_slice
// CHECK: return %[[Y]]
func.func @one_phase(%x: tensor<?x4x?xf32>, %w: tensor<2x4x3xf32>, %i: tensor<?x2x?xf32>) -> tensor<?x2x?xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<?x4x?xf32>, tensor<2x4x3xf32>) outs(%i : tensor<?x2x?xf32>) -> tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}

// -----

// The sizes of the phases of a dynamic image.
// CHECK: #[[LESS:.*]] = affine_map<()[s0] -> (s0 - 1)>
// CHECK-LABEL: func @dynamic(
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [1, 2, %[[N]]] [1, 1, 2]
// CHECK: fusion.conv
// CHECK: %[[M:.*]] = affine.apply #[[LESS]]()[%[[N]]]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1] [1, 2, %[[M]]] [1, 1, 2]
func.func @dynamic(%x: tensor<1x4x?xf32>, %w: tensor<2x4x3xf32>, %i: tensor<1x2x?xf32>) -> tensor<1x2x?xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x?xf32>, tensor<2x4x3xf32>) outs(%i : tensor<1x2x?xf32>)
    {strides = [2], pad_low = [1], pad_high = [1]} -> tensor<1x2x?xf32>
  return %0 : tensor<1x2x?xf32>
}

// -----

// REMARK: [Missed] split-phases {{.*}}dynamic-shape: the filter's sizes are not known
// CHECK-LABEL: func @unknown_filter(
// CHECK: fusion.conv_transpose
func.func @unknown_filter(%x: tensor<1x4x5xf32>, %w: tensor<2x4x?xf32>, %i: tensor<1x2x10xf32>) -> tensor<1x2x10xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x5xf32>, tensor<2x4x?xf32>) outs(%i : tensor<1x2x10xf32>) {strides = [2]} -> tensor<1x2x10xf32>
  return %0 : tensor<1x2x10xf32>
}

// -----

// REMARK: [Missed] split-phases {{.*}}unprofitable: the strides make too many phases
// CHECK-LABEL: func @too_many(
// CHECK: fusion.conv_transpose
func.func @too_many(%x: tensor<1x4x2xf32>, %w: tensor<2x4x1xf32>, %i: tensor<1x2x2001xf32>) -> tensor<1x2x2001xf32> {
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x2xf32>, tensor<2x4x1xf32>) outs(%i : tensor<1x2x2001xf32>) {strides = [2000]} -> tensor<1x2x2001xf32>
  return %0 : tensor<1x2x2001xf32>
}
