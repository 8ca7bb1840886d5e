// RUN: mlir-fusion-opt %s --fusion-plan --remarks-filter=fusion --remark-policy=final 2>&1 | FileCheck %s --implicit-check-not="[Missed]"

// The phases of a transposed convolution whose filter is no constant had no kernel: their taps were in no order that kernels read.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-4: fusion.conv ins({{.*}}filter_layout = spatial_in_out
// CHECK-NOT: fusion.conv ins(
func.func @main(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x17x17xf32> {
  %i = tensor.empty() : tensor<1x4x17x17xf32>
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) outs(%i : tensor<1x4x17x17xf32>)
    {strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1]}
    epilogue(%acc: f32, %c = %b[1] : tensor<4xf32>) {
      %s = arith.addf %acc, %c : f32
      fusion.yield %s : f32
  } -> tensor<1x4x17x17xf32>
  return %0 : tensor<1x4x17x17xf32>
}
