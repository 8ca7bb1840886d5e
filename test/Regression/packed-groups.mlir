// RUN: mlir-fusion-opt %s --fusion-pack-constants=target=x86-64-v3 --cse | FileCheck %s

// One filter, read by convolutions of 2 x 26 and of 4 x 13 channels: both packed forms have the type 4x1x1x4x16, but
// zeros in other places.
// CHECK-COUNT-2: arith.constant dense<{{.*}}> : tensor<4x1x1x4x16xf32>
func.func @groups(%x: tensor<1x4x4x8xf32>, %y: tensor<1x4x4x16xf32>) -> (tensor<1x4x4x52xf32>, tensor<1x4x4x52xf32>) {
  %w = arith.constant dense<1.0> : tensor<52x4x1x1xf32>
  %e = tensor.empty() : tensor<1x4x4x52xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x8xf32>, tensor<52x4x1x1xf32>) outs(%e : tensor<1x4x4x52xf32>)
    {groups = 2, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x4x52xf32>
  %1 = fusion.conv ins(%y, %w : tensor<1x4x4x16xf32>, tensor<52x4x1x1xf32>) outs(%e : tensor<1x4x4x52xf32>)
    {groups = 4, input_layout = channels_last, output_layout = channels_last} -> tensor<1x4x4x52xf32>
  return %0, %1 : tensor<1x4x4x52xf32>, tensor<1x4x4x52xf32>
}
