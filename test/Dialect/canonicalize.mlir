// RUN: mlir-fusion-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @dead_operand(
// CHECK-SAME: %[[B:[^ ]*]]: tensor<2xf32>
// CHECK: fusion.matmul ins({{.*}}) outs({{.*}}) epilogue(%[[ACC:.*]]: f32, %[[E:.*]] = %[[B]][1] : tensor<2xf32>, init %[[D:.*]]: f32) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[E]]
// CHECK-NEXT: arith.mulf %[[S]], %[[D]]
func.func @dead_operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>, %b: tensor<2xf32>, %r: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>)
    epilogue(%acc: f32, %dead = %r[0, 1] : tensor<4x2xf32>, %e = %b[1] : tensor<2xf32>, init %d: f32) {
      %s = arith.addf %acc, %e : f32
      %t = arith.mulf %s, %d : f32
      fusion.yield %t : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @all_operands_dead(
// CHECK: fusion.pool max ins({{.*}}) outs({{.*}}) {window = [2, 2]} -> tensor<1x4x5x5xf32>
func.func @all_operands_dead(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>, %b: tensor<4xf32>, %a: f32) -> tensor<1x4x5x5xf32> {
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2]}
    epilogue(%acc: f32, %dead = %b[1] : tensor<4xf32>, %scalar = %a : f32) {
      fusion.yield %acc : f32
  } -> tensor<1x4x5x5xf32>
  return %0 : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func @equal_operands(
// CHECK: fusion.conv ins({{.*}}) outs({{.*}}) epilogue(%[[ACC:.*]]: f32, %[[E:.*]] = %{{.*}}[1] : tensor<4xf32>) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[E]]
// CHECK-NEXT: arith.mulf %[[S]], %[[E]]
func.func @equal_operands(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x1x1xf32>, %i: tensor<1x4x4x4xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) outs(%i : tensor<1x4x4x4xf32>)
    epilogue(%acc: f32, %e = %b[1] : tensor<4xf32>, %f = %b[1] : tensor<4xf32>) {
      %s = arith.addf %acc, %e : f32
      %t = arith.mulf %s, %f : f32
      fusion.yield %t : f32
  } -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// The same vector along two dims is two operands.
// CHECK-LABEL: func @other_dims(
// CHECK: epilogue(%{{.*}}: f32, %{{.*}} = %[[B:.*]][2] : tensor<4xf32>, %{{.*}} = %[[B]][3] : tensor<4xf32>)
func.func @other_dims(%x: tensor<1x4x4x4xf32>, %w: tensor<4x4x1x1xf32>, %i: tensor<1x4x4x4xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = fusion.conv ins(%x, %w : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) outs(%i : tensor<1x4x4x4xf32>)
    epilogue(%acc: f32, %e = %b[2] : tensor<4xf32>, %f = %b[3] : tensor<4xf32>) {
      %s = arith.addf %acc, %e : f32
      %t = arith.mulf %s, %f : f32
      fusion.yield %t : f32
  } -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// Upstream's folds work inside the region, which keeps its constants.
// CHECK-LABEL: func @inside_the_region(
// CHECK-NOT: arith.constant
// CHECK: epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[C:.*]] = arith.constant 3.0{{.*}} : f32
// CHECK-NEXT: arith.maximumf %[[ACC]], %[[C]]
func.func @inside_the_region(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %three = arith.addf %one, %two : f32
    %t = arith.maximumf %three, %acc : f32
    fusion.yield %t : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// On tensors a root is pure.
// CHECK-LABEL: func @unused(
// CHECK-NOT: fusion.matmul
func.func @unused(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: func @computed_twice(
// CHECK: %[[Y:.*]] = fusion.matmul
// CHECK-NOT: fusion.matmul
// CHECK: return %[[Y]], %[[Y]]
func.func @computed_twice(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    %t = arith.negf %acc : f32
    fusion.yield %t : f32
  } -> tensor<4x2xf32>
  %1 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    %t = arith.negf %acc : f32
    fusion.yield %t : f32
  } -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// On memrefs it writes.
// CHECK-LABEL: func @kept_on_memrefs(
// CHECK: fusion.matmul
func.func @kept_on_memrefs(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %i: memref<4x2xf32>) {
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%i : memref<4x2xf32>)
  return
}
