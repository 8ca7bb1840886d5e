// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s --check-prefix=FMA
// RUN: mlir-fusion-opt %s --fusion-to-vector="target=x86-64-v4 prefetch=false" | FileCheck %s --check-prefix=NO-PREFETCH --implicit-check-not=memref.prefetch
// NO-PREFETCH: vector.fma

// Convolutions for AVX-512: loops, tiles, tails and the epilogue's place.

// 28 pixels are 2 tiles of 14. A filter row and its channels are one loop.
// CHECK-LABEL: func @tile(
// CHECK-SAME: %[[X:.*]]: memref<1x30x30x32xf32>, %[[W:.*]]: memref<1x3x3x32x32xf32>, %{{.*}}, %{{.*}}, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [28800], strides: [1] : memref<1x30x30x32xf32> to memref<28800xf32>
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[HI]]
// CHECK-NOT: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.for %{{.*}} = %c0 to %c96
// CHECK-NOT: memref.prefetch
// CHECK-COUNT-2: vector.load %{{.*}} : memref<9216xf32>, vector<16xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-28: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// Nothing is loaded for the epilogue before the loops have ended.
// CHECK-NOT: memref<32xf32>, vector
// CHECK: scf.yield
// CHECK: vector.load %{{.*}} : memref<32xf32>
// CHECK-COUNT-14: vector.store
// CHECK: vector.load %{{.*}} : memref<32xf32>
// CHECK-COUNT-14: vector.store
// CHECK-NOT: vector.store
// CHECK: return
func.func @tile(%x: memref<1x30x30x32xf32>, %w: memref<1x3x3x32x32xf32>, %bias: memref<32xf32>, %y: memref<1x28x28x32xf32>, %lo: index, %hi: index) {
  fusion.conv ins(%x, %w : memref<1x30x30x32xf32>, memref<1x3x3x32x32xf32>) outs(%y : memref<1x28x28x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %b = %bias[3] : memref<32xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
  } range(%lo, %hi)
  return
}

