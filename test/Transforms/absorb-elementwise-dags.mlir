// RUN: mlir-fusion-opt %s --fusion-absorb | FileCheck %s

// Graphs whose parts read the root twice: they become one generic, which rides in the epilogue as a whole.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#scalar = affine_map<(m, n) -> ()>

// CHECK-LABEL: func @silu
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[A:.*]] = arith.negf %[[ACC]] : f32
// CHECK-NEXT: %[[B:.*]] = math.exp %[[A]] : f32
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[B]], %[[ONE]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.divf %[[ONE]], %[[C]] : f32
// CHECK-NEXT: %[[E:.*]] = arith.mulf %[[D]], %[[ACC]] : f32
// CHECK-NEXT: fusion.yield %[[E]] : f32
// CHECK-NOT: linalg.generic
func.func @silu(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.negf %in : f32
    %b = math.exp %a : f32
    %c = arith.addf %b, %one : f32
    %d = arith.divf %one, %c : f32
    linalg.yield %d : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%s: f32, %in: f32, %out: f32):
    %p = arith.mulf %s, %in : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// x * 6 - min(max(x + 3, 0), 6): four generics and tensor<f32> constants.
// CHECK-LABEL: func @hard_swish
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32) {
// CHECK-COUNT-4: arith.{{addf|maximumf|minimumf|mulf}}
// CHECK-NOT: linalg.generic
func.func @hard_swish(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %three = arith.constant dense<3.0> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %six = arith.constant dense<6.0> : tensor<f32>
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %three : tensor<4x4xf32>, tensor<f32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [#scalar, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%six, %2 : tensor<f32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%c: f32, %in: f32, %out: f32):
    %s = arith.minimumf %c, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %p = arith.mulf %in, %s : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// Named ops and ops on tensors make such graphs too.
// CHECK-LABEL: func @spellings
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[ACC]] : f32
// CHECK-NEXT: %[[U:.*]] = math.exp %[[T]] : f32
// CHECK-NEXT: %[[V:.*]] = arith.mulf %[[U]], %[[ACC]] : f32
// CHECK-NEXT: fusion.yield %[[V]] : f32
func.func @spellings(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = math.tanh %0 : tensor<4x4xf32>
  %2 = linalg.exp ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.mul ins(%2, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// Without a root, elementwise code still becomes one loop.
// CHECK-LABEL: func @no_root
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: math.tanh
// CHECK-NOT: linalg.generic
func.func @no_root(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.tanh %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Two readers: merging would compute the exponential twice.
// CHECK-LABEL: func @two_readers
// CHECK: math.exp
// CHECK: math.tanh
// CHECK: math.sin
// CHECK-NOT: math.exp
func.func @two_readers(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.exp %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.tanh %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.sin %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A reduction or a named product would repeat the division for each of its outputs.
// CHECK-LABEL: func @into_reductions
// CHECK: arith.divf
// CHECK: linalg.yield
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: linalg.matmul
func.func @into_reductions(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %init: tensor<4xf32>, %sum: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %4 = linalg.matmul ins(%3, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %4 : tensor<4xf32>, tensor<4x4xf32>
}

// A root takes its own reader first: the sum of two roots' relus is not pulled apart.
// CHECK-LABEL: func @roots_first
// CHECK: %[[A:.*]] = fusion.matmul {{.*}} epilogue(%[[ACC0:.*]]: f32) {
// CHECK-NEXT: math.absf %[[ACC0]]
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC1:.*]]: f32, %{{.*}} = %[[A]][0, 1] : tensor<4x4xf32>) {
// CHECK-NEXT: math.absf %[[ACC1]]
// CHECK-NEXT: arith.addf
func.func @roots_first(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.absf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.absf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%3, %2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
