// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s

// Pools: a unit is one row of pixels times 4 vectors of channels.

// The window's bounds keep to the image; nothing is padded.
// CHECK-LABEL: func @max(
// CHECK: arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c56
// CHECK: scf.for %[[PIXEL:.*]] = %c0 to %c56
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: arith.maximumf
// CHECK-NOT: arith.maximumf
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store
// CHECK: return
func.func @max(%x: memref<1x112x112x64xf32>, %y: memref<1x56x56x64xf32>) {
  fusion.pool max ins(%x : memref<1x112x112x64xf32>) outs(%y : memref<1x56x56x64xf32>)
    {window = [3, 3], strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1], layout = channels_last}
  return
}

// A global pool has one unit for each panel of channels.
// CHECK-LABEL: func @global_average(
// CHECK: scf.for %{{.*}} = %c0 to %c32
// CHECK: scf.for %{{.*}} = %c0 to %c7
// CHECK: scf.for %{{.*}} = %c0 to %c7
// CHECK-COUNT-4: arith.addf
// CHECK: arith.divf
func.func @global_average(%x: memref<1x7x7x2048xf32>, %y: memref<1x1x1x2048xf32>) {
  fusion.pool average ins(%x : memref<1x7x7x2048xf32>) outs(%y : memref<1x1x1x2048xf32>) {window = [7, 7], layout = channels_last}
  return
}
