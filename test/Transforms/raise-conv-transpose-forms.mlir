// Rarer forms of images and filters of transposed convolutions, and what looks like one.
// RUN: mlir-fusion-opt %s -split-input-file --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s -split-input-file --fusion-raise --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Integers have a zero, too.
// CHECK-LABEL: func @integers(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x3x5xi8>
// CHECK: fusion.conv_transpose ins(%[[X]], %{{.*}} : tensor<1x3x5xi8>, tensor<4x3x2xi8>) outs({{.*}}) {pad_low = [1], strides = [2]}
func.func @integers(%x: tensor<1x3x5xi8>, %w: tensor<4x3x2xi8>, %e: tensor<1x4x9xi32>) -> tensor<1x4x9xi32> {
  %zeros = arith.constant dense<0> : tensor<1x3x10xi8>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xi8> into tensor<1x3x10xi8>
  %1 = fusion.conv ins(%0, %w : tensor<1x3x10xi8>, tensor<4x3x2xi8>) outs(%e : tensor<1x4x9xi32>) -> tensor<1x4x9xi32>
  return %1 : tensor<1x4x9xi32>
}

// -----

// A filter that is expanded after it was flipped.
// CHECK-LABEL: func @expanded_filter(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x3x5xf32>, %[[W:[^ ]*]]: tensor<12x2xf32>
// CHECK: %[[F:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2]] output_shape [4, 3, 2]
// CHECK: fusion.conv_transpose ins(%[[X]], %[[F]] :
#flip = affine_map<(d0, d1) -> (d0, 1 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @expanded_filter(%x: tensor<1x3x5xf32>, %w: tensor<12x2xf32>, %e: tensor<1x4x9xf32>) -> tensor<1x4x9xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
  %1 = tensor.empty() : tensor<12x2xf32>
  %2 = linalg.generic {indexing_maps = [#flip, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<12x2xf32>) outs(%1 : tensor<12x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<12x2xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 3, 2] : tensor<12x2xf32> into tensor<4x3x2xf32>
  %4 = fusion.conv ins(%0, %3 : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  return %4 : tensor<1x4x9xf32>
}

// -----

// Taps that an expansion makes are flipped where they are.
// CHECK: #[[FLIP:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, -d2 + 1)>
// CHECK-LABEL: func @expanded_taps(
// CHECK-SAME: %[[X:[^ ]*]]: tensor<1x3x5xf32>, %[[W:[^ ]*]]: tensor<4x6xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0], [1, 2]]
// CHECK: %[[F:.*]] = linalg.generic {indexing_maps = [#[[FLIP]], #{{.*}}], {{.*}}} ins(%[[E]] :
// CHECK: fusion.conv_transpose ins(%[[X]], %[[F]] :
func.func @expanded_taps(%x: tensor<1x3x5xf32>, %w: tensor<4x6xf32>, %e: tensor<1x4x9xf32>) -> tensor<1x4x9xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
  %1 = tensor.expand_shape %w [[0], [1, 2]] output_shape [4, 3, 2] : tensor<4x6xf32> into tensor<4x3x2xf32>
  %2 = fusion.conv ins(%0, %1 : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  return %2 : tensor<1x4x9xf32>
}

// -----

// Taps read at places that are no mirror, such as a product or an unknown one, are read where they are and then flipped.
// CHECK-LABEL: func @other_places(
// CHECK: tensor.extract
// CHECK: %[[F:.*]] = linalg.generic
// CHECK: fusion.conv_transpose ins(%{{.*}}, %[[F]] :
// CHECK: tensor.extract
// CHECK: %[[G:.*]] = linalg.generic
// CHECK: fusion.conv_transpose ins(%{{.*}}, %[[G]] :
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @other_places(%x: tensor<1x3x5xf32>, %w: tensor<4x3x2xf32>, %at: index, %e: tensor<1x4x9xf32>) -> (tensor<1x4x9xf32>, tensor<1x4x9xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
  %1 = tensor.empty() : tensor<4x3x2xf32>
  %c0 = arith.constant 0 : index
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%1 : tensor<4x3x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %p = arith.muli %k, %k : index
    %v = tensor.extract %w[%i, %j, %p] : tensor<4x3x2xf32>
    linalg.yield %v : f32
  } -> tensor<4x3x2xf32>
  %3 = fusion.conv ins(%0, %2 : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  %4 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel"]} outs(%1 : tensor<4x3x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %p = arith.subi %at, %k : index
    %v = tensor.extract %w[%i, %j, %p] : tensor<4x3x2xf32>
    linalg.yield %v : f32
  } -> tensor<4x3x2xf32>
  %5 = fusion.conv ins(%0, %4 : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  return %3, %5 : tensor<1x4x9xf32>, tensor<1x4x9xf32>
}

// -----

// Zeros between channels or images, channels that are cut off and slices that drop a dim or step are no transposed convolution.
// CHECK-LABEL: func @other_images(
// CHECK-NOT: conv_transpose
// CHECK-COUNT-5: fusion.conv ins
func.func @other_images(%x: tensor<1x3x5xf32>, %y: tensor<1x2x5xf32>, %z: tensor<3x5xf32>, %w: tensor<4x3x2xf32>, %e: tensor<1x4x9xf32>, %f: tensor<1x4x4xf32>) -> (tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x4xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  // Between channels.
  %0 = tensor.insert_slice %y into %zeros[0, 0, 0] [1, 2, 5] [1, 2, 2] : tensor<1x2x5xf32> into tensor<1x3x10xf32>
  %1 = fusion.conv ins(%0, %w : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  // A dim that the insertion adds.
  %2 = tensor.insert_slice %z into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<3x5xf32> into tensor<1x3x10xf32>
  %3 = fusion.conv ins(%2, %w : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  // Channels that are cut off.
  %more = arith.constant dense<0.0> : tensor<1x4x10xf32>
  %4 = tensor.insert_slice %x into %more[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x4x10xf32>
  %5 = tensor.extract_slice %4[0, 1, 0] [1, 3, 10] [1, 1, 1] : tensor<1x4x10xf32> to tensor<1x3x10xf32>
  %6 = fusion.conv ins(%5, %w : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  // One of two images.
  %two = arith.constant dense<0.0> : tensor<2x1x3x10xf32>
  %7 = tensor.insert_slice %x into %two[0, 0, 0, 0] [1, 1, 3, 5] [1, 1, 1, 2] : tensor<1x3x5xf32> into tensor<2x1x3x10xf32>
  %8 = tensor.extract_slice %7[0, 0, 0, 0] [1, 1, 3, 10] [1, 1, 1, 1] : tensor<2x1x3x10xf32> to tensor<1x3x10xf32>
  %9 = fusion.conv ins(%8, %w : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  // Every other column.
  %10 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
  %11 = tensor.extract_slice %10[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x10xf32> to tensor<1x3x5xf32>
  %12 = fusion.conv ins(%11, %w : tensor<1x3x5xf32>, tensor<4x3x2xf32>) outs(%f : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  return %1, %3, %6, %9, %12 : tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x9xf32>, tensor<1x4x4xf32>
}

// -----

// An image without elements has none to put zeros between.
// CHECK-LABEL: func @no_elements(
// CHECK-NOT: conv_transpose
// CHECK: fusion.conv ins
func.func @no_elements(%x: tensor<1x3x0xf32>, %w: tensor<4x3x2xf32>, %e: tensor<1x4x9xf32>) -> tensor<1x4x9xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 0] [1, 1, 2] : tensor<1x3x0xf32> into tensor<1x3x10xf32>
  %1 = fusion.conv ins(%0, %w : tensor<1x3x10xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x9xf32>) -> tensor<1x4x9xf32>
  return %1 : tensor<1x4x9xf32>
}

// -----

// How much a slice cuts off is not known.
// REMARK: [Missed] raise-conv-transpose {{.*}}dynamic-shape: a size is not known
// CHECK-LABEL: func @unknown_cut(
// CHECK-NOT: conv_transpose
// CHECK: fusion.conv ins
func.func @unknown_cut(%x: tensor<1x3x5xf32>, %size: index, %w: tensor<4x3x2xf32>, %e: tensor<1x4x?xf32>) -> tensor<1x4x?xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x3x10xf32>
  %0 = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 3, 5] [1, 1, 2] : tensor<1x3x5xf32> into tensor<1x3x10xf32>
  %1 = tensor.extract_slice %0[0, 0, 0] [1, 3, %size] [1, 1, 1] : tensor<1x3x10xf32> to tensor<1x3x?xf32>
  %2 = fusion.conv ins(%1, %w : tensor<1x3x?xf32>, tensor<4x3x2xf32>) outs(%e : tensor<1x4x?xf32>) -> tensor<1x4x?xf32>
  return %2 : tensor<1x4x?xf32>
}
