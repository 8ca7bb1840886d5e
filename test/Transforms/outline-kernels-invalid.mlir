// RUN: mlir-fusion-opt %s -fusion-outline-kernels=target=x86-64-v3 -verify-diagnostics

// Channels first has no kernel: fusion-plan would have changed or decomposed it.
func.func @channels_first(%x: memref<1x8x6x6xf32>, %w: memref<8x8x3x3xf32>, %y: memref<1x8x4x4xf32>) {
  // expected-error@+1 {{expected a root that has a kernel, got no-kernel: }}
  fusion.conv ins(%x, %w : memref<1x8x6x6xf32>, memref<8x8x3x3xf32>) outs(%y : memref<1x8x4x4xf32>)
  return
}
