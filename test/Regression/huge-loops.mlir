// Products of what is no tensor's shape have no limit: trips of loops that go through three tensors, and strides, of which 2^62 x 4 is 0
// in 64 bits. Found by libFuzzer, with UndefinedBehaviorSanitizer.
// RUN: split-file %s %t
// RUN: mlir-fusion compile %t/trips.mlir -o %t/trips.o
// RUN: mlir-fusion compile %t/strides.mlir -o %t/strides.o
// RUN: mlir-fusion-opt %t/strides.mlir --fusion-split-phases --remarks-filter-missed=fusion 2>&1 | FileCheck %s
// CHECK: split-phases {{.*}}unprofitable: the strides make too many phases

//--- trips.mlir
func.func @main(%x: tensor<1000000007xf32>, %y: tensor<1000000007xf32>, %z: tensor<1000000007xf32>, %e: tensor<64x3xf32>) -> tensor<64x3xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (b)>, affine_map<(a, b, c, d, e) -> (c)>, affine_map<(a, b, c, d, e) -> (d)>,
                                        affine_map<(a, b, c, d, e) -> (a, e)>],
                       iterator_types = ["parallel", "reduction", "reduction", "reduction", "parallel"]}
      ins(%x, %y, %z : tensor<1000000007xf32>, tensor<1000000007xf32>, tensor<1000000007xf32>) outs(%e : tensor<64x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<64x3xf32>
  return %r : tensor<64x3xf32>
}

//--- strides.mlir
func.func @main(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %e = tensor.empty() : tensor<1x1x1x1xf32>
  %r = fusion.conv_transpose ins(%x, %w : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) outs(%e : tensor<1x1x1x1xf32>) {strides = [4611686018427387904, 4]} -> tensor<1x1x1x1xf32>
  return %r : tensor<1x1x1x1xf32>
}
