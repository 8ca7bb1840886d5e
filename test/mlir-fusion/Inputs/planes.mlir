// Depthwise convolutions of channels-first images, each at the border on both
// sides: stride 1 with uneven padding, and stride 2.
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<2x5x21x57xf32>) -> (tensor<2x5x21x57xf32>, tensor<2x5x11x29xf32>) {
  %w = arith.constant dense<[[[0.5, -1.0, 0.25], [1.5, 2.0, -0.75], [0.125, -0.5, 1.0]], [[1.0, 0.5, -0.25], [-1.0, 0.75, 2.0], [0.5, 0.5, -1.5]],
    [[-0.5, 1.0, 0.75], [0.25, -2.0, 1.0], [1.0, 0.125, 0.5]], [[2.0, -0.25, 0.5], [0.5, 1.0, -1.0], [-0.75, 1.5, 0.25]],
    [[0.75, 0.25, -0.5], [1.0, -1.5, 0.5], [0.25, 2.0, -0.125]]]> : tensor<5x3x3xf32>
  %b = arith.constant dense<[0.5, -0.25, 0.0, 1.0, -1.0]> : tensor<5xf32>
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 1] high[0, 0, 0, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x5x21x57xf32> to tensor<2x5x23x59xf32>
  %e = tensor.empty() : tensor<2x5x21x57xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x21x57xf32>) -> tensor<2x5x21x57xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw ins(%p, %w : tensor<2x5x23x59xf32>, tensor<5x3x3xf32>) outs(%f : tensor<2x5x21x57xf32>) -> tensor<2x5x21x57xf32>
  %y = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<2x5x21x57xf32>, tensor<5xf32>) outs(%e : tensor<2x5x21x57xf32>) {
  ^bb0(%acc: f32, %bias: f32, %out: f32):
    %0 = arith.addf %acc, %bias : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.minimumf %1, %six : f32
    linalg.yield %2 : f32
  } -> tensor<2x5x21x57xf32>
  %q = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x5x21x57xf32> to tensor<2x5x23x59xf32>
  %g = tensor.empty() : tensor<2x5x11x29xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<2x5x11x29xf32>) -> tensor<2x5x11x29xf32>
  %z = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>}
    ins(%q, %w : tensor<2x5x23x59xf32>, tensor<5x3x3xf32>) outs(%h : tensor<2x5x11x29xf32>) -> tensor<2x5x11x29xf32>
  return %y, %z : tensor<2x5x21x57xf32>, tensor<2x5x11x29xf32>
}
