// A pad that takes all elements away, or some of an unknown number, was upstream's, which copies from outside of the source.
// Found by the fuzzer (seeds 1043 and 1064).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// RUN: sed 's/array<i64: 3, 2>/array<i64: 2, 2>/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// RUN: sed "s/array<i64: 3, 2>/array<i64: 1, 2>/" %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// CHECK: right: {{22|18|14}} elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<1x2xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 2>, fuzz.values = "normal"}, %y: tensor<?x2xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 3, 2>, fuzz.values = "normal"}) -> (tensor<3x2xf32>, tensor<2x2xf32>, tensor<?x4xf32>) {
    %zero = arith.constant 5.0 : f32
    %0 = tensor.pad %x low[2, -1] high[0, 1] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<1x2xf32> to tensor<3x2xf32>
    %1 = tensor.pad %x low[-2, 0] high[3, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<1x2xf32> to tensor<2x2xf32>
    %2 = tensor.pad %y low[-1, 1] high[1, 1] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<?x2xf32> to tensor<?x4xf32>
    return %0, %1, %2 : tensor<3x2xf32>, tensor<2x2xf32>, tensor<?x4xf32>
  }
}
