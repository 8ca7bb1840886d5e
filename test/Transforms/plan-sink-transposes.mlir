// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s

// Each op between two pools is computed channels-last: the only transposes are the first pool's and the last one's.

#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
#gate = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
#row = affine_map<(n, c, h, w) -> (w)>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[GATE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, 0, 0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d2)>

// CHECK-LABEL: func @elementwise
// CHECK: linalg.transpose
// CHECK: %[[A:.*]] = fusion.pool
// CHECK: %[[G:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[CHANNEL]], #[[GATE]], #[[ROW]], #[[ID]]]
// CHECK-SAME: ins(%[[A]], %{{.*}} : tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>, tensor<3xf32>, tensor<1x3x1x1xf32>, tensor<4xf32>)
// CHECK: linalg.index 3
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
func.func @elementwise(%x: tensor<1x3x4x4xf32>, %b: tensor<3xf32>, %g: tensor<1x3x1x1xf32>, %r: tensor<4xf32>) -> tensor<1x3x4x4xf32> {
  %splat = arith.constant dense<2.0> : tensor<1x3x4x4xf32>
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #channel, #gate, #row, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %splat, %b, %g, %r : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<1x3x1x1xf32>, tensor<4xf32>) outs(%e : tensor<1x3x4x4xf32>) {
  ^bb0(%a: f32, %s: f32, %c: f32, %d: f32, %f: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %2 = arith.addf %a, %c : f32
    %3 = arith.mulf %2, %d : f32
    %4 = arith.addf %3, %f : f32
    %5 = arith.addf %4, %k : f32
    %6 = arith.addf %5, %s : f32
    linalg.yield %6 : f32
  } -> tensor<1x3x4x4xf32>
  %7 = fusion.pool max ins(%1 : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  return %7 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: func @moves
// CHECK: linalg.transpose
// CHECK: fusion.pool
// CHECK: tensor.pad %{{.*}} low[0, 1, 2, 0] high[0, 0, 3, 0]
// CHECK: tensor.concat dim(3) {{.*}} -> tensor<1x5x9x6xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0, 2] [1, 4, 4, 4] [1, 1, 2, 1]
// CHECK: tensor.insert_slice {{.*}} : tensor<1x4x4x4xf32> into tensor<1x8x8x4xf32>
// CHECK: linalg.softmax dimension(3)
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
func.func @moves(%x: tensor<1x3x4x4xf32>) -> tensor<1x4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %1 = tensor.pad %0 low[0, 0, 1, 2] high[0, 0, 0, 3] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<1x3x4x4xf32> to tensor<1x3x5x9xf32>
  %2 = tensor.concat dim(1) %1, %1 : (tensor<1x3x5x9xf32>, tensor<1x3x5x9xf32>) -> tensor<1x6x5x9xf32>
  %3 = tensor.extract_slice %2[0, 2, 1, 0] [1, 4, 4, 4] [1, 1, 1, 2] : tensor<1x6x5x9xf32> to tensor<1x4x4x4xf32>
  %f = tensor.empty() : tensor<1x4x8x8xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%f : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %5 = tensor.insert_slice %3 into %4[0, 0, 0, 0] [1, 4, 4, 4] [1, 1, 2, 2] : tensor<1x4x4x4xf32> into tensor<1x4x8x8xf32>
  %6 = linalg.softmax dimension(1) ins(%5 : tensor<1x4x8x8xf32>) outs(%f : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %7 = fusion.pool max ins(%6 : tensor<1x4x8x8xf32>) outs(%f : tensor<1x4x8x8xf32>) {window = [1, 1]} -> tensor<1x4x8x8xf32>
  return %7 : tensor<1x4x8x8xf32>
}

// The mean over an image needs no transpose of its result.
// CHECK-LABEL: func @reductions
// CHECK: fusion.pool
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%{{.*}} : tensor<1x4x4x3xf32>) outs(%{{.*}} : tensor<1x3xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}} : tensor<1x4x4x3xf32>) outs(%{{.*}} : tensor<1x4x4xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @reductions(%x: tensor<1x3x4x4xf32>) -> (tensor<1x3xf32>, tensor<1x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %f = tensor.empty() : tensor<1x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%f : tensor<1x3xf32>) -> tensor<1x3xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<1x3x4x4xf32>) outs(%i : tensor<1x3xf32>) dimensions = [2, 3]
  %g = tensor.empty() : tensor<1x4x4xf32>
  %j = linalg.fill ins(%zero : f32) outs(%g : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%0 : tensor<1x3x4x4xf32>) outs(%j : tensor<1x4x4xf32>) dimensions = [1]
  return %1, %2 : tensor<1x3xf32>, tensor<1x4x4xf32>
}

