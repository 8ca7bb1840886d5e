// The README's list of types that have kernels: every pair of an input and its sums, and pools.
// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported=target=x86-64-v3 | FileCheck %s

// CHECK-LABEL: func @f32_in_f32(
// CHECK: fusion.matmul
func.func @f32_in_f32(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @f16_in_f32(
// CHECK: fusion.matmul
func.func @f16_in_f32(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x2xf16>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @bf16_in_f32(
// CHECK: fusion.matmul
func.func @bf16_in_f32(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xbf16>, tensor<8x2xbf16>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @f64_in_f64(
// CHECK: fusion.matmul
func.func @f64_in_f64(%x: tensor<4x8xf64>, %w: tensor<8x2xf64>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf64>, tensor<8x2xf64>) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// CHECK-LABEL: func @f32_in_f64(
// CHECK: fusion.matmul
func.func @f32_in_f64(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// CHECK-LABEL: func @f16_in_f64(
// CHECK: fusion.matmul
func.func @f16_in_f64(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x2xf16>) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// CHECK-LABEL: func @bf16_in_f64(
// CHECK: fusion.matmul
func.func @bf16_in_f64(%x: tensor<4x8xbf16>, %w: tensor<8x2xbf16>) -> tensor<4x2xf64> {
  %e = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xbf16>, tensor<8x2xbf16>) outs(%e : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %0 : tensor<4x2xf64>
}

// CHECK-LABEL: func @i32_in_i32(
// CHECK: fusion.matmul
func.func @i32_in_i32(%x: tensor<4x8xi32>, %w: tensor<8x2xi32>) -> tensor<4x2xi32> {
  %e = tensor.empty() : tensor<4x2xi32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi32>, tensor<8x2xi32>) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// CHECK-LABEL: func @i8_in_i32(
// CHECK: fusion.matmul
func.func @i8_in_i32(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>) -> tensor<4x2xi32> {
  %e = tensor.empty() : tensor<4x2xi32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x2xi8>) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// CHECK-LABEL: func @i16_in_i32(
// CHECK: fusion.matmul
func.func @i16_in_i32(%x: tensor<4x8xi16>, %w: tensor<8x2xi16>) -> tensor<4x2xi32> {
  %e = tensor.empty() : tensor<4x2xi32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi16>, tensor<8x2xi16>) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// CHECK-LABEL: func @i64_in_i64(
// CHECK: fusion.matmul
func.func @i64_in_i64(%x: tensor<4x8xi64>, %w: tensor<8x2xi64>) -> tensor<4x2xi64> {
  %e = tensor.empty() : tensor<4x2xi64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi64>, tensor<8x2xi64>) outs(%e : tensor<4x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// CHECK-LABEL: func @i8_in_i64(
// CHECK: fusion.matmul
func.func @i8_in_i64(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>) -> tensor<4x2xi64> {
  %e = tensor.empty() : tensor<4x2xi64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x2xi8>) outs(%e : tensor<4x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// CHECK-LABEL: func @i16_in_i64(
// CHECK: fusion.matmul
func.func @i16_in_i64(%x: tensor<4x8xi16>, %w: tensor<8x2xi16>) -> tensor<4x2xi64> {
  %e = tensor.empty() : tensor<4x2xi64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi16>, tensor<8x2xi16>) outs(%e : tensor<4x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// CHECK-LABEL: func @i32_in_i64(
// CHECK: fusion.matmul
func.func @i32_in_i64(%x: tensor<4x8xi32>, %w: tensor<8x2xi32>) -> tensor<4x2xi64> {
  %e = tensor.empty() : tensor<4x2xi64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi32>, tensor<8x2xi32>) outs(%e : tensor<4x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// CHECK-LABEL: func @i8_in_i8(
// CHECK-NOT: fusion.matmul
func.func @i8_in_i8(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>) -> tensor<4x2xi8> {
  %e = tensor.empty() : tensor<4x2xi8>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x2xi8>) outs(%e : tensor<4x2xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// CHECK-LABEL: func @i16_in_i16(
// CHECK-NOT: fusion.matmul
func.func @i16_in_i16(%x: tensor<4x8xi16>, %w: tensor<8x2xi16>) -> tensor<4x2xi16> {
  %e = tensor.empty() : tensor<4x2xi16>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi16>, tensor<8x2xi16>) outs(%e : tensor<4x2xi16>) -> tensor<4x2xi16>
  return %0 : tensor<4x2xi16>
}

// CHECK-LABEL: func @pool_f32(
// CHECK: fusion.pool
func.func @pool_f32(%x: tensor<1x4x4x8xf32>) -> tensor<1x2x2x8xf32> {
  %e = tensor.empty() : tensor<1x2x2x8xf32>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xf32>) outs(%e : tensor<1x2x2x8xf32>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xf32>
  return %0 : tensor<1x2x2x8xf32>
}

// CHECK-LABEL: func @pool_f64(
// CHECK: fusion.pool
func.func @pool_f64(%x: tensor<1x4x4x8xf64>) -> tensor<1x2x2x8xf64> {
  %e = tensor.empty() : tensor<1x2x2x8xf64>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xf64>) outs(%e : tensor<1x2x2x8xf64>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xf64>
  return %0 : tensor<1x2x2x8xf64>
}

// CHECK-LABEL: func @pool_f16(
// CHECK: fusion.pool
func.func @pool_f16(%x: tensor<1x4x4x8xf16>) -> tensor<1x2x2x8xf16> {
  %e = tensor.empty() : tensor<1x2x2x8xf16>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xf16>) outs(%e : tensor<1x2x2x8xf16>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xf16>
  return %0 : tensor<1x2x2x8xf16>
}

// CHECK-LABEL: func @pool_bf16(
// CHECK: fusion.pool
func.func @pool_bf16(%x: tensor<1x4x4x8xbf16>) -> tensor<1x2x2x8xbf16> {
  %e = tensor.empty() : tensor<1x2x2x8xbf16>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xbf16>) outs(%e : tensor<1x2x2x8xbf16>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xbf16>
  return %0 : tensor<1x2x2x8xbf16>
}

// CHECK-LABEL: func @pool_i8(
// CHECK-NOT: fusion.pool
func.func @pool_i8(%x: tensor<1x4x4x8xi8>) -> tensor<1x2x2x8xi8> {
  %e = tensor.empty() : tensor<1x2x2x8xi8>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xi8>) outs(%e : tensor<1x2x2x8xi8>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xi8>
  return %0 : tensor<1x2x2x8xi8>
}

// CHECK-LABEL: func @pool_i32(
// CHECK-NOT: fusion.pool
func.func @pool_i32(%x: tensor<1x4x4x8xi32>) -> tensor<1x2x2x8xi32> {
  %e = tensor.empty() : tensor<1x2x2x8xi32>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xi32>) outs(%e : tensor<1x2x2x8xi32>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
    -> tensor<1x2x2x8xi32>
  return %0 : tensor<1x2x2x8xi32>
}
