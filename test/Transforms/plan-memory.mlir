// RUN: mlir-fusion-opt %s -fusion-plan-memory -split-input-file | FileCheck %s
// RUN: mlir-fusion-opt %s -fusion-plan-memory -split-input-file -remarks-filter=fusion -remark-policy=final 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Buffers that are alive at different times share a place, through views as well.
// REMARK: remark: [Passed] plan-memory{{.*}}fused: 3 buffers in an arena of 128 bytes; 128 bytes are alive at once
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[ARENA:[^ :,)]*]]: memref<?xi8>) attributes {fusion.entry = {workspace_live = 128 : i64, workspace_size = 128 : i64}}
// CHECK-NOT:   memref.alloc
// CHECK:       memref.view %[[ARENA]][%c0{{.*}}][] : memref<?xi8> to memref<4x4xf32>
// CHECK:       memref.view %[[ARENA]][%c64{{.*}}][] : memref<?xi8> to memref<4x4xf32>
// CHECK:       memref.view %[[ARENA]][%c0{{.*}}][] : memref<?xi8> to memref<4x4xf32>
// CHECK-NOT:   memref.dealloc
func.func @chain(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {fusion.entry = {}} {
  %a = memref.alloc() : memref<4x4xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
  %c = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %view = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %back = memref.expand_shape %view [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  linalg.exp ins(%back : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  linalg.exp ins(%b : memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.exp ins(%c : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  return
}

// -----

// %a is read in each trip: nothing written in the loop may take its place. The buffer made in a trip is free at its end.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[ARENA:[^ :,)]*]]: memref<?xi8>) attributes {fusion.entry = {workspace_live = 128 : i64, workspace_size = 128 : i64}}
// CHECK:       memref.view %[[ARENA]][%c0{{.*}}][] : memref<?xi8> to memref<16xf32>
// CHECK:       scf.for
// CHECK:         memref.view %[[ARENA]][%c64{{.*}}][] : memref<?xi8> to memref<16xf32>
// CHECK:         memref.view %[[ARENA]][%c64{{.*}}][] : memref<?xi8> to memref<16xf32>
func.func @loop(%x: memref<16xf32>, %n: index) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<16xf32>
    linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
    %c = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%c : memref<16xf32>)
    linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
  }
  return
}

// -----

// The same if the loop reads it through a view of it.
// CHECK-LABEL: func.func @loop_of_a_view
// CHECK-SAME:    %[[ARENA:[^ :,)]*]]: memref<?xi8>) attributes {fusion.entry = {workspace_live = 128 : i64, workspace_size = 128 : i64}}
// CHECK:       memref.view %[[ARENA]][%c0{{.*}}][] : memref<?xi8> to memref<4x4xf32>
// CHECK:       scf.for
// CHECK:         memref.view %[[ARENA]][%c64{{.*}}][] : memref<?xi8> to memref<16xf32>
func.func @loop_of_a_view(%x: memref<4x4xf32>, %y: memref<16xf32>, %n: index) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %view = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<16xf32>
    linalg.exp ins(%view : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.add ins(%b, %y : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  }
  return
}

// -----

// A loop that yields a new buffer gets one of its own and copies into it; the init is left as it is.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<16xf32>, %[[Y:[^ :,)]*]]: memref<16xf32>
// CHECK:       %[[OWN:[^ :,)]*]] = memref.view
// CHECK:       memref.copy %[[X]], %[[OWN]]
// CHECK:       scf.for {{.*}} iter_args(%[[IN:[^ :,)]*]] = %[[OWN]])
// CHECK:         %[[NEW:[^ :,)]*]] = memref.view
// CHECK:         linalg.exp ins(%[[IN]] {{.*}} outs(%[[NEW]]
// CHECK:         memref.copy %[[NEW]], %[[IN]]
// CHECK:         scf.yield %[[IN]]
func.func @carried(%x: memref<16xf32>, %y: memref<16xf32>, %n: index) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%in = %x) -> memref<16xf32> {
    %new = memref.alloc() : memref<16xf32>
    linalg.exp ins(%in : memref<16xf32>) outs(%new : memref<16xf32>)
    scf.yield %new : memref<16xf32>
  }
  memref.copy %r, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// A swap saves both before it overwrites them.
// CHECK-LABEL: func.func @swap
// CHECK:       scf.for {{.*}} iter_args(%[[A:[^ :,)]*]] = %{{.*}}, %[[B:[^ :,)]*]] = %{{.*}})
// CHECK:         memref.copy %[[B]], %[[SAVED_B:[^ :,)]*]] :
// CHECK:         memref.copy %[[A]], %[[SAVED_A:[^ :,)]*]] :
// CHECK:         memref.copy %[[SAVED_B]], %[[A]]
// CHECK:         memref.copy %[[SAVED_A]], %[[B]]
// CHECK:         scf.yield %[[A]], %[[B]]
func.func @swap(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>, %n: index)
    attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (memref<16xf32>, memref<16xf32>) {
    scf.yield %b, %a : memref<16xf32>, memref<16xf32>
  }
  memref.copy %r#0, %z : memref<16xf32> to memref<16xf32>
  return
}

// -----

// What an scf.if yields lives on behind it.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    workspace_size = 192 : i64
// CHECK-NOT:   memref.alloc
func.func @branches(%x: memref<16xf32>, %y: memref<16xf32>, %cond: i1) attributes {fusion.entry = {}} {
  %r = scf.if %cond -> memref<16xf32> {
    %a = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    scf.yield %a : memref<16xf32>
  } else {
    %a = memref.alloc() : memref<16xf32>
    linalg.log ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    scf.yield %a : memref<16xf32>
  }
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%r, %b : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// No fixed place: a dynamic size, a body that runs in threads, a buffer that outlives its trip of an scf.while, one
// that is returned.
// CHECK-LABEL: func.func @left_alone
// CHECK-SAME:    workspace_size = 0 : i64
// CHECK-COUNT-4: memref.alloc
// CHECK-NOT:   memref.view
func.func @left_alone(%x: memref<16xf32>, %n: index) -> memref<16xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dynamic = memref.alloc(%n) : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%dynamic : memref<?xf32>)
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  }
  %r = scf.while (%a = %x) : (memref<16xf32>) -> memref<16xf32> {
    %e = memref.load %a[%c0] : memref<16xf32>
    %c = arith.cmpf olt, %e, %e : f32
    scf.condition(%c) %a : memref<16xf32>
  } do {
  ^bb0(%a: memref<16xf32>):
    %b = memref.alloc() : memref<16xf32>
    linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
    scf.yield %b : memref<16xf32>
  }
  %returned = memref.alloc() : memref<16xf32>
  linalg.exp ins(%r : memref<16xf32>) outs(%returned : memref<16xf32>)
  return %returned : memref<16xf32>
}
