// RUN: mlir-fusion-opt %s --fusion-pack-constants=target=x86-64-v3 --cse | FileCheck %s

// One constant of cubic shape, read in two orders of its dims: one packed type, two orders of elements.
// CHECK-COUNT-2: arith.constant dense<{{.*}}> : tensor<1x2x2x2x8xf32>
func.func @orders(%x: tensor<1x4x4x2xf32>) -> (tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) {
  %w = arith.constant dense<[[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]],
                             [[[8.0, 9.0], [10.0, 11.0]], [[12.0, 13.0], [14.0, 15.0]]]]> : tensor<2x2x2x2xf32>
  %e = tensor.empty() : tensor<1x3x3x2xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x2x2x2xf32>) outs(%e : tensor<1x3x3x2xf32>)
    {input_layout = channels_last, output_layout = channels_last} -> tensor<1x3x3x2xf32>
  %1 = fusion.conv ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x2x2x2xf32>) outs(%e : tensor<1x3x3x2xf32>)
    {filter_layout = out_spatial_in, input_layout = channels_last, output_layout = channels_last} -> tensor<1x3x3x2xf32>
  return %0, %1 : tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>
}
