// A transposed convolution that upstream has no lowering for.
func.func @main(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x3x4xf32>, %b: tensor<3xf32>) -> tensor<1x7x7x3xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x5x5x4xf32>, tensor<3x3x3x4xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x7x7x3xf32>
  return %y : tensor<1x7x7x3xf32>
}
