// RUN: standalone-compile %s - | FileCheck %s
// RUN: standalone-compile %s %t.o
// RUN: llvm-nm --extern-only --defined-only %t.o | FileCheck %s --check-prefix=SYMBOLS

// The library's rules raise the product and its bias; this compiler's own rule removes the transpose.
// CHECK-LABEL: func.func @main
// CHECK-NOT: linalg.transpose
// CHECK: fusion.matmul ins(%[[B:.*]], %[[A:.*]] : tensor<8x5xf32>, tensor<4x8xf32>) {{.*}}transpose_lhs
// CHECK-NOT: linalg.transpose
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
