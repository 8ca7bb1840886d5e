// RUN: mlir-fusion-opt %s --fusion-fold-constants | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict | FileCheck %s --check-prefixes=CHECK,STRICT
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

// The product is read twice; the factors' product is not finite.
// CHECK-LABEL: func @no_merge
// CHECK-COUNT-4: arith.mulf
func.func @no_merge(%x: f32) -> (f32, f32, f32) {
  %a = arith.constant 2.0 : f32
  %huge = arith.constant 3.0e38 : f32
  %0 = arith.mulf %x, %a : f32
  %1 = arith.mulf %0, %a : f32
  %2 = arith.mulf %x, %huge : f32
  %3 = arith.mulf %2, %a : f32
  return %0, %1, %3 : f32, f32, f32
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
