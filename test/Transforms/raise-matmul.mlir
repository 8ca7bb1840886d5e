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
// REMARK-DAG: [Missed] raise-matmul {{.*}}unsupported-type: the result is of type i1
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

// A vector is a matrix of one row; the matrix stays on the right, where weights are.
// CHECK-LABEL: func @matvec(
// CHECK-SAME: %[[W:.*]]: tensor<5x8xf32>, %[[V:.*]]: tensor<8xf32>
// CHECK: %[[X:.*]] = tensor.expand_shape %[[V]] {{.*}} into tensor<1x8xf32>
// CHECK: %[[Y:.*]] = fusion.matmul ins(%[[X]], %[[W]] : tensor<1x8xf32>, tensor<5x8xf32>) outs({{.*}}) {transpose_rhs} -> tensor<1x5xf32>
// CHECK: tensor.collapse_shape %[[Y]] {{.*}} into tensor<5xf32>
func.func @matvec(%w: tensor<5x8xf32>, %x: tensor<8xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %y = linalg.matvec ins(%w, %x : tensor<5x8xf32>, tensor<8xf32>) outs(%i : tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func @dot(
// CHECK: fusion.matmul ins({{.*}} : tensor<1x8xf32>, tensor<8x1xf32>) outs({{.*}} : tensor<1x1xf32>)
func.func @dot(%x: tensor<8xf32>, %w: tensor<8xf32>, %i: tensor<f32>) -> tensor<f32> {
  %y = linalg.dot ins(%x, %w : tensor<8xf32>, tensor<8xf32>) outs(%i : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// One operand has more loops than the other: they are batch dims, which the other lacks.
// CHECK-LABEL: func @contract(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x8xf32>, %[[W:.*]]: tensor<5x8xf32>
// CHECK-NOT: tensor.collapse_shape
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : {{.*}}) outs({{.*}} : tensor<2x3x4x5xf32>) {transpose_rhs}
func.func @contract(%x: tensor<2x3x4x8xf32>, %w: tensor<5x8xf32>, %i: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = linalg.contract
    indexing_maps = [affine_map<(a, b, m, n, k) -> (a, b, m, k)>, affine_map<(a, b, m, n, k) -> (n, k)>, affine_map<(a, b, m, n, k) -> (a, b, m, n)>]
    ins(%x, %w : tensor<2x3x4x8xf32>, tensor<5x8xf32>) outs(%i : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %y : tensor<2x3x4x5xf32>
}

// Heads are columns: one product, whose result is split.
// CHECK-LABEL: func @split_columns(
// CHECK: %[[W:.*]] = tensor.collapse_shape {{.*}} : tensor<8x2x5xf32> into tensor<8x10xf32>
// CHECK: %[[Y:.*]] = fusion.matmul ins({{.*}}, %[[W]] : tensor<4x8xf32>, tensor<8x10xf32>)
// CHECK: tensor.expand_shape %[[Y]] {{.*}} into tensor<4x2x5xf32>
func.func @split_columns(%x: tensor<4x8xf32>, %w: tensor<8x2x5xf32>, %i: tensor<4x2x5xf32>) -> tensor<4x2x5xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, h, n, k) -> (m, k)>, affine_map<(m, h, n, k) -> (k, h, n)>, affine_map<(m, h, n, k) -> (m, h, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x8xf32>, tensor<8x2x5xf32>) outs(%i : tensor<4x2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x2x5xf32>
  return %y : tensor<4x2x5xf32>
}

// A sum over two loops of which only one operand has one is no product.
// CHECK-LABEL: func @other_sum(
// CHECK: linalg.generic
func.func @other_sum(%x: tensor<4x8x3xf32>, %w: tensor<8x5xf32>, %i: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<4x8x3xf32>, tensor<8x5xf32>) outs(%i : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// One number for each batch: nothing is read twice.
// REMARK-DAG: [Missed] raise-batch-matmul {{.*}}unprofitable: each product has one row and one column
// CHECK-LABEL: func @dot_of_each_row(
// CHECK: linalg.generic
func.func @dot_of_each_row(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>, %i: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%x, %w : tensor<4x8xf32>, tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// REMARK-DAG: [Missed] raise-matmul {{.*}}dynamic-shape: the sizes of rows and columns that are several dims are not known
// CHECK-LABEL: func @unknown_columns(
// CHECK: linalg.contract
func.func @unknown_columns(%x: tensor<4x8xf32>, %w: tensor<8x?x?xf32>, %i: tensor<4x?x?xf32>) -> tensor<4x?x?xf32> {
  %y = linalg.contract
    indexing_maps = [affine_map<(m, h, n, k) -> (m, k)>, affine_map<(m, h, n, k) -> (k, h, n)>, affine_map<(m, h, n, k) -> (m, h, n)>]
    ins(%x, %w : tensor<4x8xf32>, tensor<8x?x?xf32>) outs(%i : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  return %y : tensor<4x?x?xf32>
}

// A constant index of several elements is no dim of one.
// REMARK-DAG: [Missed] raise-matmul {{.*}}map-mismatch: linalg.generic has an operand that is no matrix of its rows and columns
// CHECK-LABEL: func @one_of_several(
// CHECK: linalg.generic
func.func @one_of_several(%x: tensor<4x3x8xf32>, %w: tensor<8x5xf32>, %i: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, 0, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<4x3x8xf32>, tensor<8x5xf32>) outs(%i : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
