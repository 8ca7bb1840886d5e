// RUN: mlir-fusion-opt %s --fusion-absorb | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-absorb --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: mlir-fusion-opt %s --fusion-absorb=disable-patterns=drop-assert | FileCheck %s --check-prefix=OFF

// FUSED: drop-assert | Category:fusion | Remark="fused: the assertion always holds"

#id = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// A number from 0 to 255 is no NaN, and the square root of it and a little more is not zero.
// CHECK-LABEL: func @holds
// CHECK-NOT: cf.assert
// OFF-LABEL: func @holds
// OFF: cf.assert
func.func @holds(%x: tensor<4xi8>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i8, %out: f32):
    %f = arith.uitofp %in : i8 to f32
    linalg.yield %f : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %eps : f32
    %s = math.sqrt %a : f32
    %p = arith.cmpf one, %s, %zero : f32
    cf.assert %p, "tensor with zero element"
    %r = arith.divf %one, %s : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A mean of squares is not negative, and where it is NaN an unordered comparison holds.
// CHECK-LABEL: func @mean_of_squares
// CHECK-NOT: cf.assert
func.func @mean_of_squares(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e2 = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %eps : f32
    %p = arith.cmpf une, %a, %zero : f32
    cf.assert %p, "tensor with zero element"
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// NaN is not unequal in order: where the input may be NaN the program may stop.
// CHECK-LABEL: func @may_be_nan
// CHECK: cf.assert
func.func @may_be_nan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.mulf %in, %in : f32
    %a = arith.addf %q, %eps : f32
    %p = arith.cmpf one, %a, %zero : f32
    cf.assert %p, "tensor with zero element"
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A power of e may be zero: it underflows.
// CHECK-LABEL: func @may_be_zero
// CHECK: cf.assert
func.func @may_be_zero(%x: tensor<4xi8>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i8, %out: f32):
    %f = arith.uitofp %in : i8 to f32
    %n = arith.negf %f : f32
    %q = math.exp %n : f32
    %p = arith.cmpf ogt, %q, %zero : f32
    cf.assert %p, "tensor with zero element"
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What fails always is kept.
// CHECK-LABEL: func @fails
// CHECK: cf.assert
func.func @fails(%x: tensor<4xi8>) -> tensor<4xf32> {
  %less = arith.constant -1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i8, %out: f32):
    %f = arith.uitofp %in : i8 to f32
    %p = arith.cmpf olt, %f, %less : f32
    cf.assert %p, "a negative number"
    linalg.yield %f : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What is summed so far may be anything, though the sum begins with zero.
// CHECK-LABEL: func @sum_so_far
// CHECK: cf.assert
func.func @sum_so_far(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.cmpf ult, %out, %one : f32
    cf.assert %p, "a small sum"
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
