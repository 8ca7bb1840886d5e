// RUN: mlir-fusion-opt %s --fusion-plan=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-plan=target=x86-64-v3 --remark-policy=final --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mlir-fusion-opt %s --fusion-plan="target=x86-64-v3 disable-patterns=pool-channels-last,sink-transposes" | FileCheck %s --check-prefix=OFF
// RUN: not mlir-fusion-opt %s --fusion-plan=disable-patterns=absorb-unary 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mlir-fusion-opt %s --fusion-plan=enable-patterns=pool-channel-last 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Labels of its rules are switches; those of another stage are not.
// OFF-LABEL: func @network
// OFF-NOT: fusion.pool
// OFF: return
// UNKNOWN: expected a rule's label in {{(dis|en)}}able-patterns, got '{{absorb-unary|pool-channel-last}}'{{[.;].*}} These are the labels of fusion-plan:

// The stage as a whole: a block of two convolutions and a classifier, a filter that is computed, and a convolution
// without a kernel.

// REMARK: remark: [Missed] decompose-unsupported {{.*}}unsupported-type
// CHECK-LABEL: func @network
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<1x3x3x3x16xf32>
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<3x3x1x16xf32>
// CHECK-DAG: arith.constant dense<{{.*}}> : tensor<1x16x16xf32>
// CHECK: %[[X:.*]] = linalg.transpose ins(%{{.*}} : tensor<1x3x8x8xf32>)
// CHECK: %[[A:.*]] = fusion.conv ins(%[[X]], %{{.*}} : tensor<1x8x8x3xf32>, tensor<1x3x3x3x16xf32>) {{.*}}filter_layout = packed{{.*}}pad_high = [1, 1]
// CHECK: %[[B:.*]] = fusion.conv ins(%[[A]], %{{.*}} : tensor<1x8x8x16xf32>, tensor<3x3x1x16xf32>) {{.*}}filter_layout = spatial_in_out, groups = 16
// CHECK: %[[C:.*]] = fusion.pool average ins(%[[B]] : tensor<1x6x6x16xf32>)
// CHECK: %[[D:.*]] = tensor.collapse_shape %[[C]] {{\[\[}}0], [1, 2, 3]]
// CHECK: fusion.matmul ins(%[[D]], %{{.*}} : tensor<1x16xf32>, tensor<1x16x16xf32>) {{.*}}rhs_layout = packed
// CHECK-NOT: linalg.transpose
// CHECK-LABEL: func @computed_filter
// CHECK: %[[F:.*]] = linalg.transpose ins(%{{.*}} : tensor<16x3x1x1xf32>)
// CHECK: fusion.conv ins(%{{.*}}, %[[F]] : {{.*}}) {{.*}}filter_layout = spatial_in_out
// CHECK-LABEL: func @bytes
// CHECK-NOT: fusion.conv
// CHECK: linalg.generic
func.func @network(%x: tensor<1x3x8x8xf32>) -> tensor<1x10xf32> {
  %w = arith.constant dense<1.0> : tensor<16x3x3x3xf32>
  %v = arith.constant dense<1.0> : tensor<16x1x3x3xf32>
  %u = arith.constant dense<1.0> : tensor<16x10xf32>
  %e = tensor.empty() : tensor<1x16x8x8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>) outs(%e : tensor<1x16x8x8xf32>) {pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x16x8x8xf32>
  %f = tensor.empty() : tensor<1x16x6x6xf32>
  %1 = fusion.conv ins(%0, %v : tensor<1x16x8x8xf32>, tensor<16x1x3x3xf32>) outs(%f : tensor<1x16x6x6xf32>) {groups = 16} -> tensor<1x16x6x6xf32>
  %g = tensor.empty() : tensor<1x16x1x1xf32>
  %2 = fusion.pool average ins(%1 : tensor<1x16x6x6xf32>) outs(%g : tensor<1x16x1x1xf32>) {window = [6, 6]} -> tensor<1x16x1x1xf32>
  %3 = tensor.collapse_shape %2 [[0], [1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<1x16xf32>
  %h = tensor.empty() : tensor<1x10xf32>
  %4 = fusion.matmul ins(%3, %u : tensor<1x16xf32>, tensor<16x10xf32>) outs(%h : tensor<1x10xf32>) -> tensor<1x10xf32>
  return %4 : tensor<1x10xf32>
}

func.func @computed_filter(%x: tensor<1x3x7x7xf32>, %w: tensor<16x3x1x1xf32>) -> tensor<1x16x7x7xf32> {
  %e = tensor.empty() : tensor<1x16x7x7xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x7x7xf32>, tensor<16x3x1x1xf32>) outs(%e : tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  return %0 : tensor<1x16x7x7xf32>
}

func.func @bytes(%x: tensor<1x3x8x8xi8>, %w: tensor<16x3x1x1xi8>) -> tensor<1x16x8x8xi8> {
  %e = tensor.empty() : tensor<1x16x8x8xi8>
  %0 = fusion.conv ins(%x, %w : tensor<1x3x8x8xi8>, tensor<16x3x1x1xi8>) outs(%e : tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8>
  return %0 : tensor<1x16x8x8xi8>
}
