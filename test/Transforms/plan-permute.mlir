// What a permuted value is, so that no rule makes a transpose that another would have to remove.
// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s

// A transpose goes in front of a collapse that only drops dims of one element; each keeps its place.
// CHECK-LABEL: func @collapsed_image
// CHECK-SAME: %[[X:[^ ]*]]: tensor<2x3x1x9xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<2x3x1x9xf32>) {{.*}} permutation = [0, 3, 2, 1]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[T]] {{\[\[}}0], [1, 2], [3]] : tensor<2x9x1x3xf32> into tensor<2x9x3xf32>
// CHECK: fusion.conv ins(%[[C]], %{{.*}} : tensor<2x9x3xf32>
// CHECK: %[[U:.*]] = linalg.transpose ins(%[[X]] : tensor<2x3x1x9xf32>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK: fusion.conv ins(%[[U]], %{{.*}} : tensor<2x1x9x3xf32>
func.func @collapsed_image(%x: tensor<2x3x1x9xf32>, %w: tensor<4x3x2xf32>, %v: tensor<4x3x1x2xf32>, %e: tensor<2x4x8xf32>, %f: tensor<2x4x1x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x1x8xf32>) {
  %0 = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x3x1x9xf32> into tensor<2x3x9xf32>
  %1 = fusion.conv ins(%0, %w : tensor<2x3x9xf32>, tensor<4x3x2xf32>) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %2 = fusion.conv ins(%x, %v : tensor<2x3x1x9xf32>, tensor<4x3x1x2xf32>) outs(%f : tensor<2x4x1x8xf32>) -> tensor<2x4x1x8xf32>
  return %1, %2 : tensor<2x4x8xf32>, tensor<2x4x1x8xf32>
}

// One in front of all dims stays there.
// CHECK-LABEL: func @collapsed_front
// CHECK: %[[T:.*]] = linalg.transpose {{.*}} permutation = [0, 1, 3, 2]
// CHECK: tensor.collapse_shape %[[T]] {{\[\[}}0, 1], [2], [3]] : tensor<1x2x9x3xf32> into tensor<2x9x3xf32>
func.func @collapsed_front(%x: tensor<1x2x3x9xf32>, %w: tensor<4x3x2xf32>, %e: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<1x2x3x9xf32> into tensor<2x3x9xf32>
  %1 = fusion.conv ins(%0, %w : tensor<2x3x9xf32>, tensor<4x3x2xf32>) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Elements that a collapse brings together are transposed behind it.
// CHECK-LABEL: func @collapsed_elements
// CHECK: %[[C:.*]] = tensor.collapse_shape
// CHECK: linalg.transpose ins(%[[C]] : tensor<2x3x9xf32>)
func.func @collapsed_elements(%x: tensor<2x3x3x3xf32>, %w: tensor<4x3x2xf32>, %e: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x3x3x3xf32> into tensor<2x3x9xf32>
  %1 = fusion.conv ins(%0, %w : tensor<2x3x9xf32>, tensor<4x3x2xf32>) outs(%e : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// What has no values has none in another order.
// CHECK-LABEL: func @empty_image
// CHECK-DAG: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x9x3xf32>
// CHECK: fusion.conv ins(%[[E]],
func.func @empty_image(%n: index, %w: tensor<4x3x2xf32>, %e: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %0 = tensor.empty(%n) : tensor<?x3x9xf32>
  %1 = fusion.conv ins(%0, %w : tensor<?x3x9xf32>, tensor<4x3x2xf32>) outs(%e : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %1 : tensor<?x4x8xf32>
}
