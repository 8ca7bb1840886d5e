// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/conv.py %t 2x10x10x5 3x3
// RUN: mlir-fusion run %s --input %t/x.npy --input %t/w.npy --expect %t/y.npy --expect %t/y.npy --rtol-max 1e-5
// RUN: mlir-fusion run %s --input %t/x.npy --input %t/w.npy --expect %t/y.npy --expect %t/y.npy --rtol-max 1e-5 --disable fusion-fuse

// The transforms of Winograd's algorithm, as upstream makes them of a convolution, were refused: they have no loops of
// their own. The second result is the convolution itself.
func.func @main(%x: tensor<2x10x10x5xf32>, %w: tensor<2x3x3x5xf32>) -> (tensor<2x8x8x2xf32>, tensor<2x8x8x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
  %we = tensor.empty() : tensor<6x6x5x2xf32>
  %wt = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x3x3x5xf32>) outs(%we : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  %xe = tensor.empty() : tensor<6x6x2x2x2x5xf32>
  %xt = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<2x10x10x5xf32>) outs(%xe : tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32>
  %wc = tensor.collapse_shape %wt [[0, 1], [2], [3]] : tensor<6x6x5x2xf32> into tensor<36x5x2xf32>
  %xc = tensor.collapse_shape %xt [[0, 1], [2, 3, 4], [5]] : tensor<6x6x2x2x2x5xf32> into tensor<36x8x5xf32>
  %me = tensor.empty() : tensor<36x8x2xf32>
  %mi = linalg.fill ins(%zero : f32) outs(%me : tensor<36x8x2xf32>) -> tensor<36x8x2xf32>
  %m = linalg.batch_matmul ins(%xc, %wc : tensor<36x8x5xf32>, tensor<36x5x2xf32>) outs(%mi : tensor<36x8x2xf32>) -> tensor<36x8x2xf32>
  %mx = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 2, 2, 2, 2] : tensor<36x8x2xf32> into tensor<6x6x2x2x2x2xf32>
  %y = linalg.winograd_output_transform fmr(F_4_3) ins(%mx : tensor<6x6x2x2x2x2xf32>) outs(%i : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
  %d = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<2x10x10x5xf32>, tensor<2x3x3x5xf32>) outs(%i : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
  return %y, %d : tensor<2x8x8x2xf32>, tensor<2x8x8x2xf32>
}