// Squeeze and excite: the gate [N, C, 1, 1] is a reshape, the named op a generic.
// CHECK-LABEL: func @gate
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool max
// CHECK: fusion.pool max
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool max
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
func.func @gate(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %f = tensor.empty() : tensor<1x3x1x1xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %1 = fusion.pool max ins(%0 : tensor<1x3x4x4xf32>) outs(%f : tensor<1x3x1x1xf32>) {window = [4, 4]} -> tensor<1x3x1x1xf32>
  %2 = linalg.exp ins(%1 : tensor<1x3x1x1xf32>) outs(%f : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  %3 = linalg.generic {indexing_maps = [#id, #gate, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%0, %2 : tensor<1x3x4x4xf32>, tensor<1x3x1x1xf32>) outs(%e : tensor<1x3x4x4xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %4 = arith.mulf %a, %s : f32
    linalg.yield %4 : f32
  } -> tensor<1x3x4x4xf32>
  %5 = fusion.pool max ins(%3 : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  return %5 : tensor<1x3x4x4xf32>
}

// Tokens of an image are a reshape of it.
// CHECK-LABEL: func @tokens
// CHECK: %[[A:.*]] = fusion.pool
// CHECK: %[[T:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1, 2], [3]] : tensor<1x4x4x3xf32> into tensor<1x16x3xf32>
// CHECK: return %[[T]]
func.func @tokens(%x: tensor<1x3x4x4xf32>) -> tensor<1x16x3xf32> {
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %1 = tensor.collapse_shape %0 [[0], [1], [2, 3]] : tensor<1x3x4x4xf32> into tensor<1x3x16xf32>
  %f = tensor.empty() : tensor<1x16x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<1x3x16xf32>) outs(%f : tensor<1x16x3xf32>) permutation = [0, 2, 1]
  return %2 : tensor<1x16x3xf32>
}

// A shuffle of channels is one transpose of the innermost dims.
// CHECK-LABEL: func @channel_shuffle
// CHECK: fusion.pool
// CHECK: tensor.expand_shape {{.*}} : tensor<1x4x4x6xf32> into tensor<1x4x4x2x3xf32>
// CHECK: linalg.transpose {{.*}} permutation = [0, 1, 2, 4, 3]
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x4x4x3x2xf32> into tensor<1x4x4x6xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool
func.func @channel_shuffle(%x: tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32> {
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {window = [1, 1]} -> tensor<1x6x4x4xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 4] : tensor<1x6x4x4xf32> into tensor<1x2x3x4x4xf32>
  %f = tensor.empty() : tensor<1x3x2x4x4xf32>
  %2 = linalg.transpose ins(%1 : tensor<1x2x3x4x4xf32>) outs(%f : tensor<1x3x2x4x4xf32>) permutation = [0, 2, 1, 3, 4]
  %3 = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<1x3x2x4x4xf32> into tensor<1x6x4x4xf32>
  %4 = fusion.pool max ins(%3 : tensor<1x6x4x4xf32>) outs(%e : tensor<1x6x4x4xf32>) {window = [1, 1]} -> tensor<1x6x4x4xf32>
  return %4 : tensor<1x6x4x4xf32>
}

// A resize reads its input by tensor.extract.
// CHECK-LABEL: func @resize
// CHECK: %[[A:.*]] = fusion.pool
// CHECK: linalg.generic
// CHECK-DAG: %[[N:.*]] = linalg.index 0
// CHECK-DAG: %[[C:.*]] = linalg.index 3
// CHECK-DAG: %[[H:.*]] = linalg.index 1
// CHECK-DAG: %[[W:.*]] = linalg.index 2
// CHECK-DAG: %[[H2:.*]] = arith.divui %[[H]]
// CHECK-DAG: %[[W2:.*]] = arith.divui %[[W]]
// CHECK: tensor.extract %[[A]][%[[N]], %[[H2]], %[[W2]], %[[C]]] : tensor<1x4x4x3xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.pool
func.func @resize(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %f = tensor.empty() : tensor<1x3x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%f : tensor<1x3x8x8xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %h2 = arith.divui %h, %c2 : index
    %w2 = arith.divui %w, %c2 : index
    %2 = tensor.extract %0[%n, %c, %h2, %w2] : tensor<1x3x4x4xf32>
    linalg.yield %2 : f32
  } -> tensor<1x3x8x8xf32>
  %3 = fusion.pool max ins(%1 : tensor<1x3x8x8xf32>) outs(%f : tensor<1x3x8x8xf32>) {window = [1, 1]} -> tensor<1x3x8x8xf32>
  return %3 : tensor<1x3x8x8xf32>
}

// A sum of a pool's result and an argument that is returned: a transpose of the argument would save none.
// CHECK-LABEL: func @mixed_at_the_end
// CHECK: fusion.pool
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: linalg.add ins(%[[T]], %{{.*}} : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>)
// CHECK-NOT: linalg.transpose
func.func @mixed_at_the_end(%x: tensor<1x3x4x4xf32>, %y: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %e = tensor.empty() : tensor<1x3x4x4xf32>
  %0 = fusion.pool max ins(%x : tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) {window = [1, 1]} -> tensor<1x3x4x4xf32>
  %1 = linalg.add ins(%0, %y : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) outs(%e : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}
