// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter-passed=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] raise-init {{.*}}fused: the init is neutral and was dropped
// REMARK-DAG: [Passed] raise-init {{.*}}fused: the init became an operand of the epilogue

// One fill of many convolutions.
// CHECK-LABEL: func @shared_zero_fill(
// CHECK-NOT: linalg.fill
// CHECK-COUNT-2: fusion.conv ins({{.*}}) outs({{.*}}) -> tensor<1x4x4x4xf32>
func.func @shared_zero_fill(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) outs(%i : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %z = linalg.conv_2d_nchw_fchw ins(%y, %w : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) outs(%i : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %z : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func @zero_constant(
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<4x2xi32>) -> tensor<4x2xi32>
func.func @zero_constant(%x: tensor<4x8xi32>, %w: tensor<8x2xi32>) -> tensor<4x2xi32> {
  %i = arith.constant dense<0> : tensor<4x2xi32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xi32>, tensor<8x2xi32>) outs(%i : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// CHECK-LABEL: func @broadcast_bias(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x4xf32>, %[[W:.*]]: tensor<6x4x1x1xf32>, %[[B:.*]]: tensor<6xf32>
// CHECK-NOT: linalg.broadcast
// CHECK: fusion.conv ins(%[[X]], %[[W]] : {{.*}}) outs({{.*}}) epilogue(%[[ACC:.*]]: f32, %[[E:.*]] = %[[B]][1] : tensor<6xf32>) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[E]] : f32
// CHECK-NEXT: fusion.yield %[[S]]
func.func @broadcast_bias(%x: tensor<1x4x4x4xf32>, %w: tensor<6x4x1x1xf32>, %bias: tensor<6xf32>) -> tensor<1x6x4x4xf32> {
  %e = tensor.empty() : tensor<1x6x4x4xf32>
  %i = linalg.broadcast ins(%bias : tensor<6xf32>) outs(%e : tensor<1x6x4x4xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x4x4xf32>, tensor<6x4x1x1xf32>) outs(%i : tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  return %y : tensor<1x6x4x4xf32>
}

// The same as a generic, with the bias as tensor<1x6x1x1>: dims of one element are left out.
// CHECK-LABEL: func @generic_bias(
// CHECK-SAME: %[[B:[^ ]*]]: tensor<1x6x1x1xf32>)
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0, 1, 2, 3]] : tensor<1x6x1x1xf32> into tensor<6xf32>
// CHECK: fusion.conv ins({{.*}}) outs({{.*}}) epilogue(%{{.*}}: f32, %{{.*}} = %[[V]][1] : tensor<6xf32>)
func.func @generic_bias(%x: tensor<2x4x4x4xf32>, %w: tensor<6x4x1x1xf32>, %bias: tensor<1x6x1x1xf32>) -> tensor<2x6x4x4xf32> {
  %e = tensor.empty() : tensor<2x6x4x4xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%bias : tensor<1x6x1x1xf32>) outs(%e : tensor<2x6x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x6x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x4x4xf32>, tensor<6x4x1x1xf32>) outs(%i : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
  return %y : tensor<2x6x4x4xf32>
}

// Any tensor: an operand at the same place, and a destination of its own.
// CHECK-LABEL: func @any_tensor(
// CHECK-SAME: %[[I:[^ ]*]]: tensor<?x2xf32>)
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x2xf32>
// CHECK: fusion.matmul ins({{.*}}) outs(%[[E]] : tensor<?x2xf32>) epilogue(%{{.*}}: f32, %{{.*}} = %[[I]][0, 1] : tensor<?x2xf32>)
func.func @any_tensor(%x: tensor<?x8xf32>, %w: tensor<8x2xf32>, %i: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x2xf32>) outs(%i : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// CHECK-LABEL: func @other_fill(
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}}) epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.0{{.*}} : f32
// CHECK-NEXT: arith.addf %[[ACC]], %[[C]]
func.func @other_fill(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %i = linalg.fill ins(%two : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func @scalar_fill(
// CHECK-SAME: %[[A:[^ ]*]]: f32)
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}}) epilogue(%{{.*}}: f32, %{{.*}} = %[[A]] : f32)
func.func @scalar_fill(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %a: f32) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %i = linalg.fill ins(%a : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// A maximum is unchanged by -inf only: a zero fill is a lower bound.
// CHECK-LABEL: func @max_of_zero_fill(
// CHECK: fusion.pool max ins({{.*}}) outs({{.*}}) {window = [2, 2]} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT: arith.maximumf %[[ACC]], %[[C]]
func.func @max_of_zero_fill(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x8x5x5xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  %y = linalg.pooling_nchw_max ins(%x, %k : tensor<1x8x6x6xf32>, tensor<2x2xf32>) outs(%i : tensor<1x8x5x5xf32>) -> tensor<1x8x5x5xf32>
  return %y : tensor<1x8x5x5xf32>
}

// An epilogue that multiplies with the init's element keeps it.
// CHECK-LABEL: func @multiplied_init(
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<4x2xf32>) epilogue(%{{.*}}: f32, init %{{.*}}: f32)
func.func @multiplied_init(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, init %d: f32) {
    %m = arith.mulf %acc, %d : f32
    fusion.yield %m : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// The first row for all rows is a slice, no broadcast: the generic stays.
// CHECK-LABEL: func @first_row(
// CHECK: %[[I:.*]] = linalg.generic
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}}) epilogue(%{{.*}}: f32, %{{.*}} = %[[I]][0, 1] : tensor<4x2xf32>)
func.func @first_row(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %rows: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%rows : tensor<3x2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// A neutral fill of rank 0 is dropped like others, whatever the kind of number; another one is added.
// CHECK-LABEL: func @rank_0(
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK: fusion.matmul ins({{.*}}) outs(%{{.*}} : tensor<1x1xf32>) epilogue(%[[ACC:.*]]: f32) {
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: arith.addf %[[ACC]], %[[TWO]]
func.func @rank_0(%x: tensor<6xf32>, %y: tensor<6xf32>, %i: tensor<6xi32>, %j: tensor<6xi32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %n = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %g = linalg.fill ins(%none : i32) outs(%n : tensor<i32>) -> tensor<i32>
  %h = linalg.fill ins(%two : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<6xf32>, tensor<6xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  %1 = linalg.dot ins(%i, %j : tensor<6xi32>, tensor<6xi32>) outs(%g : tensor<i32>) -> tensor<i32>
  %2 = linalg.dot ins(%x, %y : tensor<6xf32>, tensor<6xf32>) outs(%h : tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<i32>, tensor<f32>
}
