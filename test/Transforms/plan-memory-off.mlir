// RUN: mlir-fusion-opt %s -fusion-plan-memory=arena=false | FileCheck %s

// Without an arena the workspace is empty, and each buffer is allocated.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    memref<?xi8>) attributes {fusion.entry = {{{.*}}workspace_size = 0 : i64}}
// CHECK:       memref.alloc
// CHECK-NOT:   memref.view
func.func @chain(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {fusion.entry = {}} {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.exp ins(%a : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  return
}
