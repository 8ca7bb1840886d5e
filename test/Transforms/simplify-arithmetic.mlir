// RUN: mlir-fusion-opt %s --fusion-fold-constants --canonicalize | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict --canonicalize | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: mlir-fusion-opt %s --fusion-fold-constants --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: func @divide
// DEFAULT: %[[C:.*]] = arith.constant 1.250000e-01 : f32
// DEFAULT: arith.mulf %{{.*}}, %[[C]]
// STRICT: arith.divf
// FUSED: multiply-by-reciprocal | Category:fusion | Remark="fused: a division by a constant is a multiplication"
func.func @divide(%x: f32) -> f32 {
  %c = arith.constant 8.0 : f32
  %0 = arith.divf %x, %c : f32
  return %0 : f32
}

// CHECK-LABEL: func @divide_vector
// DEFAULT: %[[C:.*]] = arith.constant dense<5.000000e-01> : vector<4xf64>
// DEFAULT: arith.mulf %{{.*}}, %[[C]]
func.func @divide_vector(%x: vector<4xf64>) -> vector<4xf64> {
  %c = arith.constant dense<2.0> : vector<4xf64>
  %0 = arith.divf %x, %c : vector<4xf64>
  return %0 : vector<4xf64>
}

// The divisor is no constant; it has no normal reciprocal; a rounding of f16 is large.
// CHECK-LABEL: func @no_reciprocal
// CHECK: arith.divf
// CHECK: arith.divf
// CHECK: arith.divf
// CHECK: arith.divf
func.func @no_reciprocal(%x: f32, %y: f32, %h: f16) -> (f32, f32, f32, f16) {
  %zero = arith.constant 0.0 : f32
  %huge = arith.constant 3.0e38 : f32
  %c = arith.constant 3.0 : f16
  %0 = arith.divf %x, %y : f32
  %1 = arith.divf %x, %zero : f32
  %2 = arith.divf %x, %huge : f32
  %3 = arith.divf %h, %c : f16
  return %0, %1, %2, %3 : f32, f32, f32, f16
}

// A hard sigmoid: the choice of the larger or smaller decides nothing that is not nearly the same.
// CHECK-LABEL: func @hard_sigmoid
// DEFAULT-NOT: arith.divf
// STRICT: arith.divf
func.func @hard_sigmoid(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %six = arith.constant 6.0 : f32
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %six : f32
    %1 = arith.addf %0, %half : f32
    %2 = arith.cmpf ugt, %1, %zero : f32
    %3 = arith.select %2, %1, %zero : f32
    %4 = arith.minimumf %3, %one : f32
    linalg.yield %4 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is summed goes into rounding and comparisons all the same: its last bits are those of an order.
// CHECK-LABEL: func @summed
// DEFAULT-NOT: arith.divf
// STRICT: arith.divf
func.func @summed(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %e: tensor<4x8xf32>, %f: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant dense<3.0> : tensor<4x8xf32>
  %0 = arith.divf %x, %c : tensor<4x8xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = math.floor %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Rounding, conversions, comparisons, remainders, ops that nobody knows.
// CHECK-LABEL: func @decided
// CHECK-COUNT-6: arith.divf
// CHECK: return
func.func @decided(%x: f32, %y: f32) -> (f32, f32, i32, i1, f32, f32, f32) {
  %c = arith.constant 3.0 : f32
  %0 = arith.divf %x, %c : f32
  %1 = math.floor %0 : f32
  %2 = arith.divf %x, %c : f32
  %3 = math.exp %2 : f32
  %4 = math.roundeven %3 : f32
  %5 = arith.divf %x, %c : f32
  %6 = arith.fptosi %5 : f32 to i32
  %7 = arith.divf %x, %c : f32
  %8 = arith.cmpf olt, %7, %y : f32
  %9 = arith.divf %x, %c : f32
  %10 = arith.remf %9, %y : f32
  %11 = arith.divf %x, %c : f32
  %12 = func.call @unknown(%11) : (f32) -> f32
  %13 = arith.select %8, %y, %c : f32
  return %1, %4, %6, %8, %10, %12, %13 : f32, f32, i32, i1, f32, f32, f32
}
func.func private @unknown(f32) -> f32

// Powers of two are exact everywhere.
// CHECK-LABEL: func @exact
// DEFAULT: arith.mulf
// DEFAULT-NEXT: math.floor
func.func @exact(%x: f32) -> f32 {
  %c = arith.constant 4.0 : f32
  %0 = arith.divf %x, %c : f32
  %1 = math.floor %0 : f32
  return %1 : f32
}

// Through bodies, results, slices, maxima and epilogues.
// CHECK-LABEL: func @decided_later
// CHECK: arith.divf
// CHECK: arith.divf
// CHECK: return
func.func @decided_later(%x: tensor<1x4x4x4xf32>, %e: tensor<1x4x4x4xf32>, %f: tensor<1x4x3x3xf32>, %g: tensor<4x9xi8>, %w: tensor<4x4x1x1xf32>)
    -> (tensor<4x9xi8>, tensor<1x4x4x4xf32>) {
  %c = arith.constant 3.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x4x4xf32>) outs(%e : tensor<1x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.divf %in, %c : f32
    linalg.yield %q : f32
  } -> tensor<1x4x4x4xf32>
  %1 = fusion.pool max ins(%0 : tensor<1x4x4x4xf32>) outs(%f : tensor<1x4x3x3xf32>) {window = [2, 2]} -> tensor<1x4x3x3xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2, 3]] : tensor<1x4x3x3xf32> into tensor<4x9xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<4x9xf32>) outs(%g : tensor<4x9xi8>) {
  ^bb0(%in: f32, %out: i8):
    %q = arith.fptosi %in : f32 to i8
    linalg.yield %q : i8
  } -> tensor<4x9xi8>
  %d = arith.constant dense<3.0> : tensor<1x4x4x4xf32>
  %4 = arith.divf %x, %d : tensor<1x4x4x4xf32>
  %5 = fusion.conv ins(%x, %w : tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) outs(%e : tensor<1x4x4x4xf32>)
      {filter_layout = out_in_spatial} epilogue(%acc: f32, %r = %4[0, 1, 2, 3] : tensor<1x4x4x4xf32>) {
    %q = math.roundeven %r : f32
    %s = arith.addf %acc, %q : f32
    fusion.yield %s : f32
  } -> tensor<1x4x4x4xf32>
  return %3, %5 : tensor<4x9xi8>, tensor<1x4x4x4xf32>
}

