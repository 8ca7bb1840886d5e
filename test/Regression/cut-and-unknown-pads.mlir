// Padding of unknown size, or by a value that is no constant, that cuts elsewhere was upstream's, which copies the whole source
// and so writes outside of the result, into others or the next row. Found by the fuzzer (seeds 402377, 700001032, 700001578).
// RUN: mlir-fusion-fuzz --check-bounds %s | FileCheck %s
// RUN: sed 's/fuzz.threads = 1/fuzz.disable = ["fusion-bufferize.pad-in-place"]/' %s > %t.mlir
// RUN: mlir-fusion-fuzz --check-bounds %t.mlir | FileCheck %s
// RUN: sed 's/fuzz.threads = 1/fuzz.upstream/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// RUN: sed 's/array<i64: 3>/array<i64: 1>/' %s > %t.mlir
// RUN: mlir-fusion-fuzz --check-bounds %t.mlir | FileCheck %s
// CHECK: right: {{34|18}} elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<?xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 3>, fuzz.values = "normal"}, %y: tensor<2x3xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 2, 3>, fuzz.values = "normal"}, %v: tensor<f32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64>, fuzz.values = "normal"}) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<3x2xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %five = arith.constant 5.0 : f32
    %some = tensor.extract %v[] : tensor<f32>
    // Cut from both ends of one dim, unknown at one end of the other.
    %0 = tensor.pad %y low[%n, 0] high[0, -1] {
    ^bb0(%a: index, %b: index):
      tensor.yield %five : f32
    } : tensor<2x3xf32> to tensor<?x2xf32>
    // More is cut than there is: what is unknown is the shorter.
    %1 = tensor.pad %y low[%n, 0] high[-3, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %five : f32
    } : tensor<2x3xf32> to tensor<?x3xf32>
    %2 = tensor.pad %x low[-2] high[%n] {
    ^bb0(%a: index):
      tensor.yield %five : f32
    } : tensor<?xf32> to tensor<?xf32>
    // A value that is no constant.
    %3 = tensor.pad %y low[2, -1] high[-1, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %some : f32
    } : tensor<2x3xf32> to tensor<3x2xf32>
    %4 = tensor.pad %x low[-2] high[7] {
    ^bb0(%a: index):
      tensor.yield %some : f32
    } : tensor<?xf32> to tensor<?xf32>
    return %0, %1, %2, %3, %4 : tensor<?x2xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<3x2xf32>, tensor<?xf32>
  }
}
