// Constants of one value are not taken apart: an assertion about one, a scale of one.
// RUN: %limit_gb 3 mlir-fusion-opt %s --fusion-absorb --fusion-fold-constants | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @asserted
// CHECK-NOT: cf.assert
func.func @asserted(%x: tensor<500000000xf32>) -> tensor<500000000xf32> {
  %c = arith.constant dense<2.0> : tensor<500000000xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<500000000xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %c : tensor<500000000xf32>, tensor<500000000xf32>) outs(%e : tensor<500000000xf32>) {
  ^bb0(%in: f32, %d: f32, %out: f32):
    %s = math.sqrt %d : f32
    %p = arith.cmpf one, %s, %zero : f32
    cf.assert %p, "tensor with zero element"
    %r = arith.divf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<500000000xf32>
  return %0 : tensor<500000000xf32>
}

// CHECK-LABEL: func @scaled
// CHECK: arith.constant dense<6.000000e+00> : tensor<500000x1000xf32>
// CHECK: fusion.matmul
// CHECK-NOT: mulf
func.func @scaled(%x: tensor<2x500000xf32>) -> tensor<2x1000xf32> {
  %w = arith.constant dense<3.0> : tensor<500000x1000xf32>
  %s = arith.constant dense<2.0> : tensor<1000xf32>
  %e = tensor.empty() : tensor<2x1000xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x500000xf32>, tensor<500000x1000xf32>) outs(%e : tensor<2x1000xf32>)
    epilogue(%acc: f32, %f = %s[1] : tensor<1000xf32>) {
    %1 = arith.mulf %acc, %f : f32
    fusion.yield %1 : f32
  } -> tensor<2x1000xf32>
  return %0 : tensor<2x1000xf32>
}
