// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion.* --remark-policy=final -o /dev/null 2>&1 | FileCheck %s

// Forms that no rule raises say so.
// CHECK-DAG: raise-matmul{{.*}}not-raised: a product in this form is no root
// CHECK-DAG: raise-conv{{.*}}not-raised: linalg.conv_1d_ncw_fcw in this form is no root
func.func @generic_product(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @conv_1d(%x: tensor<1x4x10xf32>, %w: tensor<8x4x3xf32>, %init: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %0 = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x4x10xf32>, tensor<8x4x3xf32>) outs(%init : tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}
