// Sizes that the model does not take are told, before any memory is guarded.
// RUN: not mlir-fusion-fuzz %s | FileCheck %s
// CHECK: refused: 0 elements compared, 0 unbounded: expected inputs of sizes that the model takes, got others
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%x: tensor<?x2xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 5, 2>, fuzz.values = "normal"},
                  %y: tensor<?x2xf32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 4, 2>, fuzz.values = "normal"}) -> tensor<?x4xf32> {
    %0 = tensor.concat dim(1) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}
