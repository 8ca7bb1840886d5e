// Windows need not reach to the image's end. Of sizes at run time, kernels took the image of a window of one element to be as
// large as the result, and images that turned out to be larger were roots that the verifier refused.
// RUN: mlir-fusion-fuzz --check-bounds %s | FileCheck %s
// CHECK: right: {{[0-9]+}} elements compared, 0 unbounded
// RUN: mlir-fusion-opt --fusion-raise %s | FileCheck %s --check-prefix=IR
// IR-LABEL: @main
// The image of known size reaches just so far.
// IR: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [1, 4, 4, 3] [1, 1, 1, 1] : tensor<1x?x?x3xf32> to tensor<1x4x4x3xf32>
// IR: fusion.conv
// IR: tensor.extract_slice %{{.*}} : tensor<1x6x6x3xf32> to tensor<1x?x?x3xf32>
// IR: fusion.conv
// IR: fusion.pool
// Where sizes are known to be equal, nothing is cut.
// IR-LABEL: @equal
// IR-NOT: tensor.extract_slice
// IR: fusion.conv
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<1x?x?x3xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 6, 6, 3>, fuzz.values = "normal"},
                  %w: tensor<1x1x3x8xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 1, 1, 3, 8>, fuzz.values = "normal"},
                  %z: tensor<1x4x4x8xf32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64: 1, 4, 4, 8>, fuzz.values = "normal"},
                  %y: tensor<1x6x6x3xf32> {fuzz.seed = 4 : i64, fuzz.shape = array<i64: 1, 6, 6, 3>, fuzz.values = "normal"},
                  %v: tensor<1x?x?x8xf32> {fuzz.seed = 5 : i64, fuzz.shape = array<i64: 1, 4, 5, 8>, fuzz.values = "normal"},
                  %u: tensor<1x?x?x3xf32> {fuzz.seed = 6 : i64, fuzz.shape = array<i64: 1, 4, 5, 3>, fuzz.values = "normal"},
                  %q: tensor<2x1xi32> {fuzz.seed = 7 : i64, fuzz.shape = array<i64: 2, 1>, fuzz.values = "normal"},
                  %p: tensor<15x11xi32> {fuzz.seed = 8 : i64, fuzz.shape = array<i64: 15, 11>, fuzz.values = "normal"},
                  %r: tensor<5x2xi32> {fuzz.seed = 9 : i64, fuzz.shape = array<i64: 5, 2>, fuzz.values = "normal"})
      -> (tensor<1x4x4x8xf32>, tensor<1x?x?x8xf32>, tensor<1x?x?x3xf32>, tensor<5x2xi32>, tensor<1x4x4x3xf32>) {
    %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x?x?x3xf32>, tensor<1x1x3x8xf32>) outs(%z : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %1 = linalg.conv_2d_nhwc_hwcf ins(%y, %w : tensor<1x6x6x3xf32>, tensor<1x1x3x8xf32>) outs(%v : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
    %window = tensor.empty() : tensor<2x1xf32>
    %2 = linalg.pooling_nhwc_max ins(%y, %window : tensor<1x6x6x3xf32>, tensor<2x1xf32>) outs(%u : tensor<1x?x?x3xf32>) -> tensor<1x?x?x3xf32>
    %cast = tensor.cast %p : tensor<15x11xi32> to tensor<?x11xi32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d0)>, affine_map<(d0, d1, d2, d3) -> (d3 * 3 + d0, d2 * 2 + d1 * 2)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>], iterator_types = ["reduction", "parallel", "reduction", "parallel"]} ins(%q, %cast : tensor<2x1xi32>, tensor<?x11xi32>) outs(%r : tensor<5x2xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %t = arith.muli %b, %a : i32
      %s = arith.addi %t, %o : i32
      linalg.yield %s : i32
    } -> tensor<5x2xi32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x4x4x3xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
    %three = tensor.empty() : tensor<2x2xf32>
    %4 = linalg.pooling_nhwc_sum ins(%x, %three : tensor<1x?x?x3xf32>, tensor<2x2xf32>) outs(%fill : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
    return %0, %1, %2, %3, %4 : tensor<1x4x4x8xf32>, tensor<1x?x?x8xf32>, tensor<1x?x?x3xf32>, tensor<5x2xi32>, tensor<1x4x4x3xf32>
  }
  func.func private @equal(%x: tensor<1x?x?x3xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<1x?x?x8xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %h = tensor.dim %x, %c1 : tensor<1x?x?x3xf32>
    %b = tensor.dim %x, %c2 : tensor<1x?x?x3xf32>
    %e = tensor.empty(%h, %b) : tensor<1x?x?x8xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
    %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x?x?x3xf32>, tensor<1x1x3x8xf32>) outs(%fill : tensor<1x?x?x8xf32>) -> tensor<1x?x?x8xf32>
    return %0 : tensor<1x?x?x8xf32>
  }
}
