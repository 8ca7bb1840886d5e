// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; x = np.random.default_rng(0).random((5, 7), 'f4'); e = np.exp(x - x.max(1, keepdims=True)); np.save('%t/x.npy', x); np.save('%t/y.npy', e / e.sum(1, keepdims=True))"
// RUN: mlir-fusion run %s --input %t/x.npy --expect %t/y.npy --expect %t/x.npy
// RUN: mlir-fusion run %s --input %t/x.npy --expect %t/y.npy --expect %t/x.npy --disable fusion-fuse

// linalg ops that are no loops by themselves become some.
func.func @main(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %t = tensor.empty() : tensor<2x3x3x3xf32>
  %p = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [3, 3] into %t : tensor<5x7xf32> -> tensor<2x3x3x3xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [3, 3] into %e : tensor<2x3x3x3xf32> -> tensor<5x7xf32>
  return %s, %u : tensor<5x7xf32>, tensor<5x7xf32>
}
