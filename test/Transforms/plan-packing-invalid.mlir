// RUN: not mlir-fusion-opt %s -split-input-file --fusion-pack-constants=target=x86-64-v3 2>&1 | FileCheck %s
// RUN: not mlir-fusion-opt %s -split-input-file --fusion-assign-layout 2>&1 | FileCheck %s

// CHECK: :[[#@LINE+2]]:8: error: expected data for resource 'nowhere', got none
func.func @missing(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense_resource<nowhere> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// CHECK: :[[#@LINE+2]]:8: error: expected 24 bytes in resource 'short' of type 'tensor<2x3xf32>', got 4
func.func @short(%x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense_resource<short> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x2xf32>, tensor<2x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x0400000001020304"
    }
  }
#-}
