// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-assign-layout=disable-patterns=fold-constant-slice | FileCheck %s --check-prefix=NOSLICE
// RUN: mlir-fusion-opt %s --fusion-assign-layout="disable-patterns=fold-constant-transpose,fold-constant-reshape" | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: func @transposes
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK-DAG: dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi8>
// CHECK-NOT: linalg.transpose
// OFF-LABEL: func @transposes
// OFF-COUNT-2: linalg.transpose ins
func.func @transposes() -> (tensor<3x2xf32>, tensor<2x2xi8>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%c : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %d = arith.constant dense_resource<w> : tensor<2x2xi8>
  %f = tensor.empty() : tensor<2x2xi8>
  %1 = linalg.transpose ins(%d : tensor<2x2xi8>) outs(%f : tensor<2x2xi8>) permutation = [1, 0]
  return %0, %1 : tensor<3x2xf32>, tensor<2x2xi8>
}

// Only the type changes: no data is copied.
// CHECK-LABEL: func @reshapes
// CHECK-DAG: dense_resource<w> : tensor<4xi8>
// CHECK-DAG: dense_resource<w> : tensor<2x1x2xi8>
// CHECK-NOT: tensor.
// OFF-LABEL: func @reshapes
// OFF: tensor.collapse_shape
// OFF: tensor.expand_shape
func.func @reshapes() -> (tensor<4xi8>, tensor<2x1x2xi8>) {
  %d = arith.constant dense_resource<w> : tensor<2x2xi8>
  %0 = tensor.collapse_shape %d [[0, 1]] : tensor<2x2xi8> into tensor<4xi8>
  %1 = tensor.expand_shape %d [[0, 1], [2]] output_shape [2, 1, 2] : tensor<2x2xi8> into tensor<2x1x2xi8>
  return %0, %1 : tensor<4xi8>, tensor<2x1x2xi8>
}

// Weights that are cut out of a constant are constant: the product keeps its transpose_rhs and is packed later.
// CHECK-LABEL: func @slice
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}5.000000e+00, 6.000000e+00], [8.000000e+00, 9.000000e+00]]> : tensor<2x2xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.matmul ins(%{{.*}}, %[[W]] : {{.*}}) outs({{.*}}) {transpose_rhs}
// NOSLICE-LABEL: func @slice
// NOSLICE: tensor.extract_slice
func.func @slice(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>
  %w = tensor.extract_slice %c[1, 1] [2, 2] [1, 1] : tensor<3x3xf32> to tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<1x2xf32>, tensor<2x2xf32>) outs(%e : tensor<1x2xf32>) {transpose_rhs} -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// A transpose that moves dims of size 1 only.
// CHECK-LABEL: func @unit_dims
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2, 3]]
// CHECK-NOT: linalg.transpose
func.func @unit_dims(%x: tensor<1x2x3x1xf32>) -> tensor<2x3x1x1xf32> {
  %e = tensor.empty() : tensor<2x3x1x1xf32>
  %0 = linalg.transpose ins(%x : tensor<1x2x3x1xf32>) outs(%e : tensor<2x3x1x1xf32>) permutation = [1, 2, 0, 3]
  return %0 : tensor<2x3x1x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000001020304"
    }
  }
#-}
