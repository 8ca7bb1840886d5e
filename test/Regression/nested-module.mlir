// RUN: not mlir-fusion compile %s -o %t.so 2>&1 | FileCheck %s

// CHECK: nested-module.mlir:[[#@LINE+1]]:1: error: expected a model of one module, got another inside it
module @inner {
  func.func @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
