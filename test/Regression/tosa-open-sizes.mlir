// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/tosa-open-sizes.py %t
// RUN: mlir-fusion run %s --input %t/x.npy --input %t/i.npy --input %t/w.npy --expect %t/max.npy --expect %t/average.npy --expect %t/transposed.npy --rtol-max 1e-6
// RUN: mlir-fusion run %s --input %t/x.npy --input %t/i.npy --input %t/w.npy --expect %t/max.npy --expect %t/average.npy --expect %t/transposed.npy --rtol-max 1e-6 --disable fusion-fuse

// Pools and transposed convolutions of images of any number and size: an average pool was refused, a max pool had a border of
// the lowest finite number, which hides an image of -inf.
func.func @main(%x: tensor<?x?x?x3xf32>, %i: tensor<?x?x?x3xf32>, %w: tensor<4x3x2x3xf32>) -> (tensor<?x?x?x3xf32>, tensor<?x?x?x3xf32>, tensor<?x?x?x4xf32>) {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = "tosa.const"() {values = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = tosa.max_pool2d %i {kernel = array<i64: 3, 2>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>} : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  %1 = tosa.avg_pool2d %x, %zero, %zero {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 2, 1, 1, 0>, stride = array<i64: 2, 1>}
    : (tensor<?x?x?x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x3xf32>
  %2 = tosa.transpose_conv2d %x, %w, %b, %zero, %zero {acc_type = f32, out_pad = array<i64: -1, 2, 1, -1>, stride = array<i64: 2, 3>}
    : (tensor<?x?x?x3xf32>, tensor<4x3x2x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x?x?x4xf32>
  return %0, %1, %2 : tensor<?x?x?x3xf32>, tensor<?x?x?x3xf32>, tensor<?x?x?x4xf32>
}
