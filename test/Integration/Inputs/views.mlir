// Elementwise ops behind reshapes and transposes of products and convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#mask4 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#last4 = affine_map<(d0, d1, d2, d3) -> (d3)>
#middle4 = affine_map<(d0, d1, d2, d3) -> (d2)>
func.func @main(%x: tensor<6x4x8xf32>, %r: tensor<2x3x4x5xf32>, %i: tensor<1x3x5x7xf32>, %s: tensor<1x5x7x4xf32>)
    -> (tensor<2x3x4x5xf32>, tensor<24x5xf32>, tensor<1x5x7x4xf32>) {
  %w = arith.constant dense<[[0.5, -0.25, 1.0, 0.0, 2.0], [1.5, 0.75, -1.0, 0.125, 0.0], [0.0, 0.25, 0.5, -2.0, 1.0], [1.0, 1.0, 0.0, 0.5, 0.5],
                             [-0.5, 0.25, 1.0, 1.0, -2.0], [0.5, 0.5, 0.5, 0.125, 0.0], [0.0, 0.0, 0.5, 2.0, -1.0], [1.0, 0.0, 0.0, 0.5, 0.25]]> : tensor<8x5xf32>
  %m = arith.constant dense<[[[[1.0, 2.0, 3.0, 4.0, 5.0], [-1.0, 0.0, 1.0, 2.0, 3.0], [0.5, 0.5, 0.0, 0.0, 0.0], [9.0, 8.0, 7.0, 6.0, 5.0]]]]> : tensor<1x1x4x5xf32>
  %f = arith.constant dense<[[[[0.5]], [[1.0]], [[-2.0]]], [[[1.0]], [[0.0]], [[0.25]]], [[[0.0]], [[-1.0]], [[1.0]]], [[[2.0]], [[0.5]], [[0.5]]]]> : tensor<4x3x1x1xf32>
  %b = arith.constant dense<[1.0, -1.0, 0.5, 0.25]> : tensor<4xf32>
  %c = arith.constant dense<[1.0, -1.0, 0.5, 0.25, 2.0, 3.0, 4.0]> : tensor<7xf32>
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<6x4x5xf32>
  %e4 = tensor.empty() : tensor<2x3x4x5xf32>

  // Heads are split off; a residual of all of them and a mask for each.
  %0 = fusion.matmul ins(%x, %w : tensor<6x4x8xf32>, tensor<8x5xf32>) outs(%e3 : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #id4, #mask4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %r, %m : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<1x1x4x5xf32>) outs(%e4 : tensor<2x3x4x5xf32>) {
  ^bb0(%in: f32, %a: f32, %k: f32, %out: f32):
    %u = arith.mulf %in, %a : f32
    %v = arith.addf %u, %k : f32
    linalg.yield %v : f32
  } -> tensor<2x3x4x5xf32>

  // Batches become rows; so does what is added to them.
  %3 = fusion.matmul ins(%x, %w : tensor<6x4x8xf32>, tensor<8x5xf32>) outs(%e3 : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %4 = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<6x4x5xf32> into tensor<24x5xf32>
  %5 = tensor.collapse_shape %r [[0, 1, 2], [3]] : tensor<2x3x4x5xf32> into tensor<24x5xf32>
  %6 = arith.subf %5, %4 : tensor<24x5xf32>

  // Channels go last: a residual in that order, a vector along channels and one along the width.
  %e = tensor.empty() : tensor<1x4x5x7xf32>
  %t = tensor.empty() : tensor<1x5x7x4xf32>
  %7 = fusion.conv ins(%i, %f : tensor<1x3x5x7xf32>, tensor<4x3x1x1xf32>) outs(%e : tensor<1x4x5x7xf32>) -> tensor<1x4x5x7xf32>
  %8 = linalg.transpose ins(%7 : tensor<1x4x5x7xf32>) outs(%t : tensor<1x5x7x4xf32>) permutation = [0, 2, 3, 1]
  %9 = linalg.generic {indexing_maps = [#id4, #id4, #last4, #middle4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%8, %s, %b, %c : tensor<1x5x7x4xf32>, tensor<1x5x7x4xf32>, tensor<4xf32>, tensor<7xf32>) outs(%t : tensor<1x5x7x4xf32>) {
  ^bb0(%in: f32, %a: f32, %k: f32, %l: f32, %out: f32):
    %u = arith.addf %in, %a : f32
    %v = arith.mulf %u, %k : f32
    %y = arith.addf %v, %l : f32
    %z = arith.maximumf %y, %zero : f32
    linalg.yield %z : f32
  } -> tensor<1x5x7x4xf32>
  return %2, %6, %9 : tensor<2x3x4x5xf32>, tensor<24x5xf32>, tensor<1x5x7x4xf32>
}
