// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion.* --remark-policy=final -o /dev/null 2>&1 | FileCheck %s

// Products and convolutions whose body is none that a root has say so.
// CHECK-DAG: raise-matmul{{.*}}not-raised: the body of linalg.generic is no root's
// CHECK-DAG: raise-conv{{.*}}not-raised: the body of linalg.conv_2d_nhwc_hwcf_q is no root's
func.func @and_or(%a: tensor<4x8xi8>, %b: tensor<8x5xi8>, %c: tensor<4x5xi8>) -> tensor<4x5xi8> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x5xi8>) outs(%c : tensor<4x5xi8>) {
  ^bb0(%x: i8, %y: i8, %acc: i8):
    %p = arith.andi %x, %y : i8
    %s = arith.ori %acc, %p : i8
    linalg.yield %s : i8
  } -> tensor<4x5xi8>
  return %0 : tensor<4x5xi8>
}

// Zero points of floats do not cancel exactly.
func.func @zero_points_of_floats(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x8xf32>, %zx: f32, %zw: f32, %i: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %y = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %zx, %zw : tensor<1x6x6x4xf32>, tensor<3x3x4x8xf32>, f32, f32)
    outs(%i : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %y : tensor<1x4x4x8xf32>
}
