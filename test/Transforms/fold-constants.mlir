// RUN: mlir-fusion-opt %s --fusion-fold-constants | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: mlir-fusion-opt %s --fusion-fold-constants --verify-diagnostics --remarks-filter-missed=fusion -o /dev/null
// RUN: mlir-fusion-opt %s --fusion-fold-constants --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: mlir-fusion-opt %s --fusion-fold-constants=fp-accuracy=strict --remarks-filter-missed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED

// REFUSED: fold-scale-into-weights | Category:fusion | Remark="fp-accuracy: strict keeps the scale out of the weights"

#id4 = affine_map<(n, c, h, w) -> (n, c, h, w)>

// A batch norm whose variance is still a graph of constants: rsqrt(3 + 1) = 0.5, times 3 is the scale, 5 - 1 * 1.5 the shift.
// DEFAULT-LABEL: func @batch_norm
// DEFAULT-DAG: %[[W:.*]] = arith.constant dense<{{\[}}{{\[\[}}[3.000000e+00]]], {{\[\[}}[6.000000e+00]]]]> : tensor<2x1x1x1xf32>
// DEFAULT-DAG: %[[T:.*]] = arith.constant dense<[3.500000e+00, 1.300000e+01]> : tensor<2xf32>
// DEFAULT-NOT: linalg.generic
// DEFAULT: fusion.conv ins(%{{.*}}, %[[W]] : {{.*}} epilogue(%[[ACC:.*]]: f32, %[[S:.*]] = %[[T]][1] : tensor<2xf32>) {
// DEFAULT-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// DEFAULT-NEXT: %[[A:.*]] = arith.addf %[[ACC]], %[[S]] : f32
// DEFAULT-NEXT: %[[M:.*]] = arith.maximumf %[[A]], %[[ZERO]] : f32
// DEFAULT-NEXT: fusion.yield %[[M]] : f32
// STRICT-LABEL: func @batch_norm
// STRICT-DAG: %[[R:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// STRICT-NOT: linalg.generic
// STRICT: fusion.conv {{.*}} %{{.*}} = %[[R]][1] : tensor<2xf32>
// FUSED-DAG: fold-channel-constants | Category:fusion | Remark="fused: linalg.generic of constants is a constant"
// FUSED-DAG: fold-scale-into-weights | Category:fusion | Remark="fused: the scale is part of the weights"
func.func @batch_norm(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %eps = arith.constant 1.0 : f32
  %w = arith.constant dense<2.0> : tensor<2x1x1x1xf32>
  %var = arith.constant dense<[[[[3.0]], [[0.0]]]]> : tensor<1x2x1x1xf32>
  %mean = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %gamma = arith.constant dense<3.0> : tensor<2xf32>
  %beta = arith.constant dense<[5.0, 7.0]> : tensor<2xf32>
  %ec = tensor.empty() : tensor<1x2x1x1xf32>
  %e = tensor.empty() : tensor<1x2x4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%var : tensor<1x2x1x1xf32>) outs(%ec : tensor<1x2x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %eps : f32
    linalg.yield %s : f32
  } -> tensor<1x2x1x1xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<1x2x1x1xf32>) outs(%ec : tensor<1x2x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = math.rsqrt %in : f32
    linalg.yield %s : f32
  } -> tensor<1x2x1x1xf32>
  %r = tensor.collapse_shape %1 [[0, 1, 2, 3]] : tensor<1x2x1x1xf32> into tensor<2xf32>
  %2 = fusion.conv ins(%x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) outs(%e : tensor<1x2x4x4xf32>)
      epilogue(%acc: f32, %m_ = %mean[1] : tensor<2xf32>, %r_ = %r[1] : tensor<2xf32>, %g_ = %gamma[1] : tensor<2xf32>, %b_ = %beta[1] : tensor<2xf32>) {
    %zero = arith.constant 0.0 : f32
    %3 = arith.subf %acc, %m_ : f32
    %4 = arith.mulf %3, %r_ : f32
    %5 = arith.mulf %4, %g_ : f32
    %6 = arith.addf %5, %b_ : f32
    %7 = arith.maximumf %6, %zero : f32
    fusion.yield %7 : f32
  } -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// The channel is where the layout says: the last dim of a matrix and of a [KH, KW, IC, OC] filter.
