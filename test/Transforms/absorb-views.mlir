// RUN: mlir-fusion-opt %s --fusion-absorb | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-absorb --verify-diagnostics --remarks-filter-missed=fusion -o /dev/null

// Elementwise ops behind a transpose or a reshape of a root's result.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#last4 = affine_map<(d0, d1, d2, d3) -> (d3)>
#channel3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#mask4 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#head4 = affine_map<(d0, d1, d2, d3) -> (d0)>

// The bias of the last dim is that of the root's last dim.
// CHECK-LABEL: func @expanded_bias
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<8xf32>)
// CHECK: %[[R:.*]] = fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[A:.*]] = %[[B]][2] : tensor<8xf32>) {
// CHECK-NEXT: arith.addf %[[ACC]], %[[A]] : f32
// CHECK: %[[E:.*]] = tensor.expand_shape %[[R]] {{\[}}[0, 1], [2], [3]]
// CHECK: return %[[E]]
func.func @expanded_bias(%x: tensor<2x4x6xf32>, %w: tensor<6x8xf32>, %b: tensor<8xf32>) -> tensor<1x2x4x8xf32> {
  %e = tensor.empty() : tensor<2x4x8xf32>
  %e4 = tensor.empty() : tensor<1x2x4x8xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x4x6xf32>, tensor<6x8xf32>) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [1, 2, 4, 8] : tensor<2x4x8xf32> into tensor<1x2x4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #last4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %b : tensor<1x2x4x8xf32>, tensor<8xf32>) outs(%e4 : tensor<1x2x4x8xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x2x4x8xf32>
  return %2 : tensor<1x2x4x8xf32>
}

// A dim of one element comes and goes.
// CHECK-LABEL: func @collapsed_bias
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<1x4x1xf32>)
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[B]] {{.*}} : tensor<1x4x1xf32> into tensor<4xf32>
// CHECK: %[[R:.*]] = fusion.conv {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[V]][1] : tensor<4xf32>) {
// CHECK: tensor.collapse_shape %[[R]] {{\[}}[0], [1], [2, 3]]
func.func @collapsed_bias(%x: tensor<1x3x8x1xf32>, %w: tensor<4x3x1x1xf32>, %b: tensor<1x4x1xf32>) -> tensor<1x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x8x1xf32>
  %e3 = tensor.empty() : tensor<1x4x8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x1xf32>, tensor<4x3x1x1xf32>) outs(%e : tensor<1x4x8x1xf32>) -> tensor<1x4x8x1xf32>
  %1 = tensor.collapse_shape %0 [[0], [1], [2, 3]] : tensor<1x4x8x1xf32> into tensor<1x4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id3, #channel3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%1, %b : tensor<1x4x8xf32>, tensor<1x4x1xf32>) outs(%e3 : tensor<1x4x8xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x4x8xf32>
  return %2 : tensor<1x4x8xf32>
}

// A residual in another order is read in that order.
// CHECK-LABEL: func @transposed_residual
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<1x8x8x4xf32>)
// CHECK: %[[C:.*]] = fusion.conv {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[R]][0, 2, 3, 1] : tensor<1x8x8x4xf32>) {
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[C]] {{.*}} permutation = [0, 2, 3, 1]
// CHECK: return %[[T]]
func.func @transposed_residual(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %r: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %e = tensor.empty() : tensor<1x4x8x8xf32>
  %t = tensor.empty() : tensor<1x8x8x4xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) outs(%e : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %1 = linalg.transpose ins(%0 : tensor<1x4x8x8xf32>) outs(%t : tensor<1x8x8x4xf32>) permutation = [0, 2, 3, 1]
  %2 = arith.addf %1, %r : tensor<1x8x8x4xf32>
  return %2 : tensor<1x8x8x4xf32>
}

