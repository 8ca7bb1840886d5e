// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize --cse | FileCheck %s

// Sizes that are known at run time only: the grid of units is computed, tiles are those of static sizes.

// Rows of W pixels are cut into tiles of 14; a rest is one part of at most 7 rows or two. Strides are
// computed before the loop over the units.
// CHECK-LABEL: func @image(
// CHECK-SAME: %[[X:.*]]: memref<?x?x?x32xf32>, %[[W:.*]]: memref<1x3x3x32x32xf32>, %[[Y:.*]]: memref<?x?x?x32xf32>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK-DAG: %[[WIDTH:.*]] = memref.dim %[[Y]], %c2
// CHECK-DAG: %[[MORE:.*]] = arith.addi %[[WIDTH]], %c13
// CHECK-DAG: %[[TILES:.*]] = arith.divui %[[MORE]], %c14
// CHECK-DAG: %[[INPUT_WIDTH:.*]] = memref.dim %[[X]], %c2
// CHECK-DAG: arith.muli %[[INPUT_WIDTH]], %c32
// CHECK: scf.for %[[U:.*]] = %[[LO]] to %[[HI]]
// CHECK: %[[TILE:.*]] = arith.remui %[[U]], %[[TILES]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c14
// CHECK: %[[LEFT:.*]] = arith.subi %[[WIDTH]], %[[FIRST]]
// CHECK: %[[FULL:.*]] = arith.cmpi uge, %[[LEFT]], %c14
// CHECK: scf.if %[[FULL]] {
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for %{{.*}} = %c0 to %c96
// CHECK-COUNT-28: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK: } else {
// CHECK: %[[HALF:.*]] = arith.shrui
// CHECK: %[[STEP:.*]] = arith.select %{{.*}}, %[[LEFT]], %[[HALF]]
// CHECK: scf.for %{{.*}} = %c0 to %[[LEFT]] step %[[STEP]]
// CHECK: %[[HEIGHT:.*]] = arith.minui
// CHECK: scf.index_switch %[[HEIGHT]]
// CHECK: case 1 {
// CHECK-COUNT-2: vector.fma
// CHECK-NOT: vector.fma
// CHECK: case 2 {
// CHECK: case 6 {
// CHECK-COUNT-12: vector.fma
// CHECK-NOT: vector.fma
// CHECK: default {
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @image(%x: memref<?x?x?x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<?x?x?x32xf32>, %lo: index, %hi: index) {
  fusion.conv ins(%x, %w : memref<?x?x?x32xf32>, memref<1x3x3x32x32xf32>) outs(%y : memref<?x?x?x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last} range(%lo, %hi)
  return
}

// A pointwise convolution is one long row, however many images there are.
// CHECK-LABEL: func @pointwise(
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[Y:.*]]: memref<?x?x?x32xf32>)
// CHECK-DAG: %[[N:.*]] = memref.dim %[[Y]], %c0
// CHECK-DAG: %[[H:.*]] = memref.dim %[[Y]], %c1
// CHECK-DAG: %[[WIDTH:.*]] = memref.dim %[[Y]], %c2
// CHECK-DAG: %[[NH:.*]] = arith.muli %[[N]], %[[H]]
// CHECK-DAG: %[[ROWS:.*]] = arith.muli %[[NH]], %[[WIDTH]]
// CHECK-DAG: %[[MORE:.*]] = arith.addi %[[ROWS]], %c13
// CHECK-DAG: %[[UNITS:.*]] = arith.divui %[[MORE]], %c14
// CHECK: scf.for %[[U:.*]] = %c0 to %[[UNITS]]
// CHECK-NOT: arith.remui
// CHECK: return
func.func @pointwise(%x: memref<?x?x?x8xf32>, %w: memref<1x1x1x8x32xf32>, %y: memref<?x?x?x32xf32>) {
  fusion.conv ins(%x, %w : memref<?x?x?x8xf32>, memref<1x1x1x8x32xf32>) outs(%y : memref<?x?x?x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// Only the number of images is unknown: tiles are those of one image, two rows of 7 pixels high.
// CHECK-LABEL: func @batch(
// CHECK: scf.for
// CHECK-NOT: scf.index_switch
// CHECK-COUNT-28: vector.fma
// CHECK: } else {
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @batch(%x: memref<?x9x9x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<?x7x7x32xf32>) {
  fusion.conv ins(%x, %w : memref<?x9x9x32xf32>, memref<1x3x3x32x32xf32>) outs(%y : memref<?x7x7x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// The result is part of a padded image of unknown size.
// CHECK-LABEL: func @part(
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[Y:.*]]: memref<
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:4, %[[STRIDES:.*]]:4 = memref.extract_strided_metadata %[[Y]]
// CHECK: memref.reinterpret_cast %[[Y]] to offset: [%[[OFFSET]]]
// CHECK: scf.for
// CHECK: arith.muli %{{.*}}, %[[STRIDES]]#1
func.func @part(%x: memref<?x?x?x40xf32>, %w: memref<3x3x1x40xf32>, %y: memref<?x?x?x40xf32, strided<[?, ?, 40, 1], offset: ?>>) {
  fusion.conv ins(%x, %w : memref<?x?x?x40xf32>, memref<3x3x1x40xf32>) outs(%y : memref<?x?x?x40xf32, strided<[?, ?, 40, 1], offset: ?>>)
    {groups = 40, filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
  return
}

// Depth and columns of a plain matrix: the last panel is masked at run time.
// CHECK-LABEL: func @matrix(
// CHECK-SAME: %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>)
// CHECK-DAG: %[[N:.*]] = memref.dim %[[C]], %c1
// CHECK-DAG: %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK: scf.for
// CHECK: %[[REST:.*]] = arith.subi %[[N]]
// CHECK: arith.cmpi ult, %[[REST]], %c32
// CHECK: %[[MASK:.*]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK: scf.for %{{.*}} = %c0 to %[[K]]
// CHECK: vector.maskedload %{{.*}}, %[[MASK]]
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector.fma
// CHECK: vector.maskedstore %{{.*}}, %[[MASK]]
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %[[K]]
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-28: vector.fma
func.func @matrix(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  fusion.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// A window is cut to an image of unknown size.
// CHECK-LABEL: func @pool(
// CHECK-SAME: %[[X:.*]]: memref<?x?x?x64xf32>, %[[Y:.*]]: memref<?x?x?x64xf32>)
// CHECK-DAG: %[[WIDTH:.*]] = memref.dim %[[Y]], %c2
// CHECK-DAG: %[[HEIGHT:.*]] = memref.dim %[[X]], %c1
// CHECK: scf.for
// CHECK: scf.for %[[PIXEL:.*]] = %c0 to %[[WIDTH]]
// CHECK: %[[END:.*]] = arith.addi %[[HEIGHT]], %c1
// CHECK: arith.subi %[[END]]
func.func @pool(%x: memref<?x?x?x64xf32>, %y: memref<?x?x?x64xf32>) {
  fusion.pool max ins(%x : memref<?x?x?x64xf32>) outs(%y : memref<?x?x?x64xf32>)
    {window = [3, 3], strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1], layout = channels_last}
  return
}
