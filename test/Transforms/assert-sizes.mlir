// What ops expect of sizes is asserted before rewrites rely on it.
// RUN: mlir-fusion-opt %s --split-input-file --fusion-assert-sizes | FileCheck %s
// The stage fusion-fuse does it, or fusion-plan without it.
// RUN: mlir-fusion-opt %s --split-input-file --fusion-plan=assert-sizes | FileCheck %s --check-prefix=PLAN
// RUN: mlir-fusion-opt %s --split-input-file --fusion-plan | FileCheck %s --check-prefix=PLAIN
// PLAN-LABEL: func @matmul(
// PLAN: cf.assert
// PLAIN-NOT: cf.assert

// CHECK-LABEL: func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[INIT:.*]]: tensor<?x?xf32>
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[INIT]], %c0
// CHECK: %[[AGREE:.*]] = arith.cmpi eq, %[[M]], %[[ROWS]]
// CHECK: cf.assert %[[AGREE]], "expected sizes that agree in 'linalg.matmul'"
// CHECK: %[[COLUMNS:.*]] = tensor.dim %[[INIT]], %c1
// CHECK: %[[EIGHT:.*]] = arith.cmpi eq, {{.*}}
// CHECK: cf.assert %[[EIGHT]], "expected sizes that agree in 'linalg.matmul'"
// CHECK-NOT: cf.assert
// CHECK: linalg.matmul
func.func @matmul(%x: tensor<?x4xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %w = arith.constant dense<0.5> : tensor<4x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Once, though two ops expect it; what holds always is not said.
// CHECK-LABEL: func @once(
// CHECK-COUNT-2: cf.assert
// CHECK-NOT: cf.assert
// CHECK: return
func.func @once(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = arith.constant dense<0.5> : tensor<4x8xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %y = linalg.add ins(%x, %w : tensor<?x?xf32>, tensor<4x8xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.mul ins(%y, %w : tensor<?x?xf32>, tensor<4x8xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// What data decides is left to fusion-derive-shapes: no op gets another reader.
// CHECK-LABEL: func @data(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @data(%x: tensor<4xf32>, %k: tensor<index>) -> tensor<?xf32> {
  %n = tensor.extract %k[] : tensor<index>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// In a branch it need hold only there.
// CHECK-LABEL: func @branch(
// CHECK-NOT: cf.assert
// CHECK: scf.if
// CHECK: cf.assert %{{.*}}, "expected sizes that agree in 'linalg.exp'"
// CHECK: linalg.exp
// CHECK: else
// CHECK-NOT: cf.assert
func.func @branch(%x: tensor<4xf32>, %init: tensor<?xf32>, %cond: i1) -> tensor<?xf32> {
  %y = scf.if %cond -> tensor<?xf32> {
    %z = linalg.exp ins(%x : tensor<4xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  } else {
    scf.yield %init : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
