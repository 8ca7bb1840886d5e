// RUN: mlir-fusion-opt %s --fusion-raise | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-raise --remarks-filter=fusion --remark-policy=final -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] fold-pad {{.*}}fused: fusion.conv pads by itself

// CHECK-LABEL: func @uneven(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x5x6xf32>
// CHECK-NOT: tensor.pad
// CHECK: fusion.conv ins(%[[X]], {{.*}}) outs({{.*}}) {pad_high = [0, 3], pad_low = [2, 1]} -> tensor<1x8x5x8xf32>
func.func @uneven(%x: tensor<1x4x5x6xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x8x5x8xf32>) -> tensor<1x8x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 1] high[0, 0, 0, 3] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x5x6xf32> to tensor<1x4x7x10xf32>
  %y = fusion.conv ins(%p, %w : tensor<1x4x7x10xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x5x8xf32>) -> tensor<1x8x5x8xf32>
  return %y : tensor<1x8x5x8xf32>
}

// Two pads and the root's own add up; a sum cannot tell -0 from +0.
// CHECK-LABEL: func @twice(
// CHECK-SAME: %[[X:.*]]: tensor<1x?x5x4xf32>
// CHECK: fusion.conv ins(%[[X]], {{.*}}) outs({{.*}}) {input_layout = channels_last, output_layout = channels_last, pad_high = [1, 1], pad_low = [1, 3]}
func.func @twice(%x: tensor<1x?x5x4xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x?x7x8xf32>) -> tensor<1x?x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 0] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x?x5x4xf32> to tensor<1x?x7x4xf32>
  %q = tensor.pad %p low[0, 1, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %negative : f32
  } : tensor<1x?x7x4xf32> to tensor<1x?x8x4xf32>
  %y = fusion.conv ins(%q, %w : tensor<1x?x8x4xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x?x7x8xf32>)
    {input_layout = channels_last, output_layout = channels_last, pad_low = [0, 1]} -> tensor<1x?x7x8xf32>
  return %y : tensor<1x?x7x8xf32>
}

// CHECK-LABEL: func @max_by_lowest(
// CHECK-NOT: tensor.pad
// CHECK: fusion.pool max ins({{.*}} : tensor<1x8x7x7xf32>) outs({{.*}}) {pad_high = [1, 1], pad_low = [1, 1], window = [3, 3]}
func.func @max_by_lowest(%x: tensor<1x8x7x7xf32>, %e: tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32> {
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<1x8x7x7xf32> to tensor<1x8x9x9xf32>
  %y = fusion.pool max ins(%p : tensor<1x8x9x9xf32>) outs(%e : tensor<1x8x7x7xf32>) {window = [3, 3]} -> tensor<1x8x7x7xf32>
  return %y : tensor<1x8x7x7xf32>
}

// A zero border wins a window of negative elements.
// REMARK-DAG: [Missed] fold-pad {{.*}}pad-not-neutral: the pad's value is not the one that the root reads outside its image
// CHECK-LABEL: func @max_by_zero(
// CHECK: tensor.pad
func.func @max_by_zero(%x: tensor<1x8x7x7xf32>, %e: tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x7x7xf32> to tensor<1x8x9x9xf32>
  %y = fusion.pool max ins(%p : tensor<1x8x9x9xf32>) outs(%e : tensor<1x8x7x7xf32>) {window = [3, 3]} -> tensor<1x8x7x7xf32>
  return %y : tensor<1x8x7x7xf32>
}

// Channels that the filter multiplies are no padding.
// REMARK-DAG: [Missed] fold-pad {{.*}}pad-not-neutral: the pad adds channels or images
// CHECK-LABEL: func @more_channels(
// CHECK: tensor.pad
func.func @more_channels(%x: tensor<1x3x6x6xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x6x6xf32> to tensor<1x4x6x6xf32>
  %y = fusion.conv ins(%p, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}

// A root's padding never crops.
// REMARK-DAG: [Missed] fold-pad {{.*}}pad-not-neutral: the pad takes elements away
// CHECK-LABEL: func @cropped(
// CHECK: tensor.pad
func.func @cropped(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, -1, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x6x6xf32> to tensor<1x4x6x6xf32>
  %y = fusion.conv ins(%p, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}

// How much a root pads is an attribute.
// REMARK-DAG: [Missed] fold-pad {{.*}}dynamic-shape: the size of the pad is not known
// CHECK-LABEL: func @unknown_amount(
// CHECK: tensor.pad
func.func @unknown_amount(%x: tensor<1x4x?x6xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x8x?x4xf32>, %n: index) -> tensor<1x8x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, %n, 0] high[0, 0, %n, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x?x6xf32> to tensor<1x4x?x6xf32>
  %y = fusion.conv ins(%p, %w : tensor<1x4x?x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x?x4xf32>) -> tensor<1x8x?x4xf32>
  return %y : tensor<1x8x?x4xf32>
}

// An average that does not count padding counts the elements of an explicit pad.
// REMARK-DAG: [Missed] fold-pad {{.*}}pad-not-neutral: the root counts its own padding in another way
// CHECK-LABEL: func @average(
// CHECK: tensor.pad
func.func @average(%x: tensor<1x8x7x7xf32>, %e: tensor<1x8x7x7xf32>) -> tensor<1x8x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x7x7xf32> to tensor<1x8x9x9xf32>
  %y = fusion.pool average ins(%p : tensor<1x8x9x9xf32>) outs(%e : tensor<1x8x7x7xf32>) {window = [3, 3]} -> tensor<1x8x7x7xf32>
  return %y : tensor<1x8x7x7xf32>
}

// REMARK-DAG: [Missed] fold-pad {{.*}}pad-not-neutral: the pad asks not to be folded
// CHECK-LABEL: func @nofold(
// CHECK: tensor.pad
func.func @nofold(%x: tensor<1x4x4x4xf32>, %w: tensor<8x4x3x3xf32>, %e: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x nofold low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x4xf32> to tensor<1x4x6x6xf32>
  %y = fusion.conv ins(%p, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%e : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}