// DEFAULT-LABEL: func @channel_dim
// DEFAULT-DAG: arith.constant dense<{{\[}}[2.000000e+00, 1.000000e+01], [6.000000e+00, 2.000000e+01]]> : tensor<2x2xf32>
// DEFAULT-DAG: arith.constant dense<{{\[\[\[}}[2.000000e+00, 1.000000e+01], [6.000000e+00, 2.000000e+01]]]]> : tensor<1x1x2x2xf32>
// DEFAULT-NOT: arith.mulf
func.func @channel_dim(%x: tensor<3x2xf32>, %y: tensor<1x4x4x2xf32>) -> (tensor<3x2xf32>, tensor<1x4x4x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %f = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %s = arith.constant dense<[2.0, 5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %ec = tensor.empty() : tensor<1x4x4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %1 = arith.mulf %s_, %acc : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  %2 = fusion.conv ins(%y, %f : tensor<1x4x4x2xf32>, tensor<1x1x2x2xf32>) outs(%ec : tensor<1x4x4x2xf32>)
      {input_layout = channels_last, output_layout = channels_last, filter_layout = spatial_in_out} epilogue(%acc: f32, %s_ = %s[3] : tensor<2xf32>) {
    %3 = arith.mulf %acc, %s_ : f32
    fusion.yield %3 : f32
  } -> tensor<1x4x4x2xf32>
  return %0, %2 : tensor<3x2xf32>, tensor<1x4x4x2xf32>
}

// Weights that are a resource; a scale that is one number.
// DEFAULT-LABEL: func @resource
// DEFAULT: arith.constant dense<{{\[}}[2.000000e+00, 4.000000e+00], [6.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>
// DEFAULT-NOT: arith.mulf
func.func @resource(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense_resource<weights> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32) {
    %two = arith.constant 2.0 : f32
    %1 = arith.mulf %acc, %two : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Large results are resources: no attribute of 32 KiB is hashed.
// DEFAULT-LABEL: func @large
// DEFAULT: arith.constant dense_resource<scaled_weights> : tensor<2x4096xf32>
// DEFAULT-NOT: arith.mulf
func.func @large(%x: tensor<3x4096xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x4096xf32>
  %s = arith.constant dense<[2.0, -5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x4096xf32>, tensor<2x4096xf32>) outs(%e : tensor<3x2xf32>) {transpose_rhs}
    epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// One value times one value is one value.
// DEFAULT-LABEL: func @splat
// DEFAULT: arith.constant dense<6.000000e+00> : tensor<128x64xf32>
// DEFAULT-NOT: arith.mulf
func.func @splat(%x: tensor<3x128xf32>) -> tensor<3x64xf32> {
  %w = arith.constant dense<3.0> : tensor<128x64xf32>
  %s = arith.constant dense<2.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<3x64xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x128xf32>, tensor<128x64xf32>) outs(%e : tensor<3x64xf32>)
    epilogue(%acc: f32, %s_ = %s[1] : tensor<64xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}

// What a linalg op reads is folded like what a root reads.
// CHECK-LABEL: func @read_by_linalg
// CHECK: %[[C:.*]] = arith.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[C]] : tensor<3x2xf32>, tensor<2xf32>)
// CHECK-NOT: math.sqrt
func.func @read_by_linalg(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c = arith.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %ec = tensor.empty() : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.sqrt ins(%c : tensor<2xf32>) outs(%ec : tensor<2xf32>) -> tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %p = arith.mulf %in, %s : f32
    linalg.yield %p : f32
  } -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// A small shared weight is copied, and the remark says so.
// DEFAULT-LABEL: func @small_shared
// DEFAULT-DAG: arith.constant dense<1.000000e+00> : tensor<2x2xf32>
// DEFAULT-DAG: arith.constant dense<2.000000e+00> : tensor<2x2xf32>
// DEFAULT-NOT: arith.mulf
// FUSED-DAG: fold-scale-into-weights | Category:fusion | Remark="fused: the scale is part of the weights, on a copy of 16 bytes"
func.func @small_shared(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32) {
    %two = arith.constant 2.0 : f32
    %1 = arith.mulf %acc, %two : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  %2 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %2 : tensor<3x2xf32>, tensor<3x2xf32>
}

//===-- What stays --------------------------------------------------------===//

// Each reader of a large weight would need a copy of its own; two constants of one value are one weight.
// CHECK-LABEL: func @large_shared
// CHECK: arith.constant dense<1.000000e+00> : tensor<128x16xf32>
// CHECK-NOT: arith.constant dense<{{.*}}tensor<128x16xf32>
// CHECK: arith.mulf
func.func @large_shared(%x: tensor<3x128xf32>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
  %w = arith.constant dense<1.0> : tensor<128x16xf32>
  %v = arith.constant dense<1.0> : tensor<128x16xf32>
  %e = tensor.empty() : tensor<3x16xf32>
  // expected-remark @below {{fold-scale-into-weights | Category:fusion | Remark="shared-weight: a copy of the weights would take 8192 bytes"}}
  %0 = fusion.matmul ins(%x, %w : tensor<3x128xf32>, tensor<128x16xf32>) outs(%e : tensor<3x16xf32>) epilogue(%acc: f32) {
    %two = arith.constant 2.0 : f32
    %1 = arith.mulf %acc, %two : f32
    fusion.yield %1 : f32
  } -> tensor<3x16xf32>
  %2 = fusion.matmul ins(%x, %v : tensor<3x128xf32>, tensor<128x16xf32>) outs(%e : tensor<3x16xf32>) -> tensor<3x16xf32>
  return %0, %2 : tensor<3x16xf32>, tensor<3x16xf32>
}

// max(x, 0) * s is not max(x * s, 0) for a negative s.
// CHECK-LABEL: func @behind_relu
// CHECK: arith.constant dense<1.000000e+00> : tensor<2x2xf32>
// CHECK: arith.maximumf
// CHECK-NEXT: arith.mulf
func.func @behind_relu(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %s = arith.constant dense<[2.0, -5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %acc, %zero : f32
    %2 = arith.mulf %1, %s_ : f32
    fusion.yield %2 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// One factor per row is no scale of the weights' columns.
// CHECK-LABEL: func @scale_of_rows
// CHECK: arith.mulf
func.func @scale_of_rows(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %s = arith.constant dense<[2.0, -5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) epilogue(%acc: f32, %s_ = %s[0] : tensor<2xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// A product in bf16 would round where the accumulator does not.
// CHECK-LABEL: func @short_weights
// CHECK: arith.mulf
func.func @short_weights(%x: tensor<3x2xbf16>) -> tensor<3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2xbf16>
  %s = arith.constant dense<[2.0, -5.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  // expected-remark @below {{Remark="unsupported-type: the weights are no f32 or f64 accumulated in their own type"}}
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xbf16>, tensor<2x2xbf16>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Infinity times a zero weight would be NaN.
// CHECK-LABEL: func @infinite_scale
// CHECK: arith.mulf
func.func @infinite_scale(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2xf32>
  %s = arith.constant dense<[2.0, 0x7F800000]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  // expected-remark @below {{Remark="fp-accuracy: the scale is not finite"}}
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// The weight would be infinite, the scaled sum is not.
// CHECK-LABEL: func @large_weight
// CHECK: arith.mulf
func.func @large_weight(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[1.0, -3.0e38], [0x7F800000, 1.0]]> : tensor<2x2xf32>
  %s = arith.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  // expected-remark @below {{Remark="fp-accuracy: a scaled weight is too large for its type"}}
  %0 = fusion.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x2xf32>) outs(%e : tensor<3x2xf32>) epilogue(%acc: f32, %s_ = %s[1] : tensor<2xf32>) {
    %1 = arith.mulf %acc, %s_ : f32
    fusion.yield %1 : f32
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// Quantized weights less their zero point, and a sum for each channel, of any size; integers wrap as in the code.
// FUSED-DAG: fold-integer-constants | Category:fusion | Remark="fused: linalg.generic of constants is a constant"
// CHECK-LABEL: func @integers(
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}1, 3, -125], [2, 4, 130]]> : tensor<2x3xi32>
// CHECK-DAG: %[[SUM:.*]] = arith.constant dense<[-852, 947]> : tensor<2xi32>
// CHECK-DAG: %[[U:.*]] = arith.constant dense<{{\[\[}}-2, 0, -128], [-1, 1, 127]]> : tensor<2x3xi8>
// CHECK-NOT: linalg
// CHECK: return %[[W]], %[[SUM]], %[[U]]
func.func @integers() -> (tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi8>) {
  %w = arith.constant dense<[[-2, 0, -128], [-1, 1, 127]]> : tensor<2x3xi8>
  %z = arith.constant -3 : i8
  %x = arith.constant dense<7> : tensor<i32>
  %zero = arith.constant 0 : i32
  %five = arith.constant -5 : i32
  %e = tensor.empty() : tensor<2x3xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o, k)>, affine_map<(o, k) -> ()>, affine_map<(o, k) -> (o, k)>], iterator_types = ["parallel", "parallel"]}
    ins(%w, %z : tensor<2x3xi8>, i8) outs(%e : tensor<2x3xi32>) {
  ^bb0(%a: i8, %b: i8, %out: i32):
    %a32 = arith.extsi %a : i8 to i32
    %b32 = arith.extsi %b : i8 to i32
    %d = arith.subi %a32, %b32 : i32
    linalg.yield %d : i32
  } -> tensor<2x3xi32>
  %f = tensor.empty() : tensor<2xi32>
  %i = linalg.fill ins(%five : i32) outs(%f : tensor<2xi32>) -> tensor<2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o, k)>, affine_map<(o, k) -> ()>, affine_map<(o, k) -> (o)>], iterator_types = ["parallel", "reduction"]}
    ins(%0, %x : tensor<2x3xi32>, tensor<i32>) outs(%i : tensor<2xi32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %p = arith.muli %a, %b : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  %g = tensor.empty() : tensor<2x3xi8>
  %c256 = arith.constant 256 : i32
  %2 = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o, k)>, affine_map<(o, k) -> (o, k)>], iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<2x3xi8>) outs(%g : tensor<2x3xi8>) {
  ^bb0(%a: i8, %out: i8):
    %a32 = arith.extui %a : i8 to i32
    %s = arith.addi %a32, %c256 : i32
    %t = arith.trunci %s : i32 to i8
    linalg.yield %t : i8
  } -> tensor<2x3xi8>
  return %0, %1, %2 : tensor<2x3xi32>, tensor<2xi32>, tensor<2x3xi8>
}

