// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; np.save('%t/small.npy', np.full((3, 4), 0.5, 'f4')); np.save('%t/sums.npy', np.full(3, 2, 'f4')); np.save('%t/large.npy', np.full((3, 4), 1, 'f4'))"
// RUN: mlir-fusion compile %s -o %t/net.so
// RUN: mlir-fusion run %t/net.so --input %t/small.npy --expect %t/sums.npy
// RUN: not --crash mlir-fusion run %t/net.so --input %t/large.npy 2>&1 | FileCheck %s

// An assertion about what is summed so far: the start of the sum says nothing of it.
// CHECK: assertion failed: expected less than 2.5 before the last
func.func @main(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 2.5 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x4xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.cmpf ult, %out, %most : f32
    cf.assert %p, "expected less than 2.5 before the last"
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
