// 1 / x, as importers write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<19xf32>) -> tensor<19xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<19xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<19xf32>) outs(%e : tensor<19xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.cmpf one, %in, %zero : f32
    cf.assert %p, "unimplemented: tensor with zero element"
    %r = arith.divf %one, %in : f32
    linalg.yield %r : f32
  } -> tensor<19xf32>
  return %0 : tensor<19xf32>
}
