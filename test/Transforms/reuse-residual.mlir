// RUN: mlir-fusion-opt %s --fusion-reuse-residual | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-reuse-residual --verify-diagnostics --remarks-filter-missed=fusion -o /dev/null
// RUN: mlir-fusion-opt %s --fusion-reuse-residual --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: func @dies_here
// CHECK: %[[RES:.*]] = fusion.matmul
// CHECK: fusion.matmul {{.*}} outs(%[[RES]] : tensor<4x4xf32>) epilogue(%[[ACC:.*]]: f32, %[[B:.*]] = %{{.*}}[1] : tensor<4xf32>, init %[[R:.*]]: f32) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[R]] : f32
// CHECK-NEXT: arith.addf %[[S]], %[[B]] : f32
// FUSED: reuse-residual | Category:fusion | Remark="fused: fusion.matmul overwrites its residual"
func.func @dies_here(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>)
      epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>, %b_ = %b[1] : tensor<4xf32>) {
    %s = arith.addf %acc, %r : f32
    %t = arith.addf %s, %b_ : f32
    fusion.yield %t : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Readers before the root do not matter.
// CHECK-LABEL: func @read_before
// CHECK: %[[RES:.*]] = fusion.matmul
// CHECK: %[[Y:.*]] = fusion.matmul ins(%[[RES]],
// CHECK: fusion.matmul ins(%[[Y]], {{.*}} outs(%[[RES]] : tensor<4x4xf32>) epilogue({{.*}}init
func.func @read_before(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = fusion.matmul ins(%res, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%y, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

//===-- What stays a residual ---------------------------------------------===//

// The returned value must survive.
// CHECK-LABEL: func @read_later
// CHECK-NOT: init
func.func @read_later(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{reuse-residual | Category:fusion | Remark="other-readers: the residual is read later"}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0, %res : tensor<4x4xf32>, tensor<4x4xf32>
}

// The product reads whole rows of what it would overwrite.
// CHECK-LABEL: func @own_input
// CHECK-NOT: init
func.func @own_input(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Remark="other-readers: the residual is read twice by the root"}}
  %0 = fusion.matmul ins(%res, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// The caller's tensor is not ours to overwrite.
// CHECK-LABEL: func @argument
// CHECK-NOT: init
func.func @argument(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %res: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{Remark="other-readers: the residual is a view, a constant or an argument"}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A view of the residual is read after the root.
// CHECK-LABEL: func @view_lives_on
// CHECK-NOT: init
func.func @view_lives_on(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %view = tensor.collapse_shape %res [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  // expected-remark @below {{Remark="other-readers: the residual may live on in a view"}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0, %view : tensor<4x4xf32>, tensor<16xf32>
}

// Element (i, j) of the result is not where element (j, i) was read.
// CHECK-LABEL: func @transposed
// CHECK-NOT: init
func.func @transposed(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[1, 0] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// The given destination is where the result must be.
// CHECK-LABEL: func @given_destination
// CHECK-NOT: init
func.func @given_destination(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %to: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %res = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%to : tensor<4x4xf32>) epilogue(%acc: f32, %r = %res[0, 1] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %r : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
