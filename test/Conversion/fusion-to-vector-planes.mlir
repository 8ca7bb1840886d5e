// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s --check-prefix=FMA

// Depthwise convolutions plane by plane for AVX-512.

// Rows are kept between zeros, 16 elements before them and 24 behind: the 11
// rows under 8 and a rest of 1, of which 6 are copied before the first tile.
// 40 pixels are 2 vectors and half of one, of which nothing else is touched.
// CHECK-LABEL: func @planes(
// CHECK-SAME: %[[X:.*]]: memref<1x8x9x40xf32>, %[[W:.*]]: memref<8x1x3x3xf32>, %[[Y:.*]]: memref<1x8x9x40xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1120xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c1120 step %c16
// CHECK-NEXT: vector.store %[[ZERO]], %[[ROWS]]
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK-COUNT-9: vector.broadcast
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %c-1
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %c9
// CHECK: scf.if %[[INSIDE]]
// CHECK-COUNT-2: vector.load {{.*}} : memref<2880xf32>, vector<16xf32>
// CHECK: %[[HALF:.*]] = vector.constant_mask [8] : vector<16xi1>
// CHECK: vector.maskedload %{{.*}}, %[[HALF]], %[[ZERO]]
// CHECK: else
// CHECK-COUNT-3: vector.store %[[ZERO]], %[[ROWS]]
// The rows of the next tile, then the sums of 4 rows: 6 x 3 inputs.
// CHECK: scf.for %[[Y:.*]] = %c0 to %c8 step %c4
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1
// CHECK: scf.if
// CHECK: else
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16
// CHECK-COUNT-18: vector.load %[[ROWS]]
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store
// CHECK-COUNT-18: vector.load %[[ROWS]]
// CHECK-COUNT-4: vector.store {{.*}} : memref<2880xf32>, vector<8xf32>
// CHECK: return
// FMA-LABEL: func @planes(
// FMA-COUNT-36: vector.fma
// FMA-COUNT-4: vector.store
// FMA-COUNT-36: vector.fma
// FMA-COUNT-4: vector.store {{.*}}, vector<8xf32>
// The last row.
// FMA-COUNT-9: vector.fma
// FMA: vector.store
// FMA-COUNT-9: vector.fma
// FMA: vector.store {{.*}}, vector<8xf32>
// FMA-NOT: vector.fma
// FMA: return
func.func @planes(%x: memref<1x8x9x40xf32>, %w: memref<8x1x3x3xf32>, %y: memref<1x8x9x40xf32>) {
  fusion.conv ins(%x, %w : memref<1x8x9x40xf32>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x9x40xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1]}
  return
}

// Even and odd columns are copied apart. Without padding no row needs a
// question. A channel's operand is one element in all lanes; a residual is read
// as the result is written.
// CHECK-LABEL: func @strided(
// CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<576xf32>
// CHECK: scf.for %[[C:.*]] = %c0 to %c8 step %c1
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c9 step %c1
// CHECK: %[[PAIRS:.*]] = vector.load {{.*}} vector<32xf32>
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[PAIRS]], %[[PAIRS]] [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]
// CHECK: vector.store %[[EVEN]], %[[ROWS]]
// CHECK: %[[ODD:.*]] = vector.shuffle %[[PAIRS]], %[[PAIRS]] [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK: vector.store %[[ODD]], %[[ROWS]]
// CHECK: vector.constant_mask [1] : vector<32xi1>
// CHECK: memref.load %{{.*}}[%[[C]]] : memref<8xf32>
// CHECK: vector.broadcast
// CHECK-COUNT-4: vector.load {{.*}} : memref<512xf32>, vector<16xf32>
// CHECK: return
// FMA-LABEL: func @strided(
// FMA-COUNT-36: vector.fma
// FMA-NOT: vector.fma
// FMA: return
func.func @strided(%x: memref<1x8x9x33xf32>, %w: memref<8x1x3x3xf32>, %b: memref<8xf32>, %r: memref<1x8x4x16xf32>, %y: memref<1x8x4x16xf32>) {
  fusion.conv ins(%x, %w : memref<1x8x9x33xf32>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x4x16xf32>)
    {groups = 8, strides = [2, 2]}
    epilogue(%acc: f32, %p = %b[1] : memref<8xf32>, %q = %r[0, 1, 2, 3] : memref<1x8x4x16xf32>) {
      %s = arith.addf %acc, %p : f32
      %t = arith.addf %s, %q : f32
      fusion.yield %t : f32
  }
  return
}

// A line is a plane of one row. f16 is extended once, where it is copied.
// CHECK-LABEL: func @line(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<48xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1
// CHECK: %[[H:.*]] = vector.load {{.*}} : memref<96xf16>, vector<16xf16>
// CHECK: %[[F:.*]] = arith.extf %[[H]] : vector<16xf16> to vector<16xf32>
// CHECK: vector.store %[[F]]
// CHECK-NOT: extf
// CHECK: return
// FMA-LABEL: func @line(
// FMA-COUNT-3: vector.fma
// FMA-NOT: vector.fma
// FMA: return
func.func @line(%x: memref<2x3x16xf16>, %w: memref<3x1x3xf32>, %y: memref<2x3x16xf32>) {
  fusion.conv ins(%x, %w : memref<2x3x16xf16>, memref<3x1x3xf32>) outs(%y : memref<2x3x16xf32>)
    {groups = 3, pad_low = [1], pad_high = [1]}
  return
}

// Rows of unknown number: tiles of 4 and single ones.
// CHECK-LABEL: func @unknown_height(
// CHECK: memref.dim %{{.*}}, %c2
// FMA-LABEL: func @unknown_height(
// FMA-COUNT-36: vector.fma
// FMA-COUNT-9: vector.fma
// FMA-NOT: vector.fma
// FMA: return
func.func @unknown_height(%x: memref<1x8x?x16xf32>, %w: memref<8x1x3x3xf32>, %y: memref<1x8x?x16xf32>) {
  fusion.conv ins(%x, %w : memref<1x8x?x16xf32>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x?x16xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1]}
  return
}

// A short row takes shorter vectors.
// FMA-LABEL: func @short_row(
// FMA-COUNT-36: vector.fma {{.*}} : vector<8xf32>
// FMA: return
func.func @short_row(%x: memref<1x8x4x7xf32>, %w: memref<8x1x3x3xf32>, %y: memref<1x8x4x7xf32>) {
  fusion.conv ins(%x, %w : memref<1x8x4x7xf32>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x4x7xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1]}
  return
}
