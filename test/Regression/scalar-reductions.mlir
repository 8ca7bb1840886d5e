// A sum over elements none of which it reads: upstream's vectorizer added what is no vector once, not for each.
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 10 elements compared, 0 unbounded
#loop = affine_map<(d0, d1) -> (d0)>
#result = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<11xf32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 11>, fuzz.values = "normal"},
                  %i: tensor<1xi32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 1>, fuzz.values = "normal"},
                  %y: tensor<i32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64>, fuzz.values = "normal"},
                  %j: tensor<5xi32> {fuzz.seed = 4 : i64, fuzz.shape = array<i64: 5>, fuzz.values = "normal"})
      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<5xi32>) {
    %c2 = arith.constant 2 : i32
    // A constant.
    %0 = linalg.generic {indexing_maps = [#loop, #result], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<11xf32>) outs(%i : tensor<1xi32>) {
    ^bb0(%a: f32, %o: i32):
      %s = arith.addi %o, %c2 : i32
      linalg.yield %s : i32
    } -> tensor<1xi32>
    // One element for all.
    %1 = linalg.generic {indexing_maps = [#loop, #none, #result], iterator_types = ["reduction", "parallel"]} ins(%x, %y : tensor<11xf32>, tensor<i32>) outs(%i : tensor<1xi32>) {
    ^bb0(%a: f32, %b: i32, %o: i32):
      %s = arith.addi %o, %b : i32
      linalg.yield %s : i32
    } -> tensor<1xi32>
    %v = tensor.extract %y[] : tensor<i32>
    // A scalar operand.
    %2 = linalg.generic {indexing_maps = [#loop, #none, #result], iterator_types = ["reduction", "parallel"]} ins(%x, %v : tensor<11xf32>, i32) outs(%i : tensor<1xi32>) {
    ^bb0(%a: f32, %b: i32, %o: i32):
      %t = arith.muli %b, %c2 : i32
      %s = arith.addi %o, %t : i32
      linalg.yield %s : i32
    } -> tensor<1xi32>
    // The place in the other loop.
    %3 = linalg.generic {indexing_maps = [#loop, #result], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<11xf32>) outs(%i : tensor<1xi32>) {
    ^bb0(%a: f32, %o: i32):
      %at = linalg.index 1 : index
      %b = arith.index_cast %at : index to i32
      %t = arith.addi %b, %c2 : i32
      %s = arith.addi %o, %t : i32
      linalg.yield %s : i32
    } -> tensor<1xi32>
    // The place in the loop itself.
    %4 = linalg.generic {indexing_maps = [#loop, #result], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<11xf32>) outs(%i : tensor<1xi32>) {
    ^bb0(%a: f32, %o: i32):
      %at = linalg.index 0 : index
      %b = arith.index_cast %at : index to i32
      %s = arith.addi %o, %b : i32
      linalg.yield %s : i32
    } -> tensor<1xi32>
    %5 = linalg.generic {indexing_maps = [#loop, #result], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<11xf32>) outs(%j : tensor<5xi32>) {
    ^bb0(%a: f32, %o: i32):
      %s = arith.addi %o, %c2 : i32
      linalg.yield %s : i32
    } -> tensor<5xi32>
    return %0, %1, %2, %3, %4, %5 : tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<5xi32>
  }
}
