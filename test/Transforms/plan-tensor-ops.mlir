// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported | FileCheck %s

// CHECK-LABEL: @gather
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>, %[[I:.+]]: tensor<3x1xi32>
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<3x1x6xf32>)
// CHECK: %[[BATCH:.+]] = linalg.index 0
// CHECK: %[[READ:.+]] = tensor.extract %[[I]][%[[BATCH]], %{{.+}}] : tensor<3x1xi32>
// CHECK: %[[ROW:.+]] = arith.index_cast %[[READ]]
// CHECK: %[[COLUMN:.+]] = linalg.index 2
// CHECK: tensor.extract %[[X]][%[[ROW]], %[[COLUMN]]]
func.func @gather(%x: tensor<4x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x1x6xf32> {
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x1x6xf32>
  return %y : tensor<3x1x6xf32>
}

// CHECK-LABEL: @gather_without_dims
// CHECK-SAME: %[[X:.+]]: tensor<?x6xf32>, %[[I:.+]]: tensor<?x1xindex>
// CHECK-DAG: %[[BATCH:.+]] = tensor.dim %[[I]], %{{.+}}
// CHECK-DAG: %[[SIZE:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK: tensor.empty(%[[BATCH]], %[[SIZE]]) : tensor<?x?xf32>
// CHECK: %[[ROW:.+]] = linalg.index 1
// CHECK: tensor.extract %[[X]][%[[ROW]], %{{.+}}]
func.func @gather_without_dims(%x: tensor<?x6xf32>, %i: tensor<?x1xindex>) -> tensor<?x?xf32> {
  %y = tensor.gather %x[%i] gather_dims([1]) : (tensor<?x6xf32>, tensor<?x1xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: @scatter
// CHECK-SAME: %[[U:.+]]: tensor<2x1x6xf32>, %[[X:.+]]: tensor<4x6xf32>, %[[I:.+]]: tensor<2x1xindex>
// CHECK: scf.for %[[B:.+]] = {{.*}} iter_args(%[[T:.+]] = %[[X]])
// CHECK: %[[ROW:.+]] = tensor.extract %[[I]][%[[B]], %{{.+}}]
// CHECK: %[[SLICE:.+]] = tensor.extract_slice %[[U]][%[[B]], 0, 0] [1, 1, 6] [1, 1, 1] : tensor<2x1x6xf32> to tensor<6xf32>
// CHECK: tensor.insert_slice %[[SLICE]] into %[[T]][%[[ROW]], 0] [1, 6] [1, 1]
func.func @scatter(%u: tensor<2x1x6xf32>, %x: tensor<4x6xf32>, %i: tensor<2x1xindex>) -> tensor<4x6xf32> {
  %y = tensor.scatter %u into %x[%i] scatter_dims([0]) unique
    : (tensor<2x1x6xf32>, tensor<4x6xf32>, tensor<2x1xindex>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// CHECK-LABEL: @bitcast
// CHECK: linalg.generic
// CHECK: arith.bitcast %{{.+}} : f32 to i32
// CHECK-LABEL: @bitcast_unsigned
// CHECK: tensor.bitcast
func.func @bitcast(%x: tensor<?xf32>) -> tensor<?xi32> {
  %y = tensor.bitcast %x : tensor<?xf32> to tensor<?xi32>
  return %y : tensor<?xi32>
}
// No op computes on unsigned types.
func.func @bitcast_unsigned(%x: tensor<4xi32>) -> tensor<4xui32> {
  %y = tensor.bitcast %x : tensor<4xi32> to tensor<4xui32>
  return %y : tensor<4xui32>
}
