// RUN: mlir-fusion-opt %s --fusion-assign-layout | FileCheck %s

// Kernels at a network's border read and write the other order themselves: a
// pointwise convolution both, a 3 x 3 one writes it. What a residual is read
// as goes with the result.
// CHECK-LABEL: func @pointwise(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x5x7xf32>, %[[W:.*]]: tensor<1x1x8x16xf32>, %[[R:.*]]: tensor<1x16x5x7xf32>, %[[B:.*]]: tensor<16xf32>
// CHECK-NOT: linalg.transpose
// CHECK: fusion.conv ins(%[[X]], %[[W]] :
// CHECK-SAME: outs(%{{.*}} : tensor<1x16x5x7xf32>) {filter_layout = spatial_in_out}
// CHECK-SAME: %{{.*}} = %[[R]][0, 1, 2, 3] : tensor<1x16x5x7xf32>, %{{.*}} = %[[B]][1] : tensor<16xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @pointwise(%x: tensor<1x8x5x7xf32>, %w: tensor<1x1x8x16xf32>, %r: tensor<1x16x5x7xf32>, %b: tensor<16xf32>) -> tensor<1x16x5x7xf32> {
  %e = tensor.empty() : tensor<1x16x5x7xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x5x7xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x16x5x7xf32>) {filter_layout = spatial_in_out}
    epilogue(%acc: f32, %p = %r[0, 1, 2, 3] : tensor<1x16x5x7xf32>, %q = %b[1] : tensor<16xf32>) {
      %s = arith.addf %acc, %p : f32
      %t = arith.addf %s, %q : f32
      fusion.yield %t : f32
  } -> tensor<1x16x5x7xf32>
  return %y : tensor<1x16x5x7xf32>
}

