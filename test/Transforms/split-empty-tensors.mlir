// RUN: mlir-fusion-opt %s --fusion-split-empty-tensors | FileCheck %s

// The seventeenth writer gets a copy; a reader keeps the original.
// CHECK-LABEL: func @many_writers
// CHECK-SAME: %[[SIZE:[a-z0-9]*]]: index
// CHECK: %[[A:.*]] = tensor.empty(%[[SIZE]])
// CHECK: %[[B:.*]] = tensor.empty(%[[SIZE]])
// CHECK-NOT: tensor.empty
// CHECK-COUNT-16: linalg.exp {{.*}} outs(%[[A]] :
// CHECK: scf.if
// CHECK: linalg.abs {{.*}} outs(%[[B]] :
// CHECK: tensor.extract %[[A]]
func.func @many_writers(%n: index, %x: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.exp ins(%1 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.exp ins(%2 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %4 = linalg.exp ins(%3 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %5 = linalg.exp ins(%4 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %6 = linalg.exp ins(%5 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %7 = linalg.exp ins(%6 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %8 = linalg.exp ins(%7 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %9 = linalg.exp ins(%8 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %10 = linalg.exp ins(%9 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %11 = linalg.exp ins(%10 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %12 = linalg.exp ins(%11 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %13 = linalg.exp ins(%12 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %14 = linalg.exp ins(%13 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %15 = linalg.exp ins(%14 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %16 = scf.if %c -> tensor<?xf32> {
    %17 = linalg.abs ins(%15 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %17 : tensor<?xf32>
  } else {
    scf.yield %15 : tensor<?xf32>
  }
  %18 = tensor.extract %e[%c0] : tensor<?xf32>
  return %16, %18 : tensor<?xf32>, f32
}

// CHECK-LABEL: func @few_writers
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT: tensor.empty
func.func @few_writers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.abs ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