// Chains: heads are split off and brought forward; the cast changes the type of all of it.
// CHECK-LABEL: func @heads
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x6xf16>
// CHECK: %[[M:.*]] = fusion.matmul {{.*}} outs(%[[E]] : tensor<4x6xf16>)
// CHECK: arith.truncf
// CHECK: %[[S:.*]] = tensor.expand_shape %[[M]] {{.*}} : tensor<4x6xf16> into tensor<4x2x3xf16>
// CHECK: %[[F:.*]] = tensor.empty() : tensor<2x4x3xf16>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[S]] : tensor<4x2x3xf16>) outs(%[[F]] : tensor<2x4x3xf16>) permutation = [1, 0, 2]
// CHECK: return %[[T]]
func.func @heads(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<2x4x3xf16> {
  %e = tensor.empty() : tensor<4x6xf32>
  %t = tensor.empty() : tensor<2x4x3xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<4x2x3xf32>) outs(%t : tensor<2x4x3xf32>) permutation = [1, 0, 2]
  %3 = arith.truncf %2 : tensor<2x4x3xf32> to tensor<2x4x3xf16>
  return %3 : tensor<2x4x3xf16>
}

// What goes through all of the dims that were one is merged, a mask through none of them stays.
// CHECK-LABEL: func @merged_operands
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<2x3x4x5xf32>, %[[M:[a-z0-9]*]]: tensor<1x1x4x5xf32>)
// CHECK-DAG: %[[RC:.*]] = tensor.collapse_shape %[[R]] {{\[}}[0, 1], [2], [3]]
// CHECK-DAG: %[[MC:.*]] = tensor.collapse_shape %[[M]] {{.*}} : tensor<1x1x4x5xf32> into tensor<4x5xf32>
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[RC]][0, 1, 2] : tensor<6x4x5xf32>, %{{.*}} = %[[MC]][1, 2] : tensor<4x5xf32>) {
func.func @merged_operands(%x: tensor<6x4x8xf32>, %w: tensor<6x8x5xf32>, %r: tensor<2x3x4x5xf32>, %m: tensor<1x1x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %e = tensor.empty() : tensor<6x4x5xf32>
  %e4 = tensor.empty() : tensor<2x3x4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<6x4x8xf32>, tensor<6x8x5xf32>) outs(%e : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #id4, #mask4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %r, %m : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<1x1x4x5xf32>) outs(%e4 : tensor<2x3x4x5xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %s = arith.addf %in, %a : f32
    %p = arith.addf %s, %b : f32
    linalg.yield %p : f32
  } -> tensor<2x3x4x5xf32>
  return %2 : tensor<2x3x4x5xf32>
}

// What goes through a merged dim is split.
// CHECK-LABEL: func @split_operand
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<8x5xf32>)
// CHECK: %[[RE:.*]] = tensor.expand_shape %[[R]] {{\[}}[0, 1], [2]] output_shape [2, 4, 5]
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[RE]][0, 1, 2] : tensor<2x4x5xf32>) {
func.func @split_operand(%x: tensor<2x4x8xf32>, %w: tensor<8x5xf32>, %r: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %e = tensor.empty() : tensor<2x4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x4x8xf32>, tensor<8x5xf32>) outs(%e : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x4x5xf32> into tensor<8x5xf32>
  %2 = arith.addf %1, %r : tensor<8x5xf32>
  return %2 : tensor<8x5xf32>
}

// Sizes that are not known are asked of the init, which is there before the root moves.
// CHECK-LABEL: func @dynamic
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x4x5xf32>
// CHECK: tensor.dim %[[E]], %{{.*}} : tensor<?x4x5xf32>
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %{{.*}}[2] : tensor<5xf32>) {
func.func @dynamic(%x: tensor<?x4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>, %n: index) -> tensor<1x?x4x5xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?x4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<?x4x8xf32>, tensor<8x5xf32>) outs(%e : tensor<?x4x5xf32>) -> tensor<?x4x5xf32>
  %d = tensor.dim %0, %c0 : tensor<?x4x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [1, %d, 4, 5] : tensor<?x4x5xf32> into tensor<1x?x4x5xf32>
  %e4 = tensor.empty(%d) : tensor<1x?x4x5xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #last4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %b : tensor<1x?x4x5xf32>, tensor<5xf32>) outs(%e4 : tensor<1x?x4x5xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<1x?x4x5xf32>
  return %2 : tensor<1x?x4x5xf32>
}

