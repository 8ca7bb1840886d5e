// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] raise-matmul {{.*}}fused: linalg.matmul is a fusion.matmul
// REMARK-DAG: [Passed] raise-batch-matmul {{.*}}fused: linalg.batch_matmul is a fusion.matmul

// CHECK-LABEL: func @matmul(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xbf16>, %[[W:.*]]: tensor<8x2xbf16>
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : tensor<?x8xbf16>, tensor<8x2xbf16>) outs({{.*}} : tensor<?x2xf32>) -> tensor<?x2xf32>
func.func @matmul(%x: tensor<?x8xbf16>, %w: tensor<8x2xbf16>, %m: index) -> tensor<?x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x8xbf16>, tensor<8x2xbf16>) outs(%i : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Gemm with transB.
// CHECK-LABEL: func @transposed_weight(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<2x8xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : {{.*}}) outs({{.*}}) {transpose_rhs} epilogue
func.func @transposed_weight(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>, %i: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<8x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x8xf32>) outs(%e : tensor<8x2xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func @transposed_maps(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[W:.*]]: tensor<2x8xf32>
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : {{.*}}) outs({{.*}}) {transpose_lhs, transpose_rhs} epilogue
func.func @transposed_maps(%x: tensor<8x4xf32>, %w: tensor<2x8xf32>, %i: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<8x4xf32>, tensor<2x8xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func @transposed_result(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>
// CHECK: fusion.matmul ins(%[[W]], %[[X]] : tensor<8x2xf32>, tensor<4x8xf32>) outs({{.*}} : tensor<2x4xf32>) {transpose_lhs, transpose_rhs} epilogue
func.func @transposed_result(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
    ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func @batch_matmul(
// CHECK: fusion.matmul ins({{.*}} : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs({{.*}}) -> tensor<3x4x2xf32>
func.func @batch_matmul(%x: tensor<3x4x8xf32>, %w: tensor<3x8x2xf32>) -> tensor<3x4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%i : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// A weight that was copied once per batch, as torch-mlir writes it.
// CHECK-LABEL: func @repeated_weight(
// CHECK-SAME: %[[X:.*]]: tensor<3x4x8xf32>, %[[W:.*]]: tensor<8x2xf32>
// CHECK-NOT: linalg
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : tensor<3x4x8xf32>, tensor<8x2xf32>) outs({{.*}} : tensor<3x4x2xf32>)
func.func @repeated_weight(%x: tensor<3x4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> {
  %e = tensor.empty() : tensor<3x8x2xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w : tensor<8x2xf32>) outs(%e : tensor<3x8x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x8x2xf32>
  %y = linalg.batch_matmul ins(%x, %b : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%i : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// The same on images: two batch dims were merged.
// CHECK-LABEL: func @repeated_and_merged_weight(
// CHECK-SAME: %[[X:.*]]: tensor<6x4x8xf32>, %[[W:.*]]: tensor<2x8xf32>
// CHECK-NOT: linalg
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : tensor<6x4x8xf32>, tensor<2x8xf32>) outs({{.*}}) {transpose_rhs}
func.func @repeated_and_merged_weight(%x: tensor<6x4x8xf32>, %w: tensor<2x8xf32>, %i: tensor<6x4x2xf32>) -> tensor<6x4x2xf32> {
  %te = tensor.empty() : tensor<8x2xf32>
  %t = linalg.transpose ins(%w : tensor<2x8xf32>) outs(%te : tensor<8x2xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<2x3x8x2xf32>
  %b = linalg.broadcast ins(%t : tensor<8x2xf32>) outs(%e : tensor<2x3x8x2xf32>) dimensions = [0, 1]
  %c = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x3x8x2xf32> into tensor<6x8x2xf32>
  %y = linalg.batch_matmul ins(%x, %c : tensor<6x4x8xf32>, tensor<6x8x2xf32>) outs(%i : tensor<6x4x2xf32>) -> tensor<6x4x2xf32>
  return %y : tensor<6x4x2xf32>
}

// A transpose that moves the batch is no matrix of its rows and columns: it stays, before the product.
// CHECK-LABEL: func @transposed_heads(
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: fusion.matmul ins(%[[T]], {{.*}}) outs({{.*}}) epilogue
func.func @transposed_heads(%x: tensor<4x3x8xf32>, %w: tensor<3x8x2xf32>, %i: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> {
  %e = tensor.empty() : tensor<3x4x8xf32>
  %t = linalg.transpose ins(%x : tensor<4x3x8xf32>) outs(%e : tensor<3x4x8xf32>) permutation = [1, 0, 2]
  %y = linalg.batch_matmul ins(%t, %w : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%i : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %y : tensor<3x4x2xf32>
}

// A row that is the same for all rows is no matrix.
// REMARK-DAG: [Missed] raise-matmul {{.*}}map-mismatch: linalg.matmul has an operand that is no matrix of its rows and columns
// CHECK-LABEL: func @repeated_row(
// CHECK: linalg.matmul
func.func @repeated_row(%x: tensor<8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// A root extends signed numbers.
// REMARK-DAG: [Missed] raise-matmul {{.*}}unsupported-type: the elements are unsigned
// CHECK-LABEL: func @unsigned_bytes(
// CHECK: linalg.matmul
func.func @unsigned_bytes(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>, %i: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %y = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<4x8xi8>, tensor<8x2xi8>) outs(%i : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// A sum of booleans is a disjunction in linalg.
// REMARK-DAG: [Missed] raise-batch-matmul {{.*}}unsupported-type: the result is of type i1
// CHECK-LABEL: func @booleans(
// CHECK: linalg.batch_matmul
func.func @booleans(%x: tensor<3x4x8xi1>, %w: tensor<3x8x2xi1>, %i: tensor<3x4x2xi1>) -> tensor<3x4x2xi1> {
  %y = linalg.batch_matmul ins(%x, %w : tensor<3x4x8xi1>, tensor<3x8x2xi1>) outs(%i : tensor<3x4x2xi1>) -> tensor<3x4x2xi1>
  return %y : tensor<3x4x2xi1>
}

// linalg lets sizes differ beside an empty one; a root does not.
// REMARK-DAG: [Missed] raise-batch-matmul {{.*}}map-mismatch: operands differ in a size
// CHECK-LABEL: func @differing_batch(
// CHECK: linalg.batch_matmul
func.func @differing_batch(%x: tensor<3x4x8xf32>, %w: tensor<3x8x2xf32>, %i: tensor<0x4x2xf32>) -> tensor<0x4x2xf32> {
  %y = linalg.batch_matmul ins(%x, %w : tensor<3x4x8xf32>, tensor<3x8x2xf32>) outs(%i : tensor<0x4x2xf32>) -> tensor<0x4x2xf32>
  return %y : tensor<0x4x2xf32>
}

// CHECK-LABEL: func @no_rows(
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}} : tensor<0x2xf32>)
func.func @no_rows(%x: tensor<0x8xf32>, %w: tensor<8x2xf32>, %i: tensor<0x2xf32>) -> tensor<0x2xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<0x8xf32>, tensor<8x2xf32>) outs(%i : tensor<0x2xf32>) -> tensor<0x2xf32>
  return %y : tensor<0x2xf32>
}
