// A copy whose sizes its operands' types do not tell, but a cast in front of it does: the rest of what is no multiple of a unit
// of work was not copied.
// RUN: mlir-fusion-fuzz --check-bounds %s | FileCheck %s
// RUN: sed 's/fuzz.threads = 1/fuzz.threads = 3/' %s > %t.mlir
// RUN: mlir-fusion-fuzz %t.mlir | FileCheck %s
// CHECK: right: 1115 elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<?x600xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 600>, fuzz.values = "normal"},
                  %y: tensor<?x2xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 1, 2>, fuzz.values = "normal"},
                  %z: tensor<513xf32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64: 513>, fuzz.values = "normal"})
      -> (tensor<1x?xf32>, tensor<1x?xf32>, tensor<?xf32>) {
    %0 = tensor.cast %x : tensor<?x600xf32> to tensor<1x?xf32>
    %1 = tensor.cast %y : tensor<?x2xf32> to tensor<1x?xf32>
    %2 = tensor.cast %z : tensor<513xf32> to tensor<?xf32>
    return %0, %1, %2 : tensor<1x?xf32>, tensor<1x?xf32>, tensor<?xf32>
  }
}
