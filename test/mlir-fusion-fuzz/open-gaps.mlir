// A form of a transposed convolution that multiplies zeros between the image's elements is right as well, also where upstream's form,
// the reference of TOSA's, has no products there: what NaN in a filter makes of them is open, nothing else of its channel.
// Found by the fuzzer (seed 700000738).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed "s/fuzz.disable = .\"split-phases\".,//" %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// What low pads bring into the result is open, too, and no more than it (found by --rules, seed 102429).
// RUN: sed "s/out_pad = array<i64: 0, 0, 0, 0>/out_pad = array<i64: 2, 0, 2, 0>/; s/1x3x3x2/1x5x5x2/" %s > %t.pads.mlir
// RUN: mlir-fusion-fuzz --rule raise-tosa-transpose-conv %t.pads.mlir | FileCheck %s --check-prefix=PADS
// PADS: right: 50 elements compared, 21 unbounded
// Upstream's form lengthens a filter of 1 to whole strides of 2: where a NaN of the image meets the zeros behind its end is open, where
// there is neither tap nor zero is not (found by the fuzzer, seed 520000493).
// RUN: sed -E "s/fuzz.seed = 1 /fuzz.seed = 3 /; s/fuzz.values = \"normal\"/fuzz.values = \"special\"/; s/0x7FC00000/0.25/; s/out_pad = array<i64: 0, 0, 0, 0>/out_pad = array<i64: 0, 3, 0, 3>/; s/1x3x3x2/1x6x6x2/" %s > %t.image.mlir
// RUN: mlir-fusion-fuzz %t.image.mlir | FileCheck %s --check-prefix=IMAGE
// IMAGE: right: 72 elements compared, 6 unbounded
// CHECK: right: 18 elements compared, 5 unbounded
module attributes {fuzz.disable = ["split-phases"], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<1x2x2x1xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 2, 2, 1>, fuzz.values = "normal"}) -> tensor<1x3x3x2xf32> {
    %w = "tosa.const"() <{values = dense<[[[[0.5]]], [[[0x7FC00000]]]]> : tensor<2x1x1x1xf32>}> : () -> tensor<2x1x1x1xf32>
    %b = "tosa.const"() <{values = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %y = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x2x2x1xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x2xf32>
    return %y : tensor<1x3x3x2xf32>
  }
}
