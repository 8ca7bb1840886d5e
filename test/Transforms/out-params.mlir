// RUN: mlir-fusion-opt %s -fusion-results-to-out-params -split-input-file -verify-diagnostics | FileCheck %s

memref.global "private" constant @weights : memref<2xf32> = dense<[1.0, 2.0]>

// One allocation is returned reshaped, as it is and once more; an input and a constant are returned as well.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<4x4xf32>, %[[OUT0:[^ :,)]*]]: memref<16xf32>, %[[OUT1:[^ :,)]*]]: memref<4x4xf32>,
// CHECK-SAME:     %[[OUT2:[^ :,)]*]]: memref<4x4xf32>, %[[OUT3:[^ :,)]*]]: memref<4x4xf32>, %[[OUT4:[^ :,)]*]]: memref<2xf32>)
// CHECK-NOT:   memref.alloc
// CHECK:       %[[WHOLE:[^ :,)]*]] = memref.reinterpret_cast %[[OUT0]] to offset: [0], sizes: [4, 4], strides: [4, 1]
// CHECK:       linalg.exp ins(%[[X]] : {{.*}}) outs(%[[WHOLE]] :
// CHECK:       %[[CONSTANT:[^ :,)]*]] = memref.get_global @weights
// CHECK-NEXT:  memref.copy %[[WHOLE]], %[[OUT1]]
// CHECK-NEXT:  memref.copy %[[WHOLE]], %[[OUT2]]
// CHECK-NEXT:  memref.copy %[[X]], %[[OUT3]]
// CHECK-NEXT:  memref.copy %[[CONSTANT]], %[[OUT4]]
// CHECK-NEXT:  return
func.func @main(%x: memref<4x4xf32>)
    -> (memref<16xf32>, memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>, memref<2xf32>)
    attributes {fusion.entry = {}} {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %w = memref.get_global @weights : memref<2xf32>
  return %flat, %a, %a, %x, %w : memref<16xf32>, memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>, memref<2xf32>
}

// Other functions keep their results.
// CHECK-LABEL: func.func @other(%{{.*}}: memref<4xf32>) -> memref<4xf32>
func.func @other(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// A part of an allocation and a buffer of an scf.if are copied.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%{{.*}}: memref<i1>, %[[OUT0:[^ :,)]*]]: memref<4xf32>, %[[OUT1:[^ :,)]*]]: memref<4xf32>)
// CHECK:       %[[A:[^ :,)]*]] = memref.alloc() : memref<2x4xf32>
// CHECK:       %[[IF:[^ :,)]*]] = scf.if
// CHECK:       memref.copy %{{.*}}, %[[OUT0]]
// CHECK:       memref.copy %[[IF]], %[[OUT1]]
func.func @main(%c: memref<i1>) -> (memref<4xf32>, memref<4xf32>) attributes {fusion.entry = {}} {
  %a = memref.alloc() : memref<2x4xf32>
  %part = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<2x4xf32> to memref<4xf32>
  %cond = memref.load %c[] : memref<i1>
  %b = scf.if %cond -> memref<4xf32> {
    %0 = memref.alloc() : memref<4xf32>
    scf.yield %0 : memref<4xf32>
  } else {
    scf.yield %part : memref<4xf32>
  }
  return %part, %b : memref<4xf32>, memref<4xf32>
}

// -----

// expected-error@+1 {{expected an entry that is not called in the module}}
func.func @main(%x: memref<4xf32>) -> memref<4xf32> attributes {fusion.entry = {}} {
  %0 = call @main(%x) : (memref<4xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// expected-error@below {{expected a function with the attribute fusion.entry (see fusion-record-entry), got none}}
module {
}

// -----

// The caller gives the dynamic sizes; a result may be another view of them.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<?x4xf32>, %[[OUT0:[^ :,)]*]]: memref<?x4xf32>, %[[OUT1:[^ :,)]*]]: memref<?xf32>)
// CHECK-NOT:   memref.alloc
// CHECK:       linalg.exp ins(%[[X]] {{.*}} outs(%[[OUT0]]
// CHECK:       %[[VIEW:[^ ]*]] = memref.reinterpret_cast %[[OUT1]] to offset: [0], sizes: [%{{.*}}, 4], strides: [4, 1] : memref<?xf32> to memref<?x4xf32>
// CHECK:       linalg.log ins(%[[X]] {{.*}} outs(%[[VIEW]]
func.func @main(%x: memref<?x4xf32>) -> (memref<?x4xf32>, memref<?xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.exp ins(%x : memref<?x4xf32>) outs(%a : memref<?x4xf32>)
  %b = memref.alloc(%n) : memref<?x4xf32>
  linalg.log ins(%x : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
  %flat = memref.collapse_shape %b [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  return %a, %flat : memref<?x4xf32>, memref<?xf32>
}
