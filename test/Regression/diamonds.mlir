// A producer that one reader reads twice, once at other places, was fused into it and computed again in each step of a
// chain: its element may only be computed where it is read once, in place.
// RUN: mlir-fusion-opt %s --fusion-fuse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: @diamond
// CHECK-SAME: %[[X:.+]]: tensor<5x5xf32>
// CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%[[X]] : tensor<5x5xf32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[A]] : tensor<5x5xf32>, tensor<5x5xf32>)
// CHECK-NOT: math.exp
// CHECK: return
func.func @diamond(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %e = tensor.empty() : tensor<5x5xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<5x5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<5x5xf32>
  %b = linalg.generic {indexing_maps = [#id, #swapped, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %a : tensor<5x5xf32>, tensor<5x5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %0 = arith.addf %in, %other : f32
    linalg.yield %0 : f32
  } -> tensor<5x5xf32>
  return %b : tensor<5x5xf32>
}
