// Each rule that is tried on an op of a name, or at a place, says in a remark what came of it; rules do what they do.
// RUN: mlir-fusion-opt %s --fusion-fuse=trace-rules=arith.negf -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: mlir-fusion-opt %s --fusion-fuse=trace-rules=trace-rules.mlir:32 -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLACE --implicit-check-not=negf
// RUN: mlir-fusion-opt %s --fusion-raise --fusion-plan=trace-rules=fusion.matmul -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLAN
// RUN: mlir-fusion-opt %s --fusion-fuse=trace-rules=trace-rules.mlir:3 -o /dev/null 2>&1 | count 0
// RUN: mlir-fusion-opt %s --fusion-fuse -o %t.plain
// RUN: mlir-fusion-opt %s --fusion-fuse=trace-rules=trace-rules.mlir -o %t.traced 2> %t.trace
// RUN: diff %t.plain %t.traced
// RUN: FileCheck %s --check-prefix=PLACE < %t.trace
// RUN: FileCheck %s --check-prefix=NAME < %t.trace

// NAME: trace-rules.mlir:31:8: remark: absorb-unary on arith.negf: refused: no-root: arith.negf reads an argument, no root
// NAME: trace-rules.mlir:31:8: remark: absorb-channel on arith.negf: refused: no-root: arith.negf reads an argument, no root
// NAME: trace-rules.mlir:31:8: remark: fuse-elementwise on arith.negf: applied, exact

// PLACE: trace-rules.mlir:32:8: remark: raise-batch-matmul on linalg.batch_matmul: applied
// PLACE: trace-rules.mlir:32:8: remark: raise-init on fusion.matmul: applied
// PLACE: trace-rules.mlir:32:8: remark: fold-pad on fusion.matmul: refused: expected a pad before the image
// PLACE: trace-rules.mlir:32:8: remark: fold-scale-into-weights on fusion.matmul: refused: expected a constant scale
// PLACE: trace-rules.mlir:32:8: remark: reuse-residual on fusion.matmul: refused: expected a residual of the result's type

// PLAN: trace-rules.mlir:32:8: remark: transpose-rhs on fusion.matmul: refused: expected a transposed rhs
func.func @main(%x: tensor<2x4x5xf32>, %w: tensor<2x5x6xf32>) -> tensor<2x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>


  %n = arith.negf %x : tensor<2x4x5xf32>
  %y = linalg.batch_matmul ins(%n, %w : tensor<2x4x5xf32>, tensor<2x5x6xf32>) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}
