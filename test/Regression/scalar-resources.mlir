// Upstream's lowering of globals asked a resource of rank 0 for its element, and aborted; found by the fuzzer (seed 73): a
// vector of one channel becomes a scalar.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 4 elements compared, 0 unbounded
module attributes {fuzz.target = "x86-64-v3"} {
  func.func @main(%x: tensor<4xf32> {fuzz.seed = 7 : i64, fuzz.shape = array<i64: 4>, fuzz.values = "normal"}) -> tensor<4xf32> {
    %c = arith.constant dense_resource<c> : tensor<f32>
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %c : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
{-# dialect_resources: { builtin: { c: "0x40000000A0C8813F" } } #-}
