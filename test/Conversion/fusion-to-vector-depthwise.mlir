// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s

// Padding is not read. Rows of the input above or below the image are branched
// around; columns beside it are missing in tiles at the edges: of 4 pixels, the
// first and the last read 5 columns for 11 products a filter row, others 6 for
// 12.
// CHECK-LABEL: func @skipped_padding(
// CHECK: %[[ABOVE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[ABOVE]]
// CHECK-COUNT-11: vector.fma
// CHECK-NEXT: scf.yield
// CHECK-COUNT-44: vector.fma
// CHECK-NOT: vector.fma
// CHECK: %[[BELOW:.*]] = arith.cmpi ult
// CHECK: scf.if %[[BELOW]]
// CHECK-COUNT-11: vector.fma
// CHECK-NEXT: scf.yield
// CHECK: scf.for %{{.*}} = %c4 to %c24 step %c4
// CHECK-COUNT-12: vector.fma
// CHECK-NEXT: scf.yield
// CHECK-COUNT-48: vector.fma
// CHECK: scf.if
// CHECK-COUNT-12: vector.fma
// CHECK-NEXT: scf.yield
// CHECK: scf.if
// CHECK-COUNT-11: vector.fma
// CHECK-NEXT: scf.yield
// CHECK: return
func.func @skipped_padding(%x: memref<1x8x28x16xf32>, %w: memref<3x3x1x16xf32>, %y: memref<1x8x28x16xf32>) {
  fusion.conv ins(%x, %w : memref<1x8x28x16xf32>, memref<3x3x1x16xf32>) outs(%y : memref<1x8x28x16xf32>)
    {groups = 16, pad_low = [1, 1], pad_high = [1, 1], filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
  return
}
