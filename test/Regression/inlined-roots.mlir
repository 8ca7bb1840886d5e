// A function with a root was not inlined, so that sizes that its result has at run time followed from nothing.
// Found by the fuzzer (seeds 401134 and 700000449).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 96 elements compared, 0 unbounded
// RUN: mlir-fusion-opt %s --fusion-fuse --inline | FileCheck %s --check-prefix=INLINE
// INLINE-LABEL: @main
// INLINE-NOT: call
// INLINE-COUNT-2: fusion.conv
module attributes {fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<?x4x5x3xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 2, 4, 5, 3>, fuzz.values = "normal"}) -> tensor<?x?x3x4xf32> {
    %y = call @part(%x) : (tensor<?x4x5x3xf32>) -> tensor<?x?x5x3xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<0.25> : tensor<1x3x3x4xf32>
    %n = tensor.dim %y, %c0 : tensor<?x?x5x3xf32>
    %h = tensor.dim %y, %c1 : tensor<?x?x5x3xf32>
    %e = tensor.empty(%n, %h) : tensor<?x?x3x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x3x4xf32>) -> tensor<?x?x3x4xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%y, %w : tensor<?x?x5x3xf32>, tensor<1x3x3x4xf32>) outs(%f : tensor<?x?x3x4xf32>) -> tensor<?x?x3x4xf32>
    return %r : tensor<?x?x3x4xf32>
  }
  func.func private @part(%x: tensor<?x4x5x3xf32>) -> tensor<?x?x5x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<0.5> : tensor<1x1x3x3xf32>
    %n = tensor.dim %x, %c0 : tensor<?x4x5x3xf32>
    %h = tensor.dim %x, %c1 : tensor<?x4x5x3xf32>
    %e = tensor.empty(%n, %h) : tensor<?x?x5x3xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x5x3xf32>) -> tensor<?x?x5x3xf32>
    %dynamic = tensor.cast %x : tensor<?x4x5x3xf32> to tensor<?x?x5x3xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%dynamic, %w : tensor<?x?x5x3xf32>, tensor<1x1x3x3xf32>) outs(%f : tensor<?x?x5x3xf32>) -> tensor<?x?x5x3xf32>
    return %r : tensor<?x?x5x3xf32>
  }
}
