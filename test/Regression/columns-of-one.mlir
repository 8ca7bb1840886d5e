// A convolution whose result has one column and is written channels-first into a larger image: rows of the result are no
// neighbours there, and a tile of several was stored as if they were. Found by the fuzzer (seed 300001807).
// RUN: mlir-fusion-fuzz --check-bounds %s | FileCheck %s
// RUN: sed 's/x86-64-v3/host/' %s > %t.mlir
// RUN: mlir-fusion-fuzz --check-bounds %t.mlir | FileCheck %s
// CHECK: right: 18 elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<1x2x9x1xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 2, 9, 1>, fuzz.values = "whole"}) -> tensor<1x2x9x1xf32> {
    %0 = call @layer(%x) : (tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xf32>
    // Where it is inlined, its image is the first one's result with a border.
    %1 = call @layer(%0) : (tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xf32>
    return %1 : tensor<1x2x9x1xf32>
  }
  func.func private @layer(%x: tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xf32> {
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<[[[[-1.0, -2.0, -4.0], [4.0, -2.0, 4.0], [1.0, 4.0, -1.0]], [[-2.0, 2.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]],
                               [[[3.0, 1.0, 0.0], [2.0, 1.0, -3.0], [1.0, -1.0, 1.0]], [[2.0, 0.0, 1.0], [-1.0, 2.0, 2.0], [1.0, 5.0, 2.0]]]]> : tensor<2x2x3x3xf32>
    %e = tensor.empty() : tensor<1x2x9x1xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xf32>
    %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %one : f32
    } : tensor<1x2x9x1xf32> to tensor<1x2x11x3xf32>
    %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x2x11x3xf32>, tensor<2x2x3x3xf32>) outs(%fill : tensor<1x2x9x1xf32>) -> tensor<1x2x9x1xf32>
    return %0 : tensor<1x2x9x1xf32>
  }
}
