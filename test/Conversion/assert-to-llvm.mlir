// RUN: mlir-fusion-opt %s -fusion-assert-to-llvm -split-input-file | FileCheck %s

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

// -----

// A symbol of the model keeps its name.
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:assertion_0_[0-9]+]]("assertion failed: expected a size\0A")
// CHECK-DAG: memref.global "private" constant @assertion_0 : memref<2xf32>
// CHECK-LABEL: func.func @taken
// CHECK:       llvm.mlir.addressof @[[TEXT]]
memref.global "private" constant @assertion_0 : memref<2xf32> = dense<[1.0, 2.0]>
func.func @taken(%a: i1) -> memref<2xf32> {
  cf.assert %a, "expected a size"
  %0 = memref.get_global @assertion_0 : memref<2xf32>
  return %0 : memref<2xf32>
}
