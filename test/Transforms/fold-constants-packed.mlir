// RUN: mlir-fusion-opt %s -fusion-fold-constants -remarks-filter=fusion -remark-policy=final 2>&1 | FileCheck %s

// The channels of packed weights are no dim of theirs: the scale stays in the epilogue.
// CHECK: Missed{{.*}}fold-scale-into-weights{{.*}}unsupported-type: packed weights have no channel dim
// CHECK-LABEL: func.func @packed
// CHECK: arith.mulf
func.func @packed(%x: tensor<1x4x4x2xf32>, %i: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %w = arith.constant dense<0.5> : tensor<1x1x1x2x8xf32>
  %s = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x2xf32>, tensor<1x1x1x2x8xf32>) outs(%i : tensor<1x4x4x8xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %f = %s[3] : tensor<8xf32>) {
      %m = arith.mulf %acc, %f : f32
      fusion.yield %m : f32
  } -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}
