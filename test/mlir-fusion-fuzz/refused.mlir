// Sizes that the model does not take are told, before any memory is guarded.
// RUN: not mlir-fusion-fuzz %s | FileCheck %s
// CHECK: refused: 0 elements compared, 0 unbounded: expected inputs of sizes that the model takes, got others
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<?x2xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 4, 2>, fuzz.values = "normal"}) -> tensor<?x2xf32> {
    %0 = tensor.cast %x : tensor<?x2xf32> to tensor<5x2xf32>
    %1 = tensor.cast %0 : tensor<5x2xf32> to tensor<?x2xf32>
    return %1 : tensor<?x2xf32>
  }
}
