// RUN: rm -rf %t && mkdir %t
// RUN: clang -std=c11 -fPIC -c %S/Inputs/observe.c -o %t/observe.o
// RUN: %python -c "import numpy as np; x = np.arange(-8, 8, dtype='f4').reshape(4, 4); np.save('%t/x.npy', x); np.save('%t/y.npy', np.maximum(x @ x, 0) + 3)"
// RUN: mlir-fusion run %s --link %t/observe.o --input %t/x.npy --expect %t/y.npy
// RUN: not mlir-fusion run %s --input %t/x.npy 2>&1 | FileCheck %s
// CHECK: undefined symbol: _mlir_ciface_observe
// CHECK: expected a definition of each function that the model only declares: give an object that has one (--link FILE.o)

// What another language defines takes buffers through MLIR's C interface and
// scalars as they are. It may write to its buffers, which nobody else sees.
func.func private @observe(tensor<4x4xf32>)
func.func private @offset(f32) -> f32
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  call @observe(%m) : (tensor<4x4xf32>) -> ()
  call @observe(%x) : (tensor<4x4xf32>) -> ()
  %k = call @offset(%two) : (f32) -> f32
  %r = linalg.max ins(%m, %fill : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %offsets = linalg.fill ins(%k : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.add ins(%r, %offsets : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}
