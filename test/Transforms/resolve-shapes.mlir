// RUN: mlir-fusion-opt %s -fusion-resolve-shapes -canonicalize -cse | FileCheck %s

// A size of what a chain of ops makes is a size of what it was made from: its root has one reader.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?x4xf32>
// CHECK:       %[[N:[^ ]*]] = tensor.dim %[[X]], %c0
// CHECK:       %[[E:[^ ]*]] = tensor.empty(%[[N]])
// CHECK:       fusion.matmul
// CHECK-NOT:   tensor.dim
// CHECK:       linalg.exp {{.*}} outs(%[[E]]
func.func @sizes(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %p = fusion.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = tensor.dim %p, %c0 : tensor<?x8xf32>
  %f = tensor.empty(%m) : tensor<?x8xf32>
  %y = linalg.exp ins(%p : tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// Static sizes at the end keep their dims apart.
// CHECK-LABEL: func.func @split
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?x?x360xf32>, %[[N:[^ :,)]*]]: i64, %[[M:[^ :,)]*]]: index)
// CHECK:       %[[SIZE:[^ ]*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:       %[[FLAT:[^ ]*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<?x?x360xf32> into tensor<?x360xf32>
// CHECK:       tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1], [2, 3]] output_shape [%[[SIZE]], %[[M]], 24, 15]
func.func @split(%x: tensor<?x?x360xf32>, %n: i64, %m: index) -> tensor<?x?x24x15xf32> {
  %c24 = arith.constant 24 : i64
  %c15 = arith.constant 15 : i64
  %m64 = arith.index_cast %m : index to i64
  %shape = tensor.from_elements %n, %m64, %c24, %c15 : tensor<4xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x?x360xf32>, tensor<4xi64>) -> tensor<?x?x24x15xf32>
  return %y : tensor<?x?x24x15xf32>
}

// What is static on one side only is promised.
// CHECK-LABEL: func.func @promise
// CHECK:       %[[FLAT:[^ ]*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x?xf32> into tensor<?xf32>
// CHECK:       %[[CAST:[^ ]*]] = tensor.cast %[[FLAT]] : tensor<?xf32> to tensor<12xf32>
// CHECK:       tensor.expand_shape %[[CAST]] {{\[\[}}0, 1, 2]] output_shape [2, 3, 2]
func.func @promise(%x: tensor<?x?xf32>) -> tensor<2x3x2xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %shape = tensor.from_elements %c2, %c3, %c2 : tensor<3xindex>
  %y = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<2x3x2xf32>
  return %y : tensor<2x3x2xf32>
}

// A shape that is data stays.
// CHECK-LABEL: func.func @data
// CHECK:       tensor.reshape
func.func @data(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  %y = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A loop and branches that keep a size have it.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?xf32>
// CHECK:       scf.for
// CHECK:         tensor.dim %[[X]], %c0
// CHECK:         scf.yield
// CHECK:       %[[N:[^ ]*]] = tensor.dim %[[X]], %c0
// CHECK:       return %{{.*}}, %[[N]], %[[N]]
func.func @carried(%x: tensor<?xf32>, %k: index, %c: i1) -> (tensor<?xf32>, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %m = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%m) : tensor<?xf32>
    %s = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  %n = tensor.dim %r, %c0 : tensor<?xf32>
  %b = scf.if %c -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %s = linalg.exp ins(%r : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  return %b, %n, %m : tensor<?xf32>, index, index
}

// One that grows has not.
// CHECK-LABEL: func.func @grows
// CHECK:       %[[R:[^ ]*]] = scf.for
// CHECK:       tensor.dim %[[R]]
func.func @grows(%x: tensor<?xf32>, %k: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %s = tensor.concat dim(0) %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  %n = tensor.dim %r, %c0 : tensor<?xf32>
  return %n : index
}
