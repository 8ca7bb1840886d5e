// RUN: mlir-fusion-opt %s -split-input-file --fusion-to-linalg -verify-diagnostics

func.func @packed_filter_of_unknown_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<?x3x3x4x4xf32>, %i: tensor<1x?x4x4xf32>) -> tensor<1x?x4x4xf32> {
  // expected-error@+2 {{expected a static shape to unpack the filter}}
  // expected-error@+1 {{expected a root that decomposes to linalg}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<?x3x3x4x4xf32>) outs(%i : tensor<1x?x4x4xf32>) {filter_layout = packed} -> tensor<1x?x4x4xf32>
  return %0 : tensor<1x?x4x4xf32>
}

// -----

func.func @packed_rhs_of_unknown_depth(%x: tensor<4x?xf32>, %w: tensor<3x?x4xf32>, %i: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // expected-error@+2 {{expected a static shape to unpack the rhs}}
  // expected-error@+1 {{expected a root that decomposes to linalg}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x?xf32>, tensor<3x?x4xf32>) outs(%i : tensor<4x10xf32>) {rhs_layout = packed} -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

func.func @transposed_filter_of_unknown_size(%x: tensor<1x4x6xf32>, %w: tensor<2x4x?xf32>, %i: tensor<1x2x?xf32>) -> tensor<1x2x?xf32> {
  // expected-error@+2 {{expected static sizes of the filter to flip it}}
  // expected-error@+1 {{expected a root that decomposes to linalg}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6xf32>, tensor<2x4x?xf32>) outs(%i : tensor<1x2x?xf32>) -> tensor<1x2x?xf32>
  return %0 : tensor<1x2x?xf32>
}
