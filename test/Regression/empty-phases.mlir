// A convolution of a size known at run time has no place if its image is one element smaller than its window. Such an input was
// refused, also where only phases of a transposed convolution have no place. Found by the fuzzer (seed 700001675).
// RUN: mlir-fusion-fuzz %s --check-bounds | FileCheck %s
// CHECK: right: 224 elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<?x?x32xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 2, 1, 32>, fuzz.values = "normal"}, %y: tensor<?x?x32xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 2, 5, 32>, fuzz.values = "normal"}) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
    %w = arith.constant dense<0.5> : tensor<2x32x8xf32>
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?x?x32xf32>
    %width = tensor.dim %x, %c1 : tensor<?x?x32xf32>
    %wide = tensor.dim %y, %c1 : tensor<?x?x32xf32>

    // One phase has a place for each element of the image, another for each but the last.
    %transposed = affine.apply affine_map<()[s0] -> (s0 * 3 - 2)>()[%width]
    %e0 = tensor.empty(%n, %transposed) : tensor<?x?x8xf32>
    %0 = fusion.conv_transpose ins(%x, %w : tensor<?x?x32xf32>, tensor<2x32x8xf32>) outs(%e0 : tensor<?x?x8xf32>)
      {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, pad_high = [1], strides = [3]} -> tensor<?x?x8xf32>
    %transposed_y = affine.apply affine_map<()[s0] -> (s0 * 3 - 2)>()[%wide]
    %e1 = tensor.empty(%n, %transposed_y) : tensor<?x?x8xf32>
    %1 = fusion.conv_transpose ins(%y, %w : tensor<?x?x32xf32>, tensor<2x32x8xf32>) outs(%e1 : tensor<?x?x8xf32>)
      {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, pad_high = [1], strides = [3]} -> tensor<?x?x8xf32>

    %places = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%width]
    %e2 = tensor.empty(%n, %places) : tensor<?x?x8xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    %2 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x32xf32>, tensor<2x32x8xf32>) outs(%f2 : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
    return %0, %1, %2 : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  }
}