// Where a buffer is read next is not known.
// CHECK-LABEL: func @buffers
// CHECK: arith.divf
func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c = arith.constant 3.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %c : f32
    linalg.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func @two_factors
// DEFAULT: %[[C:.*]] = arith.constant 6.000000e+00 : f32
// DEFAULT: %[[P:.*]] = arith.mulf %{{.*}}, %[[C]]
// DEFAULT-NEXT: return %[[P]]
// STRICT: arith.mulf
// STRICT: arith.mulf
// FUSED: merge-factors | Category:fusion | Remark="fused: two constant factors are one"
func.func @two_factors(%x: f32) -> f32 {
  %a = arith.constant 2.0 : f32
  %b = arith.constant 3.0 : f32
  %0 = arith.mulf %x, %a : f32
  %1 = arith.mulf %b, %0 : f32
  return %1 : f32
}

// The product is read twice; the factors' product is not finite; one factor undoes the other; the product is rounded.
// CHECK-LABEL: func @no_merge
// CHECK-COUNT-8: arith.mulf
func.func @no_merge(%x: f32) -> (f32, f32, f32, f32, f32) {
  %a = arith.constant 2.0 : f32
  %huge = arith.constant 3.0e38 : f32
  %0 = arith.mulf %x, %a : f32
  %1 = arith.mulf %0, %a : f32
  %2 = arith.mulf %x, %huge : f32
  %3 = arith.mulf %2, %a : f32
  %tiny = arith.constant 1.0e-30 : f32
  %4 = arith.mulf %x, %tiny : f32
  %5 = arith.mulf %4, %a : f32
  %third = arith.constant 3.0 : f32
  %6 = arith.mulf %x, %a : f32
  %7 = arith.mulf %6, %third : f32
  %8 = math.floor %7 : f32
  return %0, %1, %3, %5, %8 : f32, f32, f32, f32, f32
}

// NaN becomes zero, and then stays.
// CHECK-LABEL: func @extrema
// CHECK-SAME: (%[[X:.*]]: f32)
// DEFAULT: %[[A:.*]] = arith.cmpf ogt, %[[X]], %[[ZERO:.*]] : f32
// DEFAULT-NEXT: %[[R:.*]] = arith.select %[[A]], %[[X]], %[[ZERO]]
// DEFAULT: %[[B:.*]] = arith.cmpf olt, %[[R]], %[[ZERO]] : f32
// DEFAULT-NEXT: %[[S:.*]] = arith.select %[[B]], %[[ZERO]], %[[R]]
// DEFAULT: %[[C:.*]] = arith.cmpf olt, %[[S]], %[[SIX:.*]] : f32
// DEFAULT-NEXT: arith.select %[[C]], %[[S]], %[[SIX]]
// STRICT: arith.cmpf ult
// STRICT: arith.cmpf uge
// STRICT: arith.cmpf ole
// FUSED: order-extremum | Category:fusion | Remark="fused: the larger or smaller of two takes one instruction"
func.func @extrema(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %0 = arith.cmpf ult, %x, %zero : f32
  %1 = arith.select %0, %zero, %x : f32
  %2 = arith.cmpf uge, %1, %zero : f32
  %3 = arith.select %2, %1, %zero : f32
  %4 = arith.cmpf ole, %3, %six : f32
  %5 = arith.select %4, %3, %six : f32
  return %5 : f32
}

// Not of the two that are compared, or no order.
// CHECK-LABEL: func @no_extremum
// CHECK: arith.cmpf ult
// CHECK: arith.cmpf ueq
func.func @no_extremum(%x: f32, %y: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %0 = arith.cmpf ult, %x, %zero : f32
  %1 = arith.select %0, %y, %x : f32
  %2 = arith.cmpf ueq, %x, %y : f32
  %3 = arith.select %2, %x, %y : f32
  return %1, %3 : f32, f32
}