// Unsigned numbers have no sign that could be extended, signed ones have.
// CHECK-LABEL: func @unsigned_integers(
// CHECK-DAG: %[[U:.*]] = arith.constant dense<[254, 0, 128, 127]> : tensor<4xi32>
// CHECK-DAG: %[[D:.*]] = arith.constant dense<[256, 0, 256, 0]> : tensor<4xi64>
// CHECK-NOT: linalg
// CHECK: return %[[U]], %[[D]]
func.func @unsigned_integers() -> (tensor<4xi32>, tensor<4xi64>) {
  %w = arith.constant dense<[-2, 0, -128, 127]> : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(o) -> (o)>, affine_map<(o) -> (o)>], iterator_types = ["parallel"]}
    ins(%w : tensor<4xi8>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i8, %out: i32):
    %u = arith.extui %a : i8 to i32
    linalg.yield %u : i32
  } -> tensor<4xi32>
  %f = tensor.empty() : tensor<4xi64>
  %1 = linalg.generic {indexing_maps = [affine_map<(o) -> (o)>, affine_map<(o) -> (o)>], iterator_types = ["parallel"]}
    ins(%w : tensor<4xi8>) outs(%f : tensor<4xi64>) {
  ^bb0(%a: i8, %out: i64):
    %u = arith.extui %a : i8 to i64
    %s = arith.extsi %a : i8 to i64
    %d = arith.subi %u, %s : i64
    linalg.yield %d : i64
  } -> tensor<4xi64>
  return %0, %1 : tensor<4xi32>, tensor<4xi64>
}

// What is not known, or would be larger than what it is computed from, stays.
// CHECK-LABEL: func @no_integers(
// CHECK-COUNT-3: linalg.generic
func.func @no_integers(%x: tensor<8xi32>, %i: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<100x100xi32>) {
  %w = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %h = arith.constant dense<3> : tensor<100xi32>
  %e = tensor.empty() : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(o) -> (o)>, affine_map<(o) -> (o)>, affine_map<(o) -> (o)>], iterator_types = ["parallel"]}
    ins(%w, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(o) -> (o)>, affine_map<(o) -> (o)>], iterator_types = ["parallel"]}
    ins(%w : tensor<8xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%a: i32, %out: i32):
    %s = arith.addi %a, %out : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %f = tensor.empty() : tensor<100x100xi32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%h, %h : tensor<100xi32>, tensor<100xi32>) outs(%f : tensor<100x100xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<100x100xi32>
  return %0, %1, %2 : tensor<8xi32>, tensor<8xi32>, tensor<100x100xi32>
}
