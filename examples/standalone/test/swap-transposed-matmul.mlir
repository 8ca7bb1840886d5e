// RUN: standalone-compile %s - | FileCheck %s
// RUN: standalone-compile %s %t.o
// RUN: llvm-nm --extern-only --defined-only %t.o | FileCheck %s --check-prefix=SYMBOLS

// The library's rules raise the product, this compiler's own rule swaps its operands, and the plan reads the new right
// operand row by row: what is transposed is the small %a, not the result.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x5xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[A]] : tensor<4x8xf32>)
// CHECK: %[[P:.*]] = fusion.matmul ins(%[[B]], %[[T]] : tensor<8x5xf32>, tensor<8x4xf32>) {{.*}}{transpose_lhs} -> tensor<5x4xf32>
// CHECK-NEXT: return %[[P]]
// SYMBOLS: swap_transposed_matmul_mlir_tmp_run
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> tensor<5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x5xf32>) -> tensor<4x5xf32>
  %product = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %out = tensor.empty() : tensor<5x4xf32>
  %t = linalg.transpose ins(%product : tensor<4x5xf32>) outs(%out : tensor<5x4xf32>) permutation = [1, 0]
  return %t : tensor<5x4xf32>
}
