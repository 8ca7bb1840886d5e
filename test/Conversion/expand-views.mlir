// RUN: mlir-fusion-opt %s -fusion-expand-views -canonicalize | FileCheck %s

// Strides of several dynamic sizes are products of the sizes behind them.
// CHECK-LABEL: func.func @several
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<?x6xf32>, %[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index)
// CHECK:       %[[STRIDE:[^ ]*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK:       memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[N]], %[[M]], 2, 3], strides: [%[[STRIDE]], 6, 3, 1]
func.func @several(%x: memref<?x6xf32>, %n: index, %m: index) -> memref<?x?x2x3xf32> {
  %y = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [%n, %m, 2, 3] : memref<?x6xf32> into memref<?x?x2x3xf32>
  return %y : memref<?x?x2x3xf32>
}

// The source may be a part of something larger.
// CHECK-LABEL: func.func @part
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<?xf32, strided<[5], offset: ?>>, %[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index)
// CHECK:       %{{[^ ,]*}}, %[[OFFSET:[^ ,]*]], {{.*}} = memref.extract_strided_metadata %[[X]]
// CHECK:       %[[STRIDE:[^ ]*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK:       memref.reinterpret_cast %[[X]] to offset: [%[[OFFSET]]], sizes: [%[[N]], %[[M]]], strides: [%[[STRIDE]], 5]
func.func @part(%x: memref<?xf32, strided<[5], offset: ?>>, %n: index, %m: index) -> memref<?x?xf32, strided<[?, 5], offset: ?>> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%n, %m]
    : memref<?xf32, strided<[5], offset: ?>> into memref<?x?xf32, strided<[?, 5], offset: ?>>
  return %y : memref<?x?xf32, strided<[?, 5], offset: ?>>
}

// One dynamic size is upstream's.
// CHECK-LABEL: func.func @one
// CHECK:       memref.expand_shape
func.func @one(%x: memref<?xf32>, %n: index) -> memref<?x2xf32> {
  %y = memref.expand_shape %x [[0, 1]] output_shape [%n, 2] : memref<?xf32> into memref<?x2xf32>
  return %y : memref<?x2xf32>
}