// 15 pixels are tiles of 8 and 7; without a range all units run.
// CHECK-LABEL: func @two_heights(
// CHECK: scf.for %[[U:.*]] = %c0 to %c6
// CHECK: scf.if
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: } else {
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
func.func @two_heights(%x: memref<1x5x17x32xf32>, %w: memref<1x3x3x32x32xf32>, %y: memref<1x3x15x32xf32>) {
  fusion.conv ins(%x, %w : memref<1x5x17x32xf32>, memref<1x3x3x32x32xf32>) outs(%y : memref<1x3x15x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// A pointwise convolution is one row of 4 * 7 pixels. The second panel has 18
// channels: a whole vector and two lanes.
// CHECK-LABEL: func @channel_tail(
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-28: vector.fma
// CHECK: vector.store
// CHECK-COUNT-14: vector.store {{.*}}, vector<2xf32>
// CHECK: } else {
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector<2xf32>
// CHECK: return
func.func @channel_tail(%x: memref<1x4x7x8xf32>, %w: memref<2x1x1x8x32xf32>, %y: memref<1x4x7x50xf32>) {
  fusion.conv ins(%x, %w : memref<1x4x7x8xf32>, memref<2x1x1x8x32xf32>) outs(%y : memref<1x4x7x50xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// A tile takes two rows of a narrow image; big weights are prefetched, and all
// row blocks use them before the next panel.
// CHECK-LABEL: func @narrow_image_big_weights(
// CHECK: scf.for %[[U:.*]] = %c0 to %c32
// CHECK: arith.remui %[[U]], %c4
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c1536
// CHECK-COUNT-2: memref.prefetch
// CHECK-COUNT-28: vector.fma
func.func @narrow_image_big_weights(%x: memref<1x9x9x512xf32>, %w: memref<8x3x3x512x32xf32>, %y: memref<1x7x7x256xf32>) {
  fusion.conv ins(%x, %w : memref<1x9x9x512xf32>, memref<8x3x3x512x32xf32>) outs(%y : memref<1x7x7x256xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// 1024 channels are 4 KiB: a taller tile would have its rows throw each other
// out of the cache.
// CHECK-LABEL: func @rows_4k_apart(
// CHECK-COUNT-14: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @rows_4k_apart(%x: memref<1x14x14x1024xf32>, %w: memref<1x1x1x1024x32xf32>, %y: memref<1x14x14x32xf32>) {
  fusion.conv ins(%x, %w : memref<1x14x14x1024xf32>, memref<1x1x1x1024x32xf32>) outs(%y : memref<1x14x14x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// A result that is channels-first is written far apart. The lines, one or two a
// channel, are fetched while the sums are computed.
// CHECK-LABEL: func @channels_first(
// CHECK-SAME: %[[Y:[^ ]*]]: memref<1x32x2x14xf32>
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[Y]]
// CHECK-COUNT-64: memref.prefetch %[[FLAT]]{{.*}} write, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @channels_first(%y: memref<1x32x2x14xf32>, %x: memref<1x2x14x8xf32>, %w: memref<1x1x1x8x32xf32>) {
  fusion.conv ins(%x, %w : memref<1x2x14x8xf32>, memref<1x1x1x8x32xf32>) outs(%y : memref<1x32x2x14xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_first}
  return
}

// The result is a slice of a wider buffer at an offset known at run time. The
// residual is the result's own buffer: each vector is read right before it is
// written.
// CHECK-LABEL: func @slice_in_place(
// CHECK: %[[OFFSET:.*]] = memref.extract_strided_metadata
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: vector.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: vector.store
// CHECK: vector.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: vector.store
func.func @slice_in_place(%x: memref<1x1x2x8xf32>, %w: memref<1x1x1x8x32xf32>, %y: memref<1x1x2x32xf32, strided<[128, 128, 64, 1], offset: ?>>) {
  fusion.conv ins(%x, %w : memref<1x1x2x8xf32>, memref<1x1x1x8x32xf32>) outs(%y : memref<1x1x2x32xf32, strided<[128, 128, 64, 1], offset: ?>>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %r = %y[0, 1, 2, 3] : memref<1x1x2x32xf32, strided<[128, 128, 64, 1], offset: ?>>) {
      %s = arith.addf %acc, %r : f32
      fusion.yield %s : f32
  }
  return
}

// Each group has its own panel, with 3 of 16 lanes in use.
// CHECK-LABEL: func @grouped(
// CHECK: scf.for %{{.*}} = %c0 to %c28
// CHECK: vector.store {{.*}}, vector<2xf32>
// CHECK: vector.store {{.*}}, vector<1xf32>
func.func @grouped(%x: memref<1x7x14x8xf32>, %w: memref<4x1x1x2x32xf32>, %y: memref<1x7x14x12xf32>) {
  fusion.conv ins(%x, %w : memref<1x7x14x8xf32>, memref<4x1x1x2x32xf32>) outs(%y : memref<1x7x14x12xf32>)
    {groups = 4, filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// Channels are the lanes of input and filter. 7 rows are 2 + 2 + 2 + 1; the 4 x
// 6 inputs under the windows of 2 rows of 4 pixels are loaded once, and each
// element of the filter.
// CHECK-LABEL: func @depthwise(
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8{{.*}} step %c4
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c16
// CHECK-COUNT-33: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store
// CHECK: else
// CHECK-COUNT-27: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
// CHECK: return
// FMA-LABEL: func @depthwise(
// FMA-COUNT-72: vector.fma
// FMA: vector.store
// FMA-COUNT-36: vector.fma
// FMA-NOT: vector.fma
// FMA: return
func.func @depthwise(%x: memref<1x9x10x64xf32>, %w: memref<3x3x1x64xf32>, %y: memref<1x7x8x64xf32>) {
  fusion.conv ins(%x, %w : memref<1x9x10x64xf32>, memref<3x3x1x64xf32>) outs(%y : memref<1x7x8x64xf32>)
    {groups = 64, filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
  return
}

// A long epilogue is a loop over the rows of a tile that is kept on the stack.
// CHECK-LABEL: func @long_epilogue(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<448xf32>
// CHECK: scf.for
// CHECK-COUNT-28: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c14
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @long_epilogue(%x: memref<1x4x7x8xf32>, %w: memref<1x1x1x8x32xf32>, %y: memref<1x4x7x32xf32>) {
  fusion.conv ins(%x, %w : memref<1x4x7x8xf32>, memref<1x1x1x8x32xf32>) outs(%y : memref<1x4x7x32xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32) {
      %e = math.exp %acc : f32
      fusion.yield %e : f32
  }
  return
}

// Padding is not read: the loop over a window's rows is as long as the row of
// the result lets it be; of its columns, the first does without the tile's first
// pixel and the last without the last one.
// CHECK-LABEL: func @skipped_padding(
// CHECK: %[[ROW:.*]] = arith.divui
// CHECK: %[[FROM:.*]] = arith.maxsi
// CHECK: %[[LEFT:.*]] = arith.maxsi
// CHECK: %[[TO:.*]] = arith.minsi %[[LEFT]], %c3
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-26: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-26: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @skipped_padding(%x: memref<1x9x14x8xf32>, %w: memref<2x3x3x8x32xf32>, %y: memref<1x9x14x64xf32>) {
  fusion.conv ins(%x, %w : memref<1x9x14x8xf32>, memref<2x3x3x8x32xf32>) outs(%y : memref<1x9x14x64xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// The columns of a tile inside the image are one loop with its channels.
// CHECK-LABEL: func @skipped_at_edges(
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-26: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c16
// CHECK-COUNT-28: vector.fma
// CHECK: } else {
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c24
// CHECK-COUNT-28: vector.fma
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %c16
// CHECK-COUNT-28: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK-COUNT-26: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @skipped_at_edges(%x: memref<1x9x56x8xf32>, %w: memref<2x3x3x8x32xf32>, %y: memref<1x9x56x64xf32>) {
  fusion.conv ins(%x, %w : memref<1x9x56x8xf32>, memref<2x3x3x8x32xf32>) outs(%y : memref<1x9x56x64xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}
