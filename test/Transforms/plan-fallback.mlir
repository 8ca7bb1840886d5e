// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported=target=x86-64-v3 --remark-policy=final --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not mlir-fusion-opt %s --fusion-decompose-unsupported=target=pdp11 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: mlir-fusion-opt %s --fusion-decompose-unsupported="target=x86-64-v3 trace-rules=fusion.conv" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: remark: decompose-unsupported on fusion.conv: applied, exact
// TARGET: error: expected host or an x86-64 CPU that LLVM knows (x86-64-v3, x86-64-v4, znver4, …), got 'pdp11'

// Its filter is no constant, nor in the order that kernels read.
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}no-kernel: the weights are neither packed nor constant; fusion.conv becomes plain loops
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}unsupported-type: the kernel sums in f32, f64, i32 and i64 only; fusion.matmul becomes plain loops
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}unsupported-type: an input is wider than its sums or of another kind; fusion.matmul becomes plain loops
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}unsupported-type: an operand's elements are no bytes; fusion.matmul becomes plain loops
// REMARK-DAG: remark: [Missed] decompose-unsupported | Category:fusion{{.*}}unsupported-type: the pool's kernel takes floats only; fusion.pool becomes plain loops

// CHECK-LABEL: func @runtime_filter
// CHECK-NOT: fusion.conv
// CHECK: linalg.fill
// CHECK: linalg.generic
func.func @runtime_filter(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x8x8x4xf32> {
  %e = tensor.empty() : tensor<1x8x8x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x8x4xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x8x8x4xf32>) {input_layout = channels_last, output_layout = channels_last} -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// Sums of 16 bits, since the source says so.
// CHECK-LABEL: func @halves
// CHECK-NOT: fusion.matmul
func.func @halves(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf16> {
  %e = tensor.empty() : tensor<4x2xf16>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x2xf16>) outs(%e : tensor<4x2xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// CHECK-LABEL: func @wide_input
// CHECK-NOT: fusion.matmul
func.func @wide_input(%x: tensor<4x8xf64>, %w: tensor<8x2xf64>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf64>, tensor<8x2xf64>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @bits
// CHECK-NOT: fusion.matmul
func.func @bits(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xi1> {
  %e = tensor.empty() : tensor<4x2xi1>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xi1>)
    epilogue(%acc: f32) {
      %zero = arith.constant 0.0 : f32
      %1 = arith.cmpf ogt, %acc, %zero : f32
      fusion.yield %1 : i1
  } -> tensor<4x2xi1>
  return %0 : tensor<4x2xi1>
}

// CHECK-LABEL: func @integer_pool
// CHECK-NOT: fusion.pool
func.func @integer_pool(%x: tensor<1x4x4x8xi8>) -> tensor<1x2x2x8xi8> {
  %e = tensor.empty() : tensor<1x2x2x8xi8>
  %0 = fusion.pool max ins(%x : tensor<1x4x4x8xi8>) outs(%e : tensor<1x2x2x8xi8>) {layout = channels_last, strides = [2, 2], window = [2, 2]} -> tensor<1x2x2x8xi8>
  return %0 : tensor<1x2x2x8xi8>
}

// f64, and 16 bits or integers that are summed wider, have kernels.
// CHECK-LABEL: func @other_types
// CHECK-COUNT-3: fusion.matmul
func.func @other_types(%x: tensor<4x8xf64>, %w: tensor<8x2xf64>, %y: tensor<4x8xbf16>, %v: tensor<8x2xbf16>, %z: tensor<4x8xi8>, %u: tensor<8x2xi8>)
    -> (tensor<4x2xf64>, tensor<4x2xbf16>, tensor<4x2xi32>) {
  %e0 = tensor.empty() : tensor<4x2xf64>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf64>, tensor<8x2xf64>) outs(%e0 : tensor<4x2xf64>) -> tensor<4x2xf64>
  %e1 = tensor.empty() : tensor<4x2xbf16>
  %1 = fusion.matmul ins(%y, %v : tensor<4x8xbf16>, tensor<8x2xbf16>) outs(%e1 : tensor<4x2xbf16>)
    epilogue(%acc: f32) {
      %3 = arith.truncf %acc : f32 to bf16
      fusion.yield %3 : bf16
  } -> tensor<4x2xbf16>
  %e2 = tensor.empty() : tensor<4x2xi32>
  %2 = fusion.matmul ins(%z, %u : tensor<4x8xi8>, tensor<8x2xi8>) outs(%e2 : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %0, %1, %2 : tensor<4x2xf64>, tensor<4x2xbf16>, tensor<4x2xi32>
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

// Of many parts, each group has a buffer of its own.
// CHECK-LABEL: func @concat_of_many
// CHECK: %[[FIRST:.*]] = bufferization.alloc_tensor() : tensor<64xf32>
// CHECK-COUNT-32: tensor.insert_slice %arg0 into
// CHECK: bufferization.alloc_tensor() : tensor<2xf32>
// CHECK: tensor.insert_slice %arg0 into
// CHECK: tensor.empty() : tensor<66xf32>
// CHECK: tensor.insert_slice %{{.*}}[0] [64] [1]
// CHECK: tensor.insert_slice %{{.*}}[64] [2] [1]
func.func @concat_of_many(%x: tensor<2xf32>) -> tensor<66xf32> {
  %0 = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<66xf32>
  return %0 : tensor<66xf32>
}

// CHECK-LABEL: func @softmax
// CHECK-NOT: linalg.softmax
// CHECK-COUNT-4: linalg.generic
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Products with constant matrices, tile by tile. Sizes must be known: the matrices are as large as the tiles. Integers have none,
// and upstream's of tiles with one dim are wrong.
// CHECK-LABEL: func @winograd
// CHECK-NOT: linalg.winograd
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: linalg.winograd_filter_transform
// CHECK-NOT: linalg.winograd_input_transform
// CHECK-NOT: linalg.winograd_output_transform
// CHECK: return
func.func @winograd(%x: tensor<2x6x6x5xf32>, %w: tensor<2x3x3x5xf32>, %v: tensor<?x3x3x5xf32>, %z: tensor<6x6x1x1x2x2xf32>, %we: tensor<6x6x5x2xf32>,
    %ve: tensor<6x6x5x?xf32>, %xe: tensor<6x6x1x1x2x5xf32>, %ze: tensor<2x4x4x2xf32>)
    -> (tensor<6x6x5x2xf32>, tensor<6x6x5x?xf32>, tensor<6x6x1x1x2x5xf32>, tensor<2x4x4x2xf32>) {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x3x3x5xf32>) outs(%we : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  %1 = linalg.winograd_filter_transform fmr(F_4_3) ins(%v : tensor<?x3x3x5xf32>) outs(%ve : tensor<6x6x5x?xf32>) -> tensor<6x6x5x?xf32>
  %2 = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<2x6x6x5xf32>) outs(%xe : tensor<6x6x1x1x2x5xf32>) -> tensor<6x6x1x1x2x5xf32>
  %3 = linalg.winograd_output_transform fmr(F_4_3) ins(%z : tensor<6x6x1x1x2x2xf32>) outs(%ze : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
  return %0, %1, %2, %3 : tensor<6x6x5x2xf32>, tensor<6x6x5x?xf32>, tensor<6x6x1x1x2x5xf32>, tensor<2x4x4x2xf32>
}
// CHECK-LABEL: func @winograd_refused
// CHECK: linalg.winograd_filter_transform
// CHECK: linalg.winograd_input_transform
// CHECK: linalg.winograd_output_transform
// CHECK: linalg.winograd_filter_transform
func.func @winograd_refused(%w: tensor<2x1x3x5xf32>, %we: tensor<1x6x5x2xf32>, %x: tensor<2x6x3x5xf32>, %xe: tensor<6x1x1x3x2x5xf32>,
    %z: tensor<6x1x1x3x2x2xf32>, %ze: tensor<2x4x3x2xf32>, %v: tensor<2x3x3x5xi32>, %ve: tensor<6x6x5x2xi32>)
    -> (tensor<1x6x5x2xf32>, tensor<6x1x1x3x2x5xf32>, tensor<2x4x3x2xf32>, tensor<6x6x5x2xi32>) {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x1x3x5xf32>) outs(%we : tensor<1x6x5x2xf32>) -> tensor<1x6x5x2xf32>
  %1 = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<2x6x3x5xf32>) outs(%xe : tensor<6x1x1x3x2x5xf32>) -> tensor<6x1x1x3x2x5xf32>
  %2 = linalg.winograd_output_transform fmr(F_4_3) ins(%z : tensor<6x1x1x3x2x2xf32>) outs(%ze : tensor<2x4x3x2xf32>) -> tensor<2x4x3x2xf32>
  %3 = linalg.winograd_filter_transform fmr(F_4_3) ins(%v : tensor<2x3x3x5xi32>) outs(%ve : tensor<6x6x5x2xi32>) -> tensor<6x6x5x2xi32>
  return %0, %1, %2, %3 : tensor<1x6x5x2xf32>, tensor<6x1x1x3x2x5xf32>, tensor<2x4x3x2xf32>, tensor<6x6x5x2xi32>
}
