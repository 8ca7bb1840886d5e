// RUN: mlir-fusion-opt %s --fusion-bufferize | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-bufferize=pad-in-place=false | FileCheck %s --check-prefix=COPY
// RUN: mlir-fusion-opt %s --fusion-bufferize=plan-memory=false | FileCheck %s --check-prefix=HEAP

// What the stage fusion-bufferize is made of: tensors are gone, results are written straight to the caller's buffers.
// CHECK-NOT:   tensor.
// CHECK:       memref.global "private" constant @[[W:.*]] : memref<8x8xf32> = dense_resource<w>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[X:[^ :,)]*]]: memref<1x8x4x4xf32>, %{{[^ :,)]*}}: memref<8x8xf32>, %[[OUT0:[^ :,)]*]]: memref<1x128xf32>, %[[OUT1:[^ :,)]*]]: memref<8x8xf32>,
// CHECK-SAME:     %[[ARENA:[^ :,)]*]]: memref<?xi8>)
// CHECK-SAME:  inputs = [tensor<1x8x4x4xf32>, tensor<8x8xf32>]
// CHECK-SAME:  outputs = [tensor<1x128xf32>, tensor<8x8xf32>]
// CHECK-NOT:   memref.alloc
// A pad is a border and, as an argument is padded here, one copy into the middle.
// CHECK:       %[[PADDED:.*]] = memref.view %[[ARENA]]
// CHECK-COUNT-4: linalg.fill
// CHECK:       %[[MIDDLE:.*]] = memref.subview %[[PADDED]][0, 0, 1, 1] [1, 8, 4, 4]
// CHECK:       memref.copy %[[X]], %[[MIDDLE]]
// COPY:        linalg.map outs(%{{.*}} : memref<1x8x6x6xf32>)
// HEAP:        workspace_size = 0 : i64
// HEAP:        %[[ALLOC:.*]] = memref.alloc() {{.*}} memref<1x8x6x6xf32>
// HEAP:        memref.dealloc %[[ALLOC]]
// The residual is in place.
// CHECK:       %[[FLAT:.*]] = memref.reinterpret_cast %[[OUT0]]
// CHECK:       fusion.pool {{.*}} outs(%[[FLAT]] :
// CHECK:       fusion.conv {{.*}} outs(%[[FLAT]] : memref<1x8x4x4xf32>)
// CHECK-SAME:    init
// CHECK:       memref.copy %{{.*}}, %[[OUT1]]
// CHECK-NEXT:  return
func.func @main(%x: tensor<1x8x4x4xf32>, %same: tensor<8x8xf32>) -> (tensor<1x128xf32>, tensor<8x8xf32>) {
  %w = arith.constant dense_resource<w> : tensor<8x8xf32>
  %f = tensor.expand_shape %w [[0], [1, 2, 3]] output_shape [8, 8, 1, 1] : tensor<8x8xf32> into tensor<8x8x1x1xf32>
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x8x4x4xf32> to tensor<1x8x6x6xf32>
  %e = tensor.empty() : tensor<1x8x4x4xf32>
  %y = fusion.pool average ins(%p : tensor<1x8x6x6xf32>) outs(%e : tensor<1x8x4x4xf32>) {window = [3, 3]} -> tensor<1x8x4x4xf32>
  %z = fusion.conv ins(%x, %f : tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) outs(%y : tensor<1x8x4x4xf32>)
    epilogue(%acc: f32, init %i: f32) {
      %0 = arith.addf %acc, %i : f32
      fusion.yield %0 : f32
  } -> tensor<1x8x4x4xf32>
  %flat = tensor.collapse_shape %z [[0], [1, 2, 3]] : tensor<1x8x4x4xf32> into tensor<1x128xf32>
  return %flat, %w : tensor<1x128xf32>, tensor<8x8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