// CHECK-LABEL: func @window(
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: fusion.conv
// CHECK-SAME: outs(%{{.*}} : tensor<1x16x3x5xf32>) {filter_layout = spatial_in_out, input_layout = channels_last}
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @window(%x: tensor<1x8x5x7xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x16x3x5xf32> {
  %e = tensor.empty() : tensor<1x16x3x5xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x5x7xf32>, tensor<3x3x8x16xf32>) outs(%e : tensor<1x16x3x5xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x3x5xf32>
  return %y : tensor<1x16x3x5xf32>
}

// Channels 4 KiB apart would share a set of the cache, and a result with two
// readers is needed in both orders.
// CHECK-LABEL: func @not_at_border(
// CHECK: linalg.transpose
// CHECK: fusion.conv
// CHECK-SAME: {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
// CHECK: linalg.transpose
// CHECK: return
func.func @not_at_border(%x: tensor<1x8x32x32xf32>, %w: tensor<1x1x8x16xf32>) -> (tensor<1x16x32x32xf32>, tensor<1x16x30x30xf32>) {
  %v = arith.constant dense<1.0> : tensor<3x3x16x16xf32>
  %e = tensor.empty() : tensor<1x16x32x32xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x32x32xf32>, tensor<1x1x8x16xf32>) outs(%e : tensor<1x16x32x32xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x32x32xf32>
  %f = tensor.empty() : tensor<1x16x30x30xf32>
  %z = fusion.conv ins(%y, %v : tensor<1x16x32x32xf32>, tensor<3x3x16x16xf32>) outs(%f : tensor<1x16x30x30xf32>) {filter_layout = spatial_in_out} -> tensor<1x16x30x30xf32>
  return %y, %z : tensor<1x16x32x32xf32>, tensor<1x16x30x30xf32>
}

// A depthwise convolution between channels-first images goes through one plane
// after the other; its kernel pads, and reads its filter as it is.
// CHECK-LABEL: func @depthwise(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x9x20xf32>, %[[W:.*]]: tensor<8x1x3x3xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: fusion.conv ins(%[[X]], %{{[^ ]*}} : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>) outs(%{{[^ ]*}} : tensor<1x8x9x20xf32>)
// CHECK-SAME: {groups = 8 : i64, pad_high = [1, 1], pad_low = [1, 1]}
// CHECK-SAME: %{{.*}} = %[[B]][1] : tensor<8xf32>, %{{.*}} = %[[X]][0, 1, 2, 3] : tensor<1x8x9x20xf32>
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @depthwise(%x: tensor<1x8x9x20xf32>, %w: tensor<8x1x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x9x20xf32> {
  %v = arith.constant dense<1.0> : tensor<8x1x3x3xf32>
  %e = tensor.empty() : tensor<1x8x9x20xf32>
  %y = fusion.conv ins(%x, %v : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>) outs(%e : tensor<1x8x9x20xf32>) {groups = 8, pad_low = [1, 1], pad_high = [1, 1]}
    epilogue(%acc: f32, %p = %b[1] : tensor<8xf32>, %r = %x[0, 1, 2, 3] : tensor<1x8x9x20xf32>) {
      %s = arith.addf %acc, %p : f32
      %t = arith.addf %s, %r : f32
      fusion.yield %t : f32
  } -> tensor<1x8x9x20xf32>
  return %y : tensor<1x8x9x20xf32>
}

// CHECK-LABEL: func @depthwise_line(
// CHECK-NOT: linalg.transpose ins(%{{.*}} : tensor<?x8x40xf32>)
// CHECK: fusion.conv ins(%{{.*}} : tensor<?x8x40xf32>, {{.*}} outs(%{{.*}} : tensor<?x8x19xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @depthwise_line(%x: tensor<?x8x40xf32>, %e: tensor<?x8x19xf32>) -> tensor<?x8x19xf32> {
  %w = arith.constant dense<1.0> : tensor<8x1x3xf32>
  %y = fusion.conv ins(%x, %w : tensor<?x8x40xf32>, tensor<8x1x3xf32>) outs(%e : tensor<?x8x19xf32>) {groups = 8, strides = [2]} -> tensor<?x8x19xf32>
  return %y : tensor<?x8x19xf32>
}

// Not where vectors would be half empty, the width is not known, or a window
// spans too many elements; nor a grouped convolution of more than one channel.
// CHECK-LABEL: func @not_by_planes(
// CHECK-COUNT-5: fusion.conv {{.*}}input_layout = channels_last
// CHECK: return
func.func @not_by_planes(%x: tensor<1x8x9x6xf32>, %y: tensor<1x8x9x?xf32>, %z: tensor<1x8x900x300xf32>, %d: tensor<1x8x9x?xf32>, %v: tensor<1x4x9x20xf32>, %s: tensor<1x2x1x100xf32>)
    -> (tensor<1x8x9x6xf32>, tensor<1x8x9x?xf32>, tensor<1x8x500x300xf32>, tensor<1x8x9x20xf32>, tensor<1x2x1x20xf32>) {
  %w = arith.constant dense<1.0> : tensor<8x1x3x3xf32>
  %u = arith.constant dense<1.0> : tensor<8x1x3x1xf32>
  %t = arith.constant dense<1.0> : tensor<2x1x1x1xf32>
  %a = tensor.empty() : tensor<1x8x9x6xf32>
  %b = tensor.empty() : tensor<1x8x500x300xf32>
  %c = tensor.empty() : tensor<1x8x9x20xf32>
  %e = tensor.empty() : tensor<1x2x1x20xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x8x9x6xf32>, tensor<8x1x3x3xf32>) outs(%a : tensor<1x8x9x6xf32>) {groups = 8, pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x9x6xf32>
  %1 = fusion.conv ins(%y, %w : tensor<1x8x9x?xf32>, tensor<8x1x3x3xf32>) outs(%d : tensor<1x8x9x?xf32>) {groups = 8, pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x9x?xf32>
  %2 = fusion.conv ins(%z, %u : tensor<1x8x900x300xf32>, tensor<8x1x3x1xf32>) outs(%b : tensor<1x8x500x300xf32>) {groups = 8, dilations = [200, 1]} -> tensor<1x8x500x300xf32>
  %3 = fusion.conv ins(%v, %w : tensor<1x4x9x20xf32>, tensor<8x1x3x3xf32>) outs(%c : tensor<1x8x9x20xf32>) {groups = 4, pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x9x20xf32>
  %4 = fusion.conv ins(%s, %t : tensor<1x2x1x100xf32>, tensor<2x1x1x1xf32>) outs(%e : tensor<1x2x1x20xf32>) {groups = 2, strides = [1, 5]} -> tensor<1x2x1x20xf32>
  return %0, %1, %2, %3, %4 : tensor<1x8x9x6xf32>, tensor<1x8x9x?xf32>, tensor<1x8x500x300xf32>, tensor<1x8x9x20xf32>, tensor<1x2x1x20xf32>
}

// Nor where the input is also read channels-last, the result is, or an epilogue
// operand is so; nor windows of more elements than a kernel unrolls.
// CHECK-LABEL: func @not_only_by_planes(
// CHECK-COUNT-4: fusion.conv {{.*}}input_layout = channels_last
// CHECK: return
func.func @not_only_by_planes(%x: tensor<1x8x9x20xf32>, %r: tensor<1x9x20x8xf32>, %z: tensor<1x8x9x90xf32>)
    -> (tensor<1x9x20x8xf32>, tensor<1x8x9x20xf32>, tensor<1x9x20x8xf32>, tensor<1x8x9x20xf32>, tensor<1x8x9x20xf32>, tensor<1x8x9x26xf32>) {
  %w = arith.constant dense<1.0> : tensor<8x1x3x3xf32>
  %v = arith.constant dense<1.0> : tensor<8x1x1x65xf32>
  %last = tensor.empty() : tensor<1x9x20x8xf32>
  %first = tensor.empty() : tensor<1x8x9x20xf32>
  %wide = tensor.empty() : tensor<1x8x9x26xf32>
  // The input's other reader.
  %0 = linalg.transpose ins(%x : tensor<1x8x9x20xf32>) outs(%last : tensor<1x9x20x8xf32>) permutation = [0, 2, 3, 1]
  %1 = fusion.conv ins(%0, %w : tensor<1x9x20x8xf32>, tensor<8x1x3x3xf32>) outs(%last : tensor<1x9x20x8xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1], input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x20x8xf32>
  %2 = linalg.transpose ins(%1 : tensor<1x9x20x8xf32>) outs(%first : tensor<1x8x9x20xf32>) permutation = [0, 3, 1, 2]
  // The result's.
  %3 = linalg.transpose ins(%x : tensor<1x8x9x20xf32>) outs(%last : tensor<1x9x20x8xf32>) permutation = [0, 2, 3, 1]
  %4 = fusion.conv ins(%3, %w : tensor<1x9x20x8xf32>, tensor<8x1x3x3xf32>) outs(%last : tensor<1x9x20x8xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1], input_layout = channels_last, output_layout = channels_last} -> tensor<1x9x20x8xf32>
  %5 = linalg.transpose ins(%4 : tensor<1x9x20x8xf32>) outs(%first : tensor<1x8x9x20xf32>) permutation = [0, 3, 1, 2]
  // A residual as it comes.
  %6 = linalg.transpose ins(%x : tensor<1x8x9x20xf32>) outs(%last : tensor<1x9x20x8xf32>) permutation = [0, 2, 3, 1]
  %7 = fusion.conv ins(%6, %w : tensor<1x9x20x8xf32>, tensor<8x1x3x3xf32>) outs(%last : tensor<1x9x20x8xf32>)
    {groups = 8, pad_low = [1, 1], pad_high = [1, 1], input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %in = %r[0, 1, 2, 3] : tensor<1x9x20x8xf32>) {
      %s = arith.addf %acc, %in : f32
      fusion.yield %s : f32
  } -> tensor<1x9x20x8xf32>
  %8 = linalg.transpose ins(%7 : tensor<1x9x20x8xf32>) outs(%first : tensor<1x8x9x20xf32>) permutation = [0, 3, 1, 2]
  %9 = fusion.conv ins(%z, %v : tensor<1x8x9x90xf32>, tensor<8x1x1x65xf32>) outs(%wide : tensor<1x8x9x26xf32>) {groups = 8} -> tensor<1x8x9x26xf32>
  return %0, %2, %4, %5, %8, %9 : tensor<1x9x20x8xf32>, tensor<1x8x9x20xf32>, tensor<1x9x20x8xf32>, tensor<1x8x9x20xf32>, tensor<1x8x9x20xf32>, tensor<1x8x9x26xf32>
}

// What is channels-last on one side stays so on the other.
// CHECK-LABEL: func @one_side(
// CHECK: fusion.conv {{.*}} {groups = 8 : i64, input_layout = channels_last, output_layout = channels_last
// CHECK: fusion.conv {{.*}}input_layout = channels_last
func.func @one_side(%x: tensor<1x8x9x20xf32>) -> tensor<1x16x7x18xf32> {
  %w = arith.constant dense<1.0> : tensor<8x1x3x3xf32>
  %v = arith.constant dense<1.0> : tensor<16x8x1x1xf32>
  %e = tensor.empty() : tensor<1x8x7x18xf32>
  %f = tensor.empty() : tensor<1x16x7x18xf32>
  %y = fusion.conv ins(%x, %w : tensor<1x8x9x20xf32>, tensor<8x1x3x3xf32>) outs(%e : tensor<1x8x7x18xf32>) {groups = 8} -> tensor<1x8x7x18xf32>
  %z = fusion.conv ins(%y, %v : tensor<1x8x7x18xf32>, tensor<16x8x1x1xf32>) outs(%f : tensor<1x16x7x18xf32>) -> tensor<1x16x7x18xf32>
  return %z : tensor<1x16x7x18xf32>
}
