// RUN: mlir-fusion-opt %s -fusion-plan-memory -canonicalize -cse -split-input-file | FileCheck %s
// RUN: mlir-fusion-opt %s -fusion-plan-memory -split-input-file -remarks-filter=fusion -remark-policy=final 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Behind the static buffers, one slot for buffers that are not alive together, as large as the largest. The function of
// the sizes returns where the last slot ends.
// REMARK: remark: [Passed] plan-memory{{.*}}fused: 1 buffers in an arena of 64 bytes; 64 bytes are alive at once; 3 buffers of dynamic size in 2 slots
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> (index, index, index)
// CHECK-DAG:   %[[A:[^ ]*]] = arith.muli %[[N]], %c32
// CHECK-DAG:   %[[C:[^ ]*]] = arith.muli %[[M]], %c4
// What no process can address is refused.
// CHECK-DAG:   arith.cmpf ole, {{.*}} : f64
// CHECK:       %[[LARGER:[^ ]*]] = arith.maxsi %[[A]], %[[C]]
// CHECK:       arith.addi %[[LARGER]], %c63
// CHECK:       %[[NUMBER:[^ ]*]] = arith.select %{{.*}}, %c0, %c1
// CHECK:       return %[[NUMBER]], %[[N]], %{{.*}}
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<?x8xf32>, %[[Y:[^ :,)]*]]: memref<?xf32>, %[[OUT:[^ :,)]*]]: memref<?x8xf32>, %[[ARENA:[^ :,)]*]]: memref<?xi8>)
// CHECK-SAME:    workspace_live = 64 : i64, workspace_size = 64 : i64, workspace_slots = 2 : i64
// CHECK-NOT:   memref.alloc
// CHECK:       memref.view %[[ARENA]][%c64][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK:       memref.view %[[ARENA]][%[[SECOND:[^ ]*]]][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK:       memref.view %[[ARENA]][%c0][] : memref<?xi8> to memref<4xf32>
// CHECK:       memref.view %[[ARENA]][%c64][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK-NOT:   memref.dealloc
func.func private @main_shapes(%n: index, %m: index) -> (index, index) {
  %ok = arith.constant 0 : index
  return %ok, %n : index, index
}
func.func @main(%x: memref<?x8xf32>, %y: memref<?xf32>, %out: memref<?x8xf32>) attributes {fusion.entry = {shapes = @main_shapes}} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %same = memref.dim %out, %c0 : memref<?x8xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  linalg.exp ins(%x : memref<?x8xf32>) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%same) : memref<?x8xf32>
  linalg.exp ins(%a : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  %s = memref.alloc() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%s : memref<4xf32>)
  %m = memref.dim %y, %c0 : memref<?xf32>
  %c = memref.alloc(%m) : memref<?xf32>
  linalg.exp ins(%y : memref<?xf32>) outs(%c : memref<?xf32>)
  linalg.exp ins(%c : memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.exp ins(%b : memref<?x8xf32>) outs(%out : memref<?x8xf32>)
  memref.dealloc %a : memref<?x8xf32>
  return
}

// -----

// A size that depends on data has no place in the arena.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    workspace_slots = 0
// CHECK:       memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:       memref.dealloc
func.func private @main_shapes(%n: index) -> index {
  %ok = arith.constant 0 : index
  return %ok : index
}
func.func @main(%x: memref<?xindex>) attributes {fusion.entry = {shapes = @main_shapes}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.load %x[%c0] : memref<?xindex>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  return
}
