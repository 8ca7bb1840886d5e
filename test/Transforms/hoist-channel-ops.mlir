// RUN: mlir-fusion-opt %s --fusion-fold-constants | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=fast | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict --verify-diagnostics --remarks-filter-missed=fusion -o /dev/null
// RUN: mlir-fusion-opt %s --fusion-fold-constants --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: not mlir-fusion-opt %s --fusion-fold-constants=disable-patterns=hoist 2>&1 | FileCheck %s --check-prefix=LABEL

// LABEL: error: expected labels of rules in disable-patterns (hoist-channel-ops, fold-channel-constants, fold-integer-constants, fold-scale-into-weights, multiply-by-reciprocal, merge-factors, order-extremum), got 'hoist'

// ((x - m) * r) * g + b: a call may bring an r or g of infinity, or such that r * g is one.
// CHECK-LABEL: func @batch_norm
// CHECK-SAME: %[[M:[a-z0-9]*]]: tensor<4xf32>, %[[R:[a-z0-9]*]]: tensor<4xf32>, %[[G:[a-z0-9]*]]: tensor<4xf32>, %[[B:[a-z0-9]*]]: tensor<4xf32>)
// DEFAULT: %[[C:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[M]] : tensor<4xf32>) outs({{.*}} : tensor<4xf32>)
// DEFAULT: arith.negf
// DEFAULT: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[R_:.*]] = %[[R]][1] : tensor<4xf32>, %[[G_:.*]] = %[[G]][1] : tensor<4xf32>, %[[B_:.*]] = %[[B]][1] : tensor<4xf32>, %[[T:.*]] = %[[C]][1] : tensor<4xf32>) {
// DEFAULT-NEXT: %[[D:.*]] = arith.addf %[[ACC]], %[[T]] : f32
// DEFAULT-NEXT: %[[P:.*]] = arith.mulf %[[D]], %[[R_]] : f32
// DEFAULT-NEXT: %[[Q:.*]] = arith.mulf %[[P]], %[[G_]] : f32
// DEFAULT-NEXT: %[[S:.*]] = arith.addf %[[Q]], %[[B_]] : f32
// DEFAULT-NEXT: fusion.yield %[[S]] : f32
// STRICT: fusion.matmul {{.*}} epilogue(
// STRICT-NEXT: arith.subf
// STRICT-NEXT: arith.mulf
// STRICT-NEXT: arith.mulf
// STRICT-NEXT: arith.addf
// FUSED: hoist-channel-ops | Category:fusion | Remark="fused: arithmetic per channel of fusion.matmul is done once"
func.func @batch_norm(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %m: tensor<4xf32>, %r: tensor<4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-remark @below {{hoist-channel-ops | Category:fusion | Remark="fp-accuracy: strict keeps the arithmetic on channels as written"}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %m_ = %m[1] : tensor<4xf32>, %r_ = %r[1] : tensor<4xf32>, %g_ = %g[1] : tensor<4xf32>, %b_ = %b[1] : tensor<4xf32>) {
    %1 = arith.subf %acc, %m_ : f32
    %2 = arith.mulf %1, %r_ : f32
    %3 = arith.mulf %2, %g_ : f32
    %4 = arith.addf %3, %b_ : f32
    fusion.yield %4 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// What is not a run from the accumulator is hoisted as it is, under strict too.
// CHECK-LABEL: func @invariant
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<4xf32>)
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<4xf32>)
// CHECK: %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: %[[D:.*]] = math.sqrt %[[A]] : f32
// CHECK-NEXT: linalg.yield %[[D]] : f32
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[S:.*]] = %[[C]][1] : tensor<4xf32>) {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[ACC]] : f32
// CHECK-NEXT: arith.divf %[[E]], %[[S]] : f32
// CHECK-NEXT: fusion.yield
func.func @invariant(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>) epilogue(%acc: f32, %v_ = %v[1] : tensor<4xf32>) {
    %eps = arith.constant 1.0e-5 : f32
    %1 = math.exp %acc : f32
    %2 = arith.addf %v_, %eps : f32
    %3 = math.sqrt %2 : f32
    %4 = arith.divf %1, %3 : f32
    fusion.yield %4 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// What is hoisted for both the epilogue and what is hoisted with it comes out as a result of its own.
// CHECK-LABEL: func @read_on_both_sides
// CHECK: %[[C:.*]]:2 = linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>)
// CHECK: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[R:.*]] = math.sqrt %[[A]] : f32
// CHECK-NEXT: linalg.yield %[[A]], %[[R]] : f32, f32
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[S:.*]] = %[[C]]#0[1] : tensor<4xf32>, %[[T:.*]] = %[[C]]#1[1] : tensor<4xf32>) {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[ACC]] : f32
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[E]], %[[S]] : f32
// CHECK-NEXT: arith.divf %[[M]], %[[T]] : f32
func.func @read_on_both_sides(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>) epilogue(%acc: f32, %v_ = %v[1] : tensor<4xf32>) {
    %eps = arith.constant 1.0e-5 : f32
    %1 = math.exp %acc : f32
    %2 = arith.addf %v_, %eps : f32
    %3 = arith.mulf %1, %2 : f32
    %4 = math.sqrt %2 : f32
    %5 = arith.divf %3, %4 : f32
    fusion.yield %5 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Constants say that their scales are finite.
// CHECK-LABEL: func @constants
// DEFAULT: fusion.matmul
// DEFAULT-NEXT: arith.mulf
// DEFAULT-NEXT: arith.addf
// DEFAULT-NEXT: fusion.yield
// STRICT: fusion.matmul
// STRICT-NEXT: arith.subf
// STRICT-NEXT: arith.mulf
// STRICT-NEXT: arith.addf
func.func @constants(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %m = arith.constant dense<[1.0, 5.0, 2.0, 3.0]> : tensor<4xf32>
  %v = arith.constant dense<[1.0, 0.25, 2.0, 3.0]> : tensor<4xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %m_ = %m[1] : tensor<4xf32>, %v_ = %v[1] : tensor<4xf32>, %b_ = %b[1] : tensor<4xf32>) {
    %1 = arith.subf %acc, %m_ : f32
    %2 = math.rsqrt %v_ : f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %3, %b_ : f32
    fusion.yield %4 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// (b - x / d) * a with a run-time scalar a: (x * -(1 / d) + b) * a
// CHECK-LABEL: func @negated_quotient
// DEFAULT: %[[C:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>)
// DEFAULT: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[B_:.*]] = %{{.*}}[1] : tensor<4xf32>, %[[A_:.*]] = %{{.*}} : f32, %[[S:.*]] = %[[C]][1] : tensor<4xf32>) {
// DEFAULT-NEXT: %[[P:.*]] = arith.mulf %[[ACC]], %[[S]] : f32
// DEFAULT-NEXT: %[[Q:.*]] = arith.addf %[[P]], %[[B_]] : f32
// DEFAULT-NEXT: arith.mulf %[[Q]], %[[A_]] : f32
// DEFAULT-NEXT: fusion.yield
// STRICT-NOT: linalg.generic
// STRICT: arith.divf
func.func @negated_quotient(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %d: tensor<4xf32>, %b: tensor<4xf32>, %a: f32) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %d_ = %d[1] : tensor<4xf32>, %b_ = %b[1] : tensor<4xf32>, %a_ = %a : f32) {
    %1 = arith.divf %acc, %d_ : f32
    %2 = arith.subf %b_, %1 : f32
    %3 = arith.mulf %2, %a_ : f32
    fusion.yield %3 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

//===-- What stays --------------------------------------------------------===//

// Nothing moves through a nonlinearity.
// CHECK-LABEL: func @relu_between
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, {{.*}}) {
// CHECK: %[[A:.*]] = arith.addf %[[ACC]], %{{.*}} : f32
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[A]], %{{.*}} : f32
// CHECK-NEXT: arith.mulf %[[M]], %{{.*}} : f32
func.func @relu_between(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>) epilogue(%acc: f32, %b_ = %b[1] : tensor<4xf32>, %g_ = %g[1] : tensor<4xf32>) {
    %zero = arith.constant 0.0 : f32
    %1 = arith.addf %acc, %b_ : f32
    %2 = arith.maximumf %1, %zero : f32
    %3 = arith.mulf %2, %g_ : f32
    fusion.yield %3 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A residual is no channel vector, nor is a vector of rows, whatever its size.
// CHECK-LABEL: func @other_dims
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, {{.*}}) {
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[ACC]], %{{.*}} : f32
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %{{.*}} : f32
// CHECK-NEXT: arith.addf %[[B]], %{{.*}} : f32
func.func @other_dims(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %res: tensor<4x4xf32>, %row: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>)
      epilogue(%acc: f32, %res_ = %res[0, 1] : tensor<4x4xf32>, %row_ = %row[0] : tensor<4xf32>, %b_ = %b[1] : tensor<4xf32>) {
    %1 = arith.addf %acc, %res_ : f32
    %2 = arith.mulf %1, %row_ : f32
    %3 = arith.addf %2, %b_ : f32
    fusion.yield %3 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// x * s + x needs x twice.
// CHECK-LABEL: func @accumulator_twice
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.subf
func.func @accumulator_twice(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<4xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    %2 = arith.subf %1, %acc : f32
    fusion.yield %2 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// (x - m) * inf is an infinity where x * inf - m * inf is none.
// CHECK-LABEL: func @infinite_scale
// CHECK: fusion.matmul
// DEFAULT-NEXT: arith.addf
// STRICT-NEXT: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
func.func @infinite_scale(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %m: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %g = arith.constant dense<[1.0, 0x7F800000, 2.0, 3.0]> : tensor<4xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %m_ = %m[1] : tensor<4xf32>, %g_ = %g[1] : tensor<4xf32>, %b_ = %b[1] : tensor<4xf32>) {
    %1 = arith.subf %acc, %m_ : f32
    %2 = arith.mulf %1, %g_ : f32
    %3 = arith.addf %2, %b_ : f32
    fusion.yield %3 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}


// Nor a scale that is computed from constants, here of a variance of 0.
// CHECK-LABEL: func @computed_infinity
// CHECK: arith.constant dense<[1.000000e+00, 0x7F800000,
// CHECK: fusion.matmul
// DEFAULT-NEXT: arith.addf
// STRICT-NEXT: arith.subf
// CHECK-NEXT: arith.mulf
func.func @computed_infinity(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %m = arith.constant dense<[1.0, 5.0, 2.0, 3.0]> : tensor<4xf32>
  %v = arith.constant dense<[1.0, 0.0, 2.0, 3.0]> : tensor<4xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %m_ = %m[1] : tensor<4xf32>, %v_ = %v[1] : tensor<4xf32>) {
    %1 = arith.subf %acc, %m_ : f32
    %2 = math.rsqrt %v_ : f32
    %3 = arith.mulf %1, %2 : f32
    fusion.yield %3 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Two scales that together are more than the type's largest number: what they scale may be small.
// CHECK-LABEL: func @large_scales
// CHECK-NOT: linalg.generic
// CHECK: fusion.matmul
// CHECK: arith.mulf
// CHECK-NEXT: arith.mulf
func.func @large_scales(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %g = arith.constant dense<[1.0e30, 1.0, 2.0, 3.0]> : tensor<4xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x4xf32>) outs(%e : tensor<2x4xf32>)
      epilogue(%acc: f32, %g_ = %g[1] : tensor<4xf32>) {
    %1 = arith.mulf %acc, %g_ : f32
    %2 = arith.mulf %1, %g_ : f32
    fusion.yield %2 : f32
  } -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// No channels (found by the fuzzer, seed 630000716: a division by their number).
// CHECK-LABEL: func @no_channels
func.func @no_channels(%x: tensor<2x8xf32>, %w: tensor<8x0xf32>) -> tensor<2x0xf32> {
  %e = tensor.empty() : tensor<2x0xf32>
  %g = arith.constant dense<> : tensor<0xf32>
  // expected-remark @below {{fp-accuracy: strict keeps the arithmetic on channels as written}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8xf32>, tensor<8x0xf32>) outs(%e : tensor<2x0xf32>)
      epilogue(%acc: f32, %g_ = %g[1] : tensor<0xf32>) {
    %one = arith.constant 1.0 : f32
    %1 = arith.addf %g_, %one : f32
    %2 = arith.subf %acc, %1 : f32
    %3 = arith.mulf %2, %g_ : f32
    fusion.yield %3 : f32
  } -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}
