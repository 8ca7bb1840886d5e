// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); x = r.random((5, 21), 'f4') - 0.5; m = r.random((5, 21)) < 0.5; np.save('%t/x.npy', x); np.save('%t/m.npy', m); np.save('%t/y.npy', np.where(m, x, 0)); np.save('%t/p.npy', (x > 0) ^ m); k = np.arange(9) % 3 == 0; np.save('%t/k.npy', k)"
// RUN: mlir-fusion run %s --input %t/x.npy --input %t/m.npy --expect %t/y.npy --expect %t/p.npy --expect %t/m.npy --expect %t/k.npy
// RUN: mlir-fusion run %s --target x86-64-v3 --disable fusion-fuse --input %t/x.npy --input %t/m.npy --expect %t/y.npy --expect %t/p.npy --expect %t/m.npy --expect %t/k.npy

// An i1 has a byte of its own, which vectors of LLVM do not give it: reading,
// writing, copying and constants.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<5x21xf32>, %m: tensor<5x21xi1>) -> (tensor<5x21xf32>, tensor<5x21xi1>, tensor<5x21xi1>, tensor<9xi1>) {
  %zero = arith.constant 0.0 : f32
  %k = arith.constant dense<[true, false, false, true, false, false, true, false, false]> : tensor<9xi1>
  %e = tensor.empty() : tensor<5x21xf32>
  %b = tensor.empty() : tensor<5x21xi1>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<5x21xf32>, tensor<5x21xi1>) outs(%e : tensor<5x21xf32>) {
  ^bb0(%v: f32, %bit: i1, %o: f32):
    %s = arith.select %bit, %v, %zero : f32
    linalg.yield %s : f32
  } -> tensor<5x21xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<5x21xf32>, tensor<5x21xi1>) outs(%b : tensor<5x21xi1>) {
  ^bb0(%v: f32, %bit: i1, %o: i1):
    %c = arith.cmpf ogt, %v, %zero : f32
    %s = arith.xori %c, %bit : i1
    linalg.yield %s : i1
  } -> tensor<5x21xi1>
  return %y, %p, %m, %k : tensor<5x21xf32>, tensor<5x21xi1>, tensor<5x21xi1>, tensor<9xi1>
}
