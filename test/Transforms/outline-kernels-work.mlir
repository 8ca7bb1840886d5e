// RUN: mlir-fusion-opt %s -fusion-outline-kernels="target=x86-64-v3 min-parallel-work=1000" | FileCheck %s --check-prefix=SHARED
// RUN: mlir-fusion-opt %s -fusion-outline-kernels="target=x86-64-v3 min-parallel-work=100000000" | FileCheck %s --check-prefix=ALONE

// Kernels are put before the functions.
// SHARED: func.func @kernel_transpose_0(
// SHARED: memref.subview {{.*}} [1, 1, 40, 33]
// SHARED: func.func @kernel_transpose_1(
// SHARED: memref.subview {{.*}} [33, 20]

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

// What is turned in blocks is cut along the loops that neither side's elements
// follow, here the image rows: all others would leave single rows to turn.
// SHARED-LABEL: func.func @turn_images
func.func @turn_images(%x: memref<1x7x40x33xf32>, %y: memref<1x33x7x40xf32>) {
  linalg.transpose ins(%x : memref<1x7x40x33xf32>) outs(%y : memref<1x33x7x40xf32>) permutation = [0, 3, 1, 2]
  return
}

// If there is none, rows for at least one block go together, as many as divide
// the whole.
// SHARED-LABEL: func.func @turn_matrix
func.func @turn_matrix(%x: memref<33x100xf32>, %y: memref<100x33xf32>) {
  linalg.transpose ins(%x : memref<33x100xf32>) outs(%y : memref<100x33xf32>) permutation = [1, 0]
  return
}
