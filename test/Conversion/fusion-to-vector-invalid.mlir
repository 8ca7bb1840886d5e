// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v3 -split-input-file -verify-diagnostics

// What has no kernel is an error here: the plan should have decomposed it.

func.func @transposed(%x: memref<4x8xf32>, %w: memref<16x8xf32>, %y: memref<4x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the rhs is transposed and not constant}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<16x8xf32>) outs(%y : memref<4x16xf32>) {transpose_rhs}
  return
}

// -----

func.func @half(%x: memref<4x8xf16>, %w: memref<8x16xf16>, %y: memref<4x16xf16>) {
  // expected-error@+1 {{expected a root that has a kernel: unsupported-type: the kernel sums in f32, f64, i32 and i64 only}}
  fusion.matmul ins(%x, %w : memref<4x8xf16>, memref<8x16xf16>) outs(%y : memref<4x16xf16>)
  return
}

// -----

func.func @padding_of_unknown_width(%x: memref<1x4x?x8xf32>, %w: memref<1x3x3x8x16xf32>, %y: memref<1x4x?x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the convolution's padding is not explicit}}
  fusion.conv ins(%x, %w : memref<1x4x?x8xf32>, memref<1x3x3x8x16xf32>) outs(%y : memref<1x4x?x16xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// -----

func.func @padding_of_unknown_height_in_a_tile(%x: memref<1x?x2x8xf32>, %w: memref<1x3x3x8x16xf32>, %y: memref<1x?x2x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the convolution's padding is not explicit}}
  fusion.conv ins(%x, %w : memref<1x?x2x8xf32>, memref<1x3x3x8x16xf32>) outs(%y : memref<1x?x2x16xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// -----

func.func @padding_of_a_large_depthwise_window(%x: memref<1x12x12x8xf32>, %w: memref<9x9x1x8xf32>, %y: memref<1x12x12x8xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the convolution's padding is not explicit}}
  fusion.conv ins(%x, %w : memref<1x12x12x8xf32>, memref<9x9x1x8xf32>) outs(%y : memref<1x12x12x8xf32>)
    {groups = 8, pad_low = [4, 4], pad_high = [4, 4], filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last}
  return
}

// -----

// Each edge would have 15 pieces of code.
func.func @padding_of_a_long_window(%x: memref<1x4x64x8xf32>, %w: memref<1x1x31x8x16xf32>, %y: memref<1x4x64x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the convolution's padding is not explicit}}
  fusion.conv ins(%x, %w : memref<1x4x64x8xf32>, memref<1x1x31x8x16xf32>) outs(%y : memref<1x4x64x16xf32>)
    {pad_low = [0, 15], pad_high = [0, 15], filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// -----

func.func @conv_channels(%x: memref<1x4x4x?xf32>, %w: memref<1x3x3x8x16xf32>, %y: memref<1x2x2x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: dynamic-shape: the convolution's channels or filter are not known}}
  fusion.conv ins(%x, %w : memref<1x4x4x?xf32>, memref<1x3x3x8x16xf32>) outs(%y : memref<1x2x2x16xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
  return
}

// -----

func.func @pool_channels(%x: memref<1x4x4x?xf32>, %y: memref<1x2x2x?xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: dynamic-shape: the pool's channels are not known}}
  fusion.pool max ins(%x : memref<1x4x4x?xf32>) outs(%y : memref<1x2x2x?xf32>) {window = [3, 3], layout = channels_last}
  return
}

// -----

func.func @packed_columns(%x: memref<4x8xf32>, %w: memref<?x8x16xf32>, %y: memref<4x?xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: dynamic-shape: the packed rhs is not known}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<?x8x16xf32>) outs(%y : memref<4x?xf32>) {rhs_layout = packed}
  return
}

// -----

// -----

// Lanes beyond the last channel would divide by zero.
func.func @may_trap(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %d: memref<16xf32>, %y: memref<4x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the epilogue has an op that may trap}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x16xf32>) outs(%y : memref<4x16xf32>)
    epilogue(%acc: f32, %by = %d[1] : memref<16xf32>) {
      %0 = arith.fptosi %acc : f32 to i32
      %1 = arith.fptosi %by : f32 to i32
      %2 = arith.divsi %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      fusion.yield %3 : f32
  }
  return
}

// -----

func.func @gaps(%x: memref<4x8xf32>, %w: memref<1x8x16xf32, strided<[256, 32, 1]>>, %y: memref<4x16xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the packed weights have gaps}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<1x8x16xf32, strided<[256, 32, 1]>>) outs(%y : memref<4x16xf32>) {rhs_layout = packed}
  return
}

// -----

func.func @planes_of_strided_rows(%x: memref<1x8x9x20xf32, strided<[2880, 360, 40, 2]>>, %w: memref<8x1x3x3xf32>, %y: memref<1x8x7x18xf32>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: the input has strided rows}}
  fusion.conv ins(%x, %w : memref<1x8x9x20xf32, strided<[2880, 360, 40, 2]>>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x7x18xf32>) {groups = 8}
  return
}

// -----

func.func @planes_into_strided_rows(%x: memref<1x8x9x20xf32>, %w: memref<8x1x3x3xf32>, %y: memref<1x8x7x18xf32, strided<[1008, 126, 1, 7]>>) {
  // expected-error@+1 {{expected a root that has a kernel: no-kernel: a row of the result has gaps}}
  fusion.conv ins(%x, %w : memref<1x8x9x20xf32>, memref<8x1x3x3xf32>) outs(%y : memref<1x8x7x18xf32, strided<[1008, 126, 1, 7]>>) {groups = 8}
  return
}
