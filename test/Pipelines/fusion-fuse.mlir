// RUN: mlir-fusion-opt %s --fusion-fuse | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-fuse=disable-patterns=absorb-unary | FileCheck %s --check-prefix=OFF
// RUN: not mlir-fusion-opt %s --fusion-fuse=disable-patterns=absorb-unry 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The stage leaves one root, and switches off what it is told by label.

// CHECK-LABEL: func.func @matmul_relu
// CHECK-NOT: linalg
// CHECK: fusion.matmul
// CHECK-NOT: linalg

// OFF: fusion.matmul
// OFF: linalg.generic

// RUN: not mlir-fusion-opt %s --fusion-compile=disable=raise-cov 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: not mlir-fusion-opt %s --fusion-fuse=enable-patterns=raise-conv,absorb-unry 2>&1 | FileCheck %s --check-prefix=ENABLE
// RUN: not mlir-fusion-opt %s --pass-pipeline='builtin.module(fusion-fuse{disable-patterns=conv-channels-last})' 2>&1 | FileCheck %s --check-prefix=OTHER
// COMPILE: error: expected a switch, got 'raise-cov'; did you mean 'raise-conv'? These are the switches:
// Labels are those of all passes of the stage.
// ENABLE: error: expected a rule's label in enable-patterns, got 'absorb-unry'
// UNKNOWN: error: expected a rule's label in disable-patterns, got 'absorb-unry'; did you mean 'absorb-unary'? These are the labels of fusion-fuse:
// UNKNOWN-NEXT: raise-tosa-
// UNKNOWN: raise-conv{{.*}} absorb-unary
// UNKNOWN: reuse-residual
// OTHER: error: expected a rule's label in disable-patterns, got 'conv-channels-last'
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @matmul_relu(%lhs: tensor<4x8xf32>, %rhs: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x5xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>) -> tensor<4x5xf32>
  %product = linalg.matmul ins(%lhs, %rhs : tensor<4x8xf32>, tensor<8x5xf32>)
      outs(%fill : tensor<4x5xf32>) -> tensor<4x5xf32>
  %relu = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<4x5xf32>) outs(%empty : tensor<4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %positive = arith.cmpf ugt, %in, %zero : f32
    %max = arith.select %positive, %in, %zero : f32
    linalg.yield %max : f32
  } -> tensor<4x5xf32>
  return %relu : tensor<4x5xf32>
}