// The same with less known of its size.
// CHECK-LABEL: func @cast
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<?x5xf32>)
// CHECK: %[[R:.*]] = fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[B]][0, 1] : tensor<?x5xf32>) {
// CHECK: %[[C:.*]] = tensor.cast %[[R]] : tensor<4x5xf32> to tensor<?x5xf32>
// CHECK: return %[[C]]
func.func @cast(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = tensor.cast %0 : tensor<4x5xf32> to tensor<?x5xf32>
  %2 = arith.addf %1, %b : tensor<?x5xf32>
  return %2 : tensor<?x5xf32>
}

// A graph that reads the view twice is one op first.
// CHECK-LABEL: func @silu
// CHECK: %[[R:.*]] = fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK: math.exp
// CHECK: arith.mulf %[[ACC]]
// CHECK: %[[E:.*]] = tensor.expand_shape %[[R]]
// CHECK: return %[[E]]
func.func @silu(%x: tensor<6x4x8xf32>, %w: tensor<8x5xf32>) -> tensor<2x3x4x5xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x4x5xf32>
  %e4 = tensor.empty() : tensor<2x3x4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<6x4x8xf32>, tensor<8x5xf32>) outs(%e : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x3x4x5xf32>) outs(%e4 : tensor<2x3x4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.negf %in : f32
    %c = math.exp %a : f32
    %d = arith.addf %c, %one : f32
    %r = arith.divf %one, %d : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  %3 = linalg.generic {indexing_maps = [#id4, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %2 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) outs(%e4 : tensor<2x3x4x5xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %r = arith.mulf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4x5xf32>
  return %3 : tensor<2x3x4x5xf32>
}

// One value for each of some of the dims that were one has no place in the root's dims.
// CHECK-LABEL: func @part_of_a_dim
// CHECK: linalg.generic
func.func @part_of_a_dim(%x: tensor<6x4x8xf32>, %w: tensor<6x8x5xf32>, %v: tensor<2xf32>) -> tensor<2x3x4x5xf32> {
  %e = tensor.empty() : tensor<6x4x5xf32>
  %e4 = tensor.empty() : tensor<2x3x4x5xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<6x4x8xf32>, tensor<6x8x5xf32>) outs(%e : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 4, 5] : tensor<6x4x5xf32> into tensor<2x3x4x5xf32>
  // expected-remark @below {{map-mismatch: linalg.generic reads an operand through only some of the dims that tensor.expand_shape splits or merges}}
  %2 = linalg.generic {indexing_maps = [#id4, #head4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %v : tensor<2x3x4x5xf32>, tensor<2xf32>) outs(%e4 : tensor<2x3x4x5xf32>) {
  ^bb0(%in: f32, %a: f32, %out: f32):
    %s = arith.addf %in, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x3x4x5xf32>
  return %2 : tensor<2x3x4x5xf32>
}

// What is read elsewhere under another name must stay available.
// CHECK-LABEL: func @other_reader_of_a_view
// CHECK: fusion.matmul {{.*}} -> tensor<4x6xf32>
// CHECK: math.exp
func.func @other_reader_of_a_view(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x2x3xf32>, tensor<4x2x3xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  // expected-remark @below {{other-readers: the result of fusion.matmul is also read by func.return}}
  %2 = math.exp %1 : tensor<4x2x3xf32>
  return %1, %2 : tensor<4x2x3xf32>, tensor<4x2x3xf32>
}

// Nor may the root's result be read beside its view.
// CHECK-LABEL: func @beside_its_view
// CHECK: linalg.generic
func.func @beside_its_view(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @below {{other-readers: the result of fusion.matmul is also read by linalg.transpose}}
  %2 = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
