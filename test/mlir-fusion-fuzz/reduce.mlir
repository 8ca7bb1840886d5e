// A graph that fails is made small: fewer ops, one result, smaller sizes, plain settings. fuzz.fault names an op that is taken for a
// wrong result, wherever it is.
// RUN: not mlir-fusion-fuzz %s --reduce | FileCheck %s
// CHECK: wrong: {{.*}}math.tanh is taken for wrong
// CHECK: // wrong: math.tanh is taken for wrong
// CHECK-NEXT: // RUN{{:}} mlir-fusion-fuzz
// CHECK: fuzz.accuracy = "default", fuzz.disable = [], fuzz.fault = "math.tanh", fuzz.target = "x86-64-v3", fuzz.threads = 1
// CHECK-NOT: linalg.conv
// CHECK-NOT: tensor.pad
// CHECK-NOT: arith.maximumf
// CHECK: func.func @main(%{{[^:]*}}: tensor<1x1x1x1xf32> {{{[^}]*}}}) -> tensor<1x1x1x1xf32>
// CHECK: math.tanh

// Without --reduce it is only run.
// RUN: not mlir-fusion-fuzz %s | FileCheck %s --check-prefix=PLAIN
// PLAIN: wrong: {{.*}}math.tanh
// PLAIN-NOT: func.func

// Windows, pads, constants, joined dims and loops shrink with what they are tied to: the convolution is kept, since it is what fails.
// RUN: sed 's/fuzz.fault = "math.tanh"/fuzz.fault = "linalg.conv_2d_nhwc_hwcf"/' %s > %t.mlir
// RUN: not mlir-fusion-fuzz %t.mlir --reduce | FileCheck %s --check-prefix=CONV
// CONV: func.func @main(%{{[^:]*}}: tensor<1x{{[12]}}x{{[12]}}x1xf32>
// CONV: linalg.conv_2d_nhwc_hwcf

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d3)>
module attributes {fuzz.accuracy = "strict", fuzz.disable = ["fold-pad", "absorb-unary"], fuzz.fault = "math.tanh", fuzz.target = "host", fuzz.threads = 2 : i64} {
  func.func @main(%x: tensor<2x9x7x8xf32> {fuzz.seed = 7 : i64, fuzz.shape = array<i64: 2, 9, 7, 8>, fuzz.values = "normal"}) -> (tensor<2x35x16xf32>, tensor<2x9x7x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %w = arith.constant dense<0.5> : tensor<3x3x8x16xf32>
    %bias = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
    %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %zero : f32
    } : tensor<2x9x7x8xf32> to tensor<2x11x9x8xf32>
    %e = tensor.empty() : tensor<2x5x7x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x16xf32>) -> tensor<2x5x7x16xf32>
    %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%p, %w : tensor<2x11x9x8xf32>, tensor<3x3x8x16xf32>) outs(%f : tensor<2x5x7x16xf32>) -> tensor<2x5x7x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %bias : tensor<2x5x7x16xf32>, tensor<16xf32>) outs(%e : tensor<2x5x7x16xf32>) {
    ^bb0(%in: f32, %b: f32, %out: f32):
      %s = arith.addf %in, %b : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    } -> tensor<2x5x7x16xf32>
    %2 = arith.maximumf %1, %1 : tensor<2x5x7x16xf32>
    %3 = tensor.collapse_shape %2 [[0], [1, 2], [3]] : tensor<2x5x7x16xf32> into tensor<2x35x16xf32>
    return %3, %x : tensor<2x35x16xf32>, tensor<2x9x7x8xf32>
  }
}
