// RUN: mlir-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mlir-fusion compile %t.mlirbc --target x86-64-v3 --stop-after fusion-fuse -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// A file that is too small to be mapped, whose resources ask for an alignment
// that a buffer on the heap does not have.

// CHECK: func.func @main
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant dense_resource<weights> : tensor<4xf32>
  %1 = arith.addf %arg0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x400000000000803F0000803F0000803F0000803F"
    }
  }
#-}
