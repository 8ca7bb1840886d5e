// RUN: mlir-fusion-opt %s -fusion-assert-to-llvm | FileCheck %s

// A message is written to standard error at once; modules inside are left alone.
// CHECK-DAG: llvm.func @write(i32, !llvm.ptr, i64) -> i64
// CHECK-DAG: llvm.func @abort()
// CHECK-DAG: llvm.mlir.global internal constant @assertion_0("assertion failed: expected a size\0A")
// CHECK-LABEL: func.func @two
// CHECK:       cf.cond_br %{{.*}}, ^[[REST:.*]], ^[[FAIL:.*]]
// CHECK:       ^[[FAIL]]:
// CHECK-DAG:   %[[FILE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG:   %[[LENGTH:.*]] = llvm.mlir.constant(34 : i64)
// CHECK:       llvm.call @write(%[[FILE]], %{{.*}}, %[[LENGTH]])
// CHECK-NEXT:  llvm.call @abort()
// CHECK-NEXT:  llvm.unreachable
// CHECK:       ^[[REST]]:
// CHECK:       cf.cond_br
// CHECK:       llvm.call @write
// CHECK:       return
func.func @two(%a: i1, %b: i1) {
  cf.assert %a, "expected a size"
  cf.assert %b, "expected another"
  return
}
// CHECK-LABEL: module @kernel
// CHECK:       cf.assert
module @kernel {
  func.func @kernel(%a: i1) {
    cf.assert %a, "expected nothing"
    return
  }
}
