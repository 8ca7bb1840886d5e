// RUN: mlir-fusion-opt %s -fusion-outline="target=x86-64-v3 min-parallel-work=1000" | FileCheck %s --check-prefix=SHARED
// RUN: mlir-fusion-opt %s -fusion-outline="target=x86-64-v3 min-parallel-work=100000000" | FileCheck %s --check-prefix=ALONE

// How much work is shared among threads is an option.
// SHARED-LABEL: func.func @exp
// SHARED: scf.parallel
// ALONE-LABEL: func.func @exp
// ALONE-NOT: scf.parallel
// ALONE: call @kernel_exp_0
func.func @exp(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  linalg.exp ins(%x : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return
}
