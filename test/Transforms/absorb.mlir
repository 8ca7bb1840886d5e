// RUN: mlir-fusion-opt %s --fusion-absorb | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-absorb --verify-diagnostics --remarks-filter-missed=fusion -o /dev/null
// RUN: mlir-fusion-opt %s --fusion-absorb --remarks-filter-passed=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: not mlir-fusion-opt %s --fusion-absorb=disable-patterns=absorb 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: not mlir-fusion-opt %s --fusion-absorb=enable-patterns=no 2>&1 | FileCheck %s --check-prefix=ENABLE

// LABEL: error: expected labels of rules in disable-patterns (drop-assert, absorb-unary, absorb-channel, absorb-residual, fuse-elementwise, inline-splat-constant), got 'absorb'
// ENABLE: error: expected labels of rules in enable-patterns ({{.*}}), got 'no'

#id4 = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel4 = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
#id = affine_map<(m, n) -> (m, n)>
#transposed = affine_map<(m, n) -> (n, m)>
#column = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
#first = affine_map<(m, n) -> (0, n)>
#scalar = affine_map<(m, n) -> ()>

// The two forms of a channel vector are one: constants are reshaped, values collapsed.
// CHECK-LABEL: func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<2x3x1x1xf32>, %[[SCALE:.*]]: tensor<1x2x1x1xf32>)
// CHECK-DAG: %[[MEAN:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[S:.*]] = tensor.collapse_shape %[[SCALE]] {{.*}} : tensor<1x2x1x1xf32> into tensor<2xf32>
// CHECK: %[[R:.*]] = fusion.conv ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}}) epilogue(%[[ACC:.*]]: f32, %[[M:.*]] = %[[MEAN]][1] : tensor<2xf32>, %[[G:.*]] = %[[S]][1] : tensor<2xf32>) {
// CHECK-NEXT: %[[A:.*]] = arith.subf %[[ACC]], %[[M]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %[[G]] : f32
// CHECK-NEXT: fusion.yield %[[B]] : f32
// CHECK: return %[[R]]
// FUSED: absorb-channel | Category:fusion | Remark="fused: fusion.conv takes linalg.generic"
func.func @batch_norm(%x: tensor<1x3x8x8xf32>, %w: tensor<2x3x1x1xf32>, %scale: tensor<1x2x1x1xf32>) -> tensor<1x2x8x8xf32> {
  %mean = arith.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %e = tensor.empty() : tensor<1x2x8x8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<2x3x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %1 = linalg.generic {indexing_maps = [#id4, #channel4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %mean : tensor<1x2x8x8xf32>, tensor<1x2x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    linalg.yield %d : f32
  } -> tensor<1x2x8x8xf32>
  %2 = linalg.generic {indexing_maps = [#id4, #channel4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %scale : tensor<1x2x8x8xf32>, tensor<1x2x1x1xf32>) outs(%e : tensor<1x2x8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %p = arith.mulf %in, %s : f32
    linalg.yield %p : f32
  } -> tensor<1x2x8x8xf32>
  return %2 : tensor<1x2x8x8xf32>
}

// A constant of the surroundings is cloned into the region.
// CHECK-LABEL: func @relu
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[P:.*]] = arith.cmpf ugt, %[[ACC]], %[[ZERO]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.select %[[P]], %[[ACC]], %[[ZERO]] : f32
// CHECK-NEXT: fusion.yield %[[Q]] : f32
func.func @relu(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.cmpf ugt, %in, %zero : f32
    %q = arith.select %p, %in, %zero : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Any other scalar is an operand without dims.
// CHECK-LABEL: func @captured_scalar
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[A:.*]] = %[[ALPHA]] : f32) {
// CHECK-NEXT: arith.mulf %[[ACC]], %[[A]] : f32
func.func @captured_scalar(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %alpha: f32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %alpha : f32
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Sizes agree everywhere: the maps say what is broadcast along which dim.
// CHECK-LABEL: func @broadcast_by_map
// CHECK-SAME: %[[V:[a-z0-9]*]]: tensor<4xf32>, %[[R:[a-z0-9]*]]: tensor<4x4xf32>)
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[V]][1] : tensor<4xf32>, %{{.*}} = %[[V]][0] : tensor<4xf32>, %{{.*}} = %[[R]][1, 0] : tensor<4x4xf32>) {
func.func @broadcast_by_map(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4xf32>, %r: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#column, #row, #transposed, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%v, %v, %r, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %in: f32, %out: f32):
    %p = arith.mulf %in, %a : f32
    %q = arith.addf %p, %b : f32
    %s = arith.addf %q, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// The residual may be either addend.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[RES:[a-z0-9]*]]: tensor<4x4xf32>)
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[R:.*]] = %[[RES]][0, 1] : tensor<4x4xf32>) {
// CHECK-NEXT: arith.addf %[[R]], %[[ACC]] : f32
// FUSED: absorb-residual | Category:fusion | Remark="fused: fusion.matmul takes linalg.generic"
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %res: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%res, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%r: f32, %in: f32, %out: f32):
    %s = arith.addf %r, %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Of two roots the later one takes the sum, where the other's result is known.
// CHECK-LABEL: func @two_roots
// CHECK: %[[A:.*]] = fusion.matmul ins(%[[X:.*]], %[[W:.*]] : tensor<4x8xf32>, tensor<8x4xf32>) outs(%{{.*}}) -> tensor<4x4xf32>
// CHECK: %[[B:.*]] = fusion.matmul ins(%[[X]], %[[W]] : {{.*}} epilogue(%[[ACC:.*]]: f32, %[[R:.*]] = %[[A]][0, 1] : tensor<4x4xf32>) {
// CHECK-NEXT: arith.addf %[[ACC]], %[[R]] : f32
// CHECK: return %[[B]]
func.func @two_roots(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = arith.addf %1, %0 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// The earlier root moves behind what it now reads, where the later one has other readers.
// CHECK-LABEL: func @earlier_root_moves
// CHECK: %[[B:.*]] = fusion.matmul ins(%[[X:.*]], %[[W:.*]] : tensor<4x8xf32>, tensor<8x4xf32>) outs(%{{.*}}) -> tensor<4x4xf32>
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %[[B]][0, 1] : tensor<4x4xf32>) {
func.func @earlier_root_moves(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = arith.addf %1, %0 : tensor<4x4xf32>
  return %2, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// The accumulator keeps its type, the result gets the consumer's.
// CHECK-LABEL: func @cast
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x4xf16>
// CHECK: fusion.matmul {{.*}} outs(%[[E]] : tensor<4x4xf16>) epilogue(%[[ACC:.*]]: f32) {
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[ACC]] : f32 to f16
// CHECK-NEXT: fusion.yield %[[T]] : f16
// CHECK: -> tensor<4x4xf16>
func.func @cast(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf16> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.truncf %0 : tensor<4x4xf32> to tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}

// Named forms, a broadcast operand, and ops that only their traits make known.
// CHECK-LABEL: func @spellings
// CHECK-SAME: %[[BIAS:[a-z0-9]*]]: tensor<4xf32>, %[[R:[a-z0-9]*]]: tensor<4x4xf32>, %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK-NOT: linalg
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[B:.*]] = %[[BIAS]][1] : tensor<4xf32>, %[[C:.*]] = %[[R]][0, 1] : tensor<4x4xf32>, %[[A:.*]] = %[[ALPHA]] : f32) {
// CHECK-NEXT: %[[V0:.*]] = arith.addf %[[ACC]], %[[B]] : f32
// CHECK-NEXT: %[[V1:.*]] = math.exp %[[V0]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.mulf %[[V1]], %[[C]] : f32
// CHECK-NEXT: %[[V3:.*]] = math.absf %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.subf %[[V3]], %[[A]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.atan2 %[[V4]], %[[C]] : f32
// CHECK-NEXT: fusion.yield %[[V5]] : f32
func.func @spellings(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %bias: tensor<4xf32>, %r: tensor<4x4xf32>, %alpha: f32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %1 = linalg.add ins(%0, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.exp ins(%1 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.elementwise kind=#linalg.elementwise_kind<mul> ins(%2, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = linalg.map { math.absf } ins(%3 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %a = linalg.fill ins(%alpha : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = linalg.sub ins(%4, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = math.atan2 %5, %r : tensor<4x4xf32>
  return %6 : tensor<4x4xf32>
}

// The consumer's destination is a value like another if the body reads it.
// CHECK-LABEL: func @reads_its_init
// CHECK-SAME: %[[RES:[a-z0-9]*]]: tensor<4x4xf32>)
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[R:.*]] = %[[RES]][0, 1] : tensor<4x4xf32>) {
// CHECK-NEXT: arith.addf %[[ACC]], %[[R]] : f32
func.func @reads_its_init(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %res: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%res : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Constants that are the same everywhere: tensor<f32>, a splat, a scalar.
// CHECK-LABEL: func @splat_constants
// CHECK: fusion.pool max {{.*}} epilogue(%[[ACC:.*]]: f32) {
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V:.*]] = arith.minimumf %[[ACC]], %[[SIX]] : f32
// CHECK-NEXT: arith.mulf %[[V]], %[[HALF]] : f32
// FUSED: inline-splat-constant | Category:fusion | Remark="fused: the epilogue of fusion.pool holds a constant"
func.func @splat_constants(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  %six = arith.constant dense<6.0> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<1x2x2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %0 = fusion.pool max ins(%x : tensor<1x2x4x4xf32>) outs(%e : tensor<1x2x2x2xf32>) {window = [2, 2], strides = [2, 2]} -> tensor<1x2x2x2xf32>
  %1 = linalg.generic {indexing_maps = [#id4, affine_map<(n, c, h, w) -> ()>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %six : tensor<1x2x2x2xf32>, tensor<f32>) outs(%e : tensor<1x2x2x2xf32>) {
  ^bb0(%in: f32, %six_: f32, %out: f32):
    %m = arith.minimumf %in, %six_ : f32
    linalg.yield %m : f32
  } -> tensor<1x2x2x2xf32>
  %2 = arith.mulf %1, %half : tensor<1x2x2x2xf32>
  return %2 : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func @dynamic_sizes
// CHECK: fusion.matmul {{.*}} epilogue(%{{.*}}: f32, %{{.*}} = %{{.*}}[1] : tensor<?xf32>) {
// CHECK: -> tensor<?x?xf32>
func.func @dynamic_sizes(%x: tensor<?x8xf32>, %w: tensor<8x?xf32>, %b: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

//===-- What must not be absorbed -----------------------------------------===//

// The result leaves the function too.
// CHECK-LABEL: func @other_readers
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
// CHECK: math.exp
func.func @other_readers(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{absorb-unary | Category:fusion | Remark="other-readers: the result of fusion.matmul is also read by func.return"}}
  %1 = math.exp %0 : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// The consumer runs only sometimes.
// CHECK-LABEL: func @other_region
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
// CHECK: math.exp
func.func @other_region(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %p: i1) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = scf.if %p -> tensor<4x4xf32> {
    // expected-remark @below {{Remark="other-region: linalg.generic reads fusion.matmul from another region"}}
    %2 = math.exp %0 : tensor<4x4xf32>
    scf.yield %2 : tensor<4x4xf32>
  } else {
    scf.yield %e : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// Element (i, j) of the sum needs element (j, i) of the root.
// CHECK-LABEL: func @second_map
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @second_map(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{absorb-unary | Category:fusion | Remark="map-mismatch: linalg.generic reads the result of fusion.matmul through another map"}}
  %1 = linalg.generic {indexing_maps = [#id, #transposed, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %t: f32, %out: f32):
    %s = arith.addf %in, %t : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// An epilogue has no name for row 0 of a matrix.
// CHECK-LABEL: func @slice_operand
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @slice_operand(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %r: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{absorb-channel | Category:fusion | Remark="map-mismatch: linalg.generic reads a slice of one of its operands"}}
  %1 = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %t: f32, %out: f32):
    %s = arith.addf %in, %t : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A kernel does not know where an element is.
// CHECK-LABEL: func @reads_index
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @reads_index(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xi32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %ei = tensor.empty() : tensor<4x4xi32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Remark="reads-index: linalg.index reads the position of the element"}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%ei : tensor<4x4xi32>) {
  ^bb0(%in: f32, %out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.fptosi %in : f32 to i32
    %s = arith.addi %j, %f : i32
    linalg.yield %s : i32
  } -> tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
}

// Memory may change between the elements.
// CHECK-LABEL: func @side_effect
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @side_effect(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %m: memref<f32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Remark="side-effect: memref.load is not free of side effects"}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %l = memref.load %m[] : memref<f32>
    %s = arith.addf %in, %l : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A sum over columns needs more than one element.
// CHECK-LABEL: func @reduction
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @reduction(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Remark="not-elementwise: linalg.reduce has reduction loops"}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x4xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %1 : tensor<4xf32>
}

// A root stores one result.
// CHECK-LABEL: func @two_results
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @two_results(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{Remark="not-elementwise: linalg.generic has not one result"}}
  %1:2 = linalg.generic {indexing_maps = [#id, #id, #transposed], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32, %out2: f32):
    %s = arith.negf %in : f32
    linalg.yield %s, %in : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %1#0, %1#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A view is no computation, and no reason: its readers have theirs.
// CHECK-LABEL: func @reshape
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xf32>
func.func @reshape(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %1 : tensor<16xf32>
}

// What reads no root says so.
// CHECK-LABEL: func @no_root
// CHECK: linalg.generic
func.func @no_root(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark @below {{Remark="no-root: linalg.generic reads an argument, no root"}}
  %0 = math.exp %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Accumulators are no indices.
// CHECK-LABEL: func @index_elements
// CHECK: fusion.matmul {{.*}}) -> tensor<4x4xi32>
func.func @index_elements(%x: tensor<4x8xi32>, %w: tensor<8x4xi32>) -> tensor<4x4xindex> {
  %e = tensor.empty() : tensor<4x4xi32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi32>, tensor<8x4xi32>) outs(%e : tensor<4x4xi32>) -> tensor<4x4xi32>
  // expected-remark @below {{Remark="unsupported-type: linalg.generic yields elements that are no floats or integers"}}
  %1 = arith.index_cast %0 : tensor<4x4xi32> to tensor<4x4xindex>
  return %1 : tensor<4x4xindex>
}

// The consumer knows a size that the root does not.
// CHECK-LABEL: func @other_sizes
// CHECK: fusion.matmul {{.*}}) -> tensor<?x4xf32>
func.func @other_sizes(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %d: tensor<?x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%d : tensor<?x4xf32>) -> tensor<?x4xf32>
  // expected-remark @below {{Remark="dynamic-shape: linalg.generic states other sizes than the root's result"}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.negf %in : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A ninth stream of operands is too many for a kernel.
// CHECK-LABEL: func @too_many_streams
// CHECK: %[[R:.*]] = fusion.matmul {{.*}} epilogue(
// CHECK: linalg.generic {{.*}} ins(%[[R]], %{{.*}} :
func.func @too_many_streams(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>,
    %d: tensor<4x4xf32>, %f: tensor<4x4xf32>, %g: tensor<4x4xf32>, %h: tensor<4x4xf32>, %i: tensor<4x4xf32>, %j: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.addf %0, %a : tensor<4x4xf32>
  %2 = arith.addf %1, %b : tensor<4x4xf32>
  %3 = arith.addf %2, %c : tensor<4x4xf32>
  %4 = arith.addf %3, %d : tensor<4x4xf32>
  %5 = arith.addf %4, %f : tensor<4x4xf32>
  %6 = arith.addf %5, %g : tensor<4x4xf32>
  %7 = arith.addf %6, %h : tensor<4x4xf32>
  %8 = arith.addf %7, %i : tensor<4x4xf32>
  // expected-remark @below {{absorb-residual | Category:fusion | Remark="unprofitable: the cost model refuses linalg.generic in fusion.matmul"}}
  %9 = arith.addf %8, %j : tensor<4x4xf32>
  return %9 : tensor<4x4xf32>
}
