// RUN: mlir-fusion-opt %s -split-input-file --fusion-raise --remarks-filter=fusion.* --remark-policy=final -o /dev/null 2>&1 | FileCheck %s

// A root's image has one to three dims.
// CHECK: raise-pool{{.*}}map-mismatch: the image has more than three dims
func.func @pool_4d(%x: tensor<1x2x4x4x4x4xf32>, %i: tensor<1x2x3x3x3x3xf32>) -> tensor<1x2x3x3x3x3xf32> {
  %w = tensor.empty() : tensor<2x2x2x2xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, c, a, b, d, e, p, q, r, s) -> (n, c, a + p, b + q, d + r, e + s)>,
      affine_map<(n, c, a, b, d, e, p, q, r, s) -> (p, q, r, s)>,
      affine_map<(n, c, a, b, d, e, p, q, r, s) -> (n, c, a, b, d, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x2x4x4x4x4xf32>, tensor<2x2x2x2xf32>) outs(%i : tensor<1x2x3x3x3x3xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %m = arith.maximumf %acc, %v : f32
    linalg.yield %m : f32
  } -> tensor<1x2x3x3x3x3xf32>
  return %0 : tensor<1x2x3x3x3x3xf32>
}

// -----

// CHECK: raise-conv{{.*}}map-mismatch: the image has more than three dims
func.func @conv_4d(%x: tensor<1x2x4x4x4x4xf32>, %w: tensor<3x2x2x2x2x2xf32>, %i: tensor<1x3x3x3x3x3xf32>) -> tensor<1x3x3x3x3x3xf32> {
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, o, a, b, d, e, c, p, q, r, s) -> (n, c, a + p, b + q, d + r, e + s)>,
      affine_map<(n, o, a, b, d, e, c, p, q, r, s) -> (o, c, p, q, r, s)>,
      affine_map<(n, o, a, b, d, e, c, p, q, r, s) -> (n, o, a, b, d, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x2x4x4x4x4xf32>, tensor<3x2x2x2x2x2xf32>) outs(%i : tensor<1x3x3x3x3x3xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %m = arith.mulf %v, %u : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x3x3x3x3x3xf32>
  return %0 : tensor<1x3x3x3x3x3xf32>
}

// -----

// Windows are read at multiples of loops.
// CHECK: raise-pool{{.*}}map-mismatch: the image is read through another map than loops and windows
func.func @floor_divided(%x: tensor<1x2x4xf32>, %i: tensor<1x2x6xf32>) -> tensor<1x2x6xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, c, a, p) -> (n, c, a floordiv 2 + p)>, affine_map<(n, c, a, p) -> (p)>, affine_map<(n, c, a, p) -> (n, c, a)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x2x4xf32>, tensor<2xf32>) outs(%i : tensor<1x2x6xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %m = arith.maximumf %acc, %v : f32
    linalg.yield %m : f32
  } -> tensor<1x2x6xf32>
  return %0 : tensor<1x2x6xf32>
}

// -----

// Each channel is a group of its own.
// CHECK: raise-depthwise-conv{{.*}}dynamic-shape: the number of groups is not known
func.func @dynamic_multiplier(%x: tensor<1x6x6x?xf32>, %w: tensor<3x3x?x?xf32>, %i: tensor<1x4x4x?x?xf32>) -> tensor<1x4x4x?x?xf32> {
  %y = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %w : tensor<1x6x6x?xf32>, tensor<3x3x?x?xf32>)
    outs(%i : tensor<1x4x4x?x?xf32>) -> tensor<1x4x4x?x?xf32>
  return %y : tensor<1x4x4x?x?xf32>
}

// -----

// CHECK: raise-pool{{.*}}dynamic-shape: the result's channels are not known
func.func @dynamic_groups(%x: tensor<1x6x?x?xf32>, %i: tensor<1x5x?x?xf32>) -> tensor<1x5x?x?xf32> {
  %w = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, a, g, c, p) -> (n, a + p, g, c)>, affine_map<(n, a, g, c, p) -> (p)>, affine_map<(n, a, g, c, p) -> (n, a, g, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x6x?x?xf32>, tensor<2xf32>) outs(%i : tensor<1x5x?x?xf32>) {
  ^bb0(%v: f32, %u: f32, %acc: f32):
    %m = arith.maximumf %acc, %v : f32
    linalg.yield %m : f32
  } -> tensor<1x5x?x?xf32>
  return %0 : tensor<1x5x?x?xf32>
}

// -----

// A window that reaches beyond 64 bits, and one without elements: not a size to compute with.
#pool = [affine_map<(n, c, a, p) -> (n, c, a + p * 4611686018427387904)>, affine_map<(n, c, a, p) -> (p)>, affine_map<(n, c, a, p) -> (n, c, a)>]
#none = [affine_map<(n, c, a, p) -> (n, c, a + p * 2)>, affine_map<(n, c, a, p) -> (p)>, affine_map<(n, c, a, p) -> (n, c, a)>]
// CHECK-DAG: raise-pool{{.*}}map-mismatch: a window does not fit in 64 bits
// CHECK-DAG: raise-pool{{.*}}map-mismatch: a window does not fit in 64 bits
// CHECK-DAG: raise-pool{{.*}}map-mismatch: a window has no elements
func.func @huge_windows(%x: tensor<1x2x?xf32>, %i: tensor<1x2x?xf32>, %z: tensor<1x2x8xf32>, %j: tensor<1x2x1xf32>) -> (tensor<1x2x?xf32>, tensor<1x2x?xf32>, tensor<1x2x?xf32>) {
  %w = tensor.empty() : tensor<3xf32>
  %v = tensor.empty() : tensor<5xf32>
  %u = tensor.empty() : tensor<0xf32>
  %0 = linalg.generic {indexing_maps = #pool, iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x2x?xf32>, tensor<3xf32>) outs(%i : tensor<1x2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x2x?xf32>
  // The span wraps to 1.
  %1 = linalg.generic {indexing_maps = #pool, iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %v : tensor<1x2x?xf32>, tensor<5xf32>) outs(%i : tensor<1x2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x2x?xf32>
  %2 = linalg.generic {indexing_maps = #none, iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %u : tensor<1x2x?xf32>, tensor<0xf32>) outs(%i : tensor<1x2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x2x?xf32>
  return %0, %1, %2 : tensor<1x2x?xf32>, tensor<1x2x?xf32>, tensor<1x2x?xf32>
}
