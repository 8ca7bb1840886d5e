// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported=target=x86-64-v3 --remark-policy=final --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not mlir-fusion-opt %s --fusion-decompose-unsupported=target=pdp11 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected host or an x86-64 CPU that LLVM knows (x86-64-v3, x86-64-v4, znver4, …), got 'pdp11'

// Its filter is no constant.
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}no-kernel: the weights are neither packed nor constant; fusion.conv becomes plain loops
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}unsupported-type: the kernel computes in f32 only; fusion.matmul becomes plain loops

// CHECK-LABEL: func @runtime_filter
// CHECK-NOT: fusion.conv
// CHECK: linalg.fill
// CHECK: linalg.generic
func.func @runtime_filter(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x8x8x4xf32> {
  %e = tensor.empty() : tensor<1x8x8x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x4xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x8x8x4xf32>) {input_layout = channels_last, output_layout = channels_last} -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: func @doubles
// CHECK-NOT: fusion.matmul
func.func @doubles(%x: tensor<4x8xf64>, %w: tensor<8x2xf64>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf64>, tensor<8x2xf64>) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// A constant filter counts as packed.
// CHECK-LABEL: func @has_kernel
// CHECK: fusion.conv
func.func @has_kernel(%x: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %w = arith.constant dense<1.0> : tensor<4x4x1x1xf32>
  %e = tensor.empty() : tensor<1x8x8x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x4xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x8x8x4xf32>) {input_layout = channels_last, output_layout = channels_last} -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: func @concat
// CHECK: tensor.empty() : tensor<1x4x6xf32>
// CHECK: tensor.insert_slice %{{.*}}[0, 0, 0] [1, 4, 2]
// CHECK: tensor.insert_slice %{{.*}}[0, 0, 2] [1, 4, 4]
func.func @concat(%x: tensor<1x4x2xf32>, %y: tensor<1x4x4xf32>) -> tensor<1x4x6xf32> {
  %0 = tensor.concat dim(2) %x, %y : (tensor<1x4x2xf32>, tensor<1x4x4xf32>) -> tensor<1x4x6xf32>
  return %0 : tensor<1x4x6xf32>
}

// CHECK-LABEL: func @softmax
// CHECK-NOT: linalg.softmax
// CHECK-COUNT-4: linalg.generic
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
