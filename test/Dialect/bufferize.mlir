// RUN: mlir-fusion-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

// CHECK-LABEL: func @destination(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<8x2xf32>, %[[B:.*]]: memref<2xf32>
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}}: memref<4x2xf32>
// CHECK: fusion.matmul ins(%[[X]], %[[W]] : memref<4x8xf32>, memref<8x2xf32>) outs(%[[Y]] : memref<4x2xf32>) epilogue(%{{.*}}: f32, %{{.*}} = %[[B]][1] : memref<2xf32>) {
// CHECK: return %[[Y]]
func.func @destination(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) epilogue(%acc: f32, %v = %b[1] : tensor<2xf32>) {
    %s = arith.addf %acc, %v : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The residual is the destination, and is read through the init.
// CHECK-LABEL: func @residual_as_init(
// CHECK: %[[R:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: fusion.matmul ins({{.*}}) outs(%[[R]] : memref<4x2xf32>) epilogue(%{{.*}}: f32, init %{{.*}}: f32)
func.func @residual_as_init(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x2xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%r : tensor<4x2xf32>) epilogue(%acc: f32, init %d: f32) {
    %s = arith.addf %acc, %d : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// An operand that is read element by element may be the destination's own buffer.
// CHECK-LABEL: func @residual_as_operand(
// CHECK: %[[R:.*]] = memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: fusion.matmul ins({{.*}}) outs(%[[R]] : memref<4x2xf32>) epilogue(%{{.*}}: f32, %{{.*}} = %[[R]][0, 1] : memref<4x2xf32>)
func.func @residual_as_operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x2xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%r : tensor<4x2xf32>) epilogue(%acc: f32, %d = %r[0, 1] : tensor<4x2xf32>) {
    %s = arith.addf %acc, %d : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A residual that is read later is copied first.
// CHECK-LABEL: func @residual_read_later(
// CHECK: %[[R:.*]] = memref.alloc
// CHECK: %[[C:.*]] = memref.alloc
// CHECK: memref.copy %[[R]], %[[C]]
// CHECK: fusion.matmul ins({{.*}}) outs(%[[C]] : memref<4x2xf32>) epilogue(%{{.*}}: f32, init %{{.*}}: f32)
// CHECK: return %[[R]], %[[C]]
func.func @residual_read_later(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %e = bufferization.alloc_tensor() : tensor<4x2xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%r : tensor<4x2xf32>) epilogue(%acc: f32, init %d: f32) {
    %s = arith.addf %acc, %d : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return %r, %0 : tensor<4x2xf32>, tensor<4x2xf32>
}

// A destination that the epilogue does not read needs no copy, also if it is read later.
// CHECK-LABEL: func @destination_read_later(
// CHECK: memref.alloc
// CHECK: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @destination_read_later(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %e = bufferization.alloc_tensor() : tensor<4x2xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%r : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r, %0 : tensor<4x2xf32>, tensor<4x2xf32>
}

// The root's own input is read many times: its buffer is never the destination.
// CHECK-LABEL: func @input_as_init(
// CHECK: %[[I:.*]] = memref.alloc
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK: fusion.matmul ins(%[[I]], %{{.*}}) outs(%[[Y]] : memref<4x4xf32>)
func.func @input_as_init(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x4xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%r, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%r : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// An operand along one dim is read for many elements: the same.
// CHECK-LABEL: func @transposed_operand_as_init(
// CHECK: %[[R:.*]] = memref.alloc
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK: fusion.matmul ins({{.*}}) outs(%[[Y]] : memref<4x4xf32>) epilogue(%{{.*}}: f32, %{{.*}} = %[[R]][1, 0] : memref<4x4xf32>)
func.func @transposed_operand_as_init(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x4xf32>
  %r = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%r : tensor<4x4xf32>) epilogue(%acc: f32, %d = %r[1, 0] : tensor<4x4xf32>) {
    %s = arith.addf %acc, %d : f32
    fusion.yield %s : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A read-only argument is not written.
// CHECK-LABEL: func @argument_as_init(
// CHECK-SAME: %[[I:[^ ]*]]: memref<4x2xf32>
// CHECK: %[[Y:.*]] = memref.alloc
// CHECK: memref.copy %[[I]], %[[Y]]
// CHECK: fusion.matmul ins({{.*}}) outs(%[[Y]] : memref<4x2xf32>) epilogue(%{{.*}}: f32, init %{{.*}}: f32)
func.func @argument_as_init(%i: tensor<4x2xf32> {bufferization.writable = false}, %x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, init %d: f32) {
    %s = arith.addf %acc, %d : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Scalars stay as they are; attributes too.
// CHECK-LABEL: func @conv_and_pool(
// CHECK: fusion.conv ins({{.*}} : memref<1x6x6x4xf32>, memref<3x3x4x8xf32>) outs({{.*}} : memref<1x6x6x8xf32>) {filter_layout = spatial_in_out, input_layout = channels_last, output_layout = channels_last, pad_high = [1, 1], pad_low = [1, 1], tag = "kept"} epilogue(%{{.*}}: f32, %{{.*}} = %{{.*}} : f32)
// CHECK: fusion.pool average ins({{.*}} : memref<1x6x6x8xf32>) outs({{.*}} : memref<1x3x3x8xf32>) {layout = channels_last, strides = [2, 2], window = [2, 2]}
func.func @conv_and_pool(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x8xf32>, %a: f32) -> tensor<1x3x3x8xf32> {
  %e = bufferization.alloc_tensor() : tensor<1x6x6x8xf32>
  %0 = fusion.conv ins(%x, %w : tensor<1x6x6x4xf32>, tensor<3x3x4x8xf32>) outs(%e : tensor<1x6x6x8xf32>)
    {pad_low = [1, 1], pad_high = [1, 1], input_layout = channels_last, output_layout = channels_last, filter_layout = spatial_in_out, tag = "kept"}
    epilogue(%acc: f32, %s = %a : f32) {
      %t = arith.mulf %acc, %s : f32
      fusion.yield %t : f32
  } -> tensor<1x6x6x8xf32>
  %f = bufferization.alloc_tensor() : tensor<1x3x3x8xf32>
  %1 = fusion.pool average ins(%0 : tensor<1x6x6x8xf32>) outs(%f : tensor<1x3x3x8xf32>)
    {layout = channels_last, window = [2, 2], strides = [2, 2]} -> tensor<1x3x3x8xf32>
  return %1 : tensor<1x3x3x8xf32>
}

// No kernel walks every other column: it works on copies.
// CHECK-LABEL: func @strided(
// CHECK-SAME: %[[X:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<8x4xf32>
// CHECK: %[[W2:.*]] = memref.subview %[[W]]
// CHECK: %[[D:.*]] = memref.subview %{{.*}}[0, 1] [4, 2] [1, 2]
// CHECK: memref.copy %[[W2]], %[[WC:.*]] :
// CHECK: %[[DC:.*]] = memref.alloc() {{.*}}: memref<4x2xf32>
// CHECK-NOT: memref.copy
// CHECK: fusion.matmul ins(%[[X]], %[[WC]] : memref<4x8xf32>, memref<8x2xf32>) outs(%[[DC]] : memref<4x2xf32>)
// CHECK: memref.copy %[[DC]], %[[D]]
func.func @strided(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = bufferization.alloc_tensor() : tensor<4x4xf32>
  %columns = tensor.extract_slice %w[0, 0] [8, 2] [1, 2] : tensor<8x4xf32> to tensor<8x2xf32>
  %d = tensor.extract_slice %e[0, 1] [4, 2] [1, 2] : tensor<4x4xf32> to tensor<4x2xf32>
  %0 = fusion.matmul ins(%x, %columns : tensor<4x8xf32>, tensor<8x2xf32>) outs(%d : tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = tensor.insert_slice %0 into %e[0, 1] [4, 2] [1, 2] : tensor<4x2xf32> into tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// What is read and what is written are parts of one tensor, apart from each other.
// CHECK-LABEL: func @apart(
// CHECK: %[[J:.*]] = memref.alloc() {{.*}} : memref<2x6xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[A:.*]] = memref.subview %[[J]][0, 3] [2, 3]
// CHECK-NOT: memref.alloc
// CHECK: fusion.matmul {{.*}} outs(%[[A]]
// CHECK-NOT: memref.alloc
// CHECK: %[[B:.*]] = memref.subview %[[J]][0, 0] [2, 3]
// CHECK: fusion.matmul ins(%[[A]], {{.*}} outs(%[[B]]
// CHECK: return %[[J]]
func.func @apart(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x6xf32> {
  %joined = bufferization.alloc_tensor() : tensor<2x6xf32>
  %ea = tensor.extract_slice %joined[0, 3] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
  %a = fusion.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x3xf32>) outs(%ea : tensor<2x3xf32>) -> tensor<2x3xf32>
  %ja = tensor.insert_slice %a into %joined[0, 3] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x6xf32>
  %eb = tensor.extract_slice %ja[0, 0] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
  %b = fusion.matmul ins(%a, %w : tensor<2x3xf32>, tensor<3x3xf32>) outs(%eb : tensor<2x3xf32>) -> tensor<2x3xf32>
  %jb = tensor.insert_slice %b into %ja[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x6xf32>
  return %jb : tensor<2x6xf32>
}

// Where they share a column, the first product needs a place of its own.
// CHECK-LABEL: func @overlapping(
// CHECK: memref.alloc() {{.*}} : memref<2x6xf32>
// CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<2x3xf32>
// CHECK: fusion.matmul {{.*}} outs(%[[A]]
// CHECK: fusion.matmul ins(%[[A]],
func.func @overlapping(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x6xf32> {
  %joined = bufferization.alloc_tensor() : tensor<2x6xf32>
  %ea = tensor.extract_slice %joined[0, 2] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
  %a = fusion.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x3xf32>) outs(%ea : tensor<2x3xf32>) -> tensor<2x3xf32>
  %ja = tensor.insert_slice %a into %joined[0, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x6xf32>
  %eb = tensor.extract_slice %ja[0, 0] [2, 3] [1, 1] : tensor<2x6xf32> to tensor<2x3xf32>
  %b = fusion.matmul ins(%a, %w : tensor<2x3xf32>, tensor<3x3xf32>) outs(%eb : tensor<2x3xf32>) -> tensor<2x3xf32>
  %jb = tensor.insert_slice %b into %ja[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x6xf32>
  return %jb : tensor<2x6xf32>
}
