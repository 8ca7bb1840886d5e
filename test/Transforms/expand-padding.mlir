// RUN: mlir-fusion-opt %s -fusion-expand-padding | FileCheck %s
// RUN: mlir-fusion-opt %s -fusion-bufferize=entry=in_place | FileCheck %s --check-prefix=MEMREF

// Each padded dim is filled below and above, before the source is computed.
// CHECK-LABEL: func.func @in_place
// CHECK:       %[[E:.*]] = tensor.empty() : tensor<1x4x4x8xf32>
// CHECK:       %[[NEW:.*]] = tensor.empty() : tensor<1x6x7x8xf32>
// CHECK:       %[[TOP:.*]] = tensor.extract_slice %[[NEW]][0, 0, 0, 0] [1, 1, 7, 8]
// CHECK-NEXT:  %[[F0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[TOP]]
// CHECK-NEXT:  %[[N0:.*]] = tensor.insert_slice %[[F0]] into %[[NEW]][0, 0, 0, 0] [1, 1, 7, 8]
// CHECK:       tensor.extract_slice %[[N0]][0, 5, 0, 0] [1, 1, 7, 8]
// CHECK:       tensor.extract_slice %{{.*}}[0, 1, 4, 0] [1, 4, 3, 8]
// CHECK:       %[[BORDER:.*]] = tensor.insert_slice
// CHECK:       %[[Y:.*]] = linalg.exp {{.*}} outs(%[[E]]
// CHECK-NEXT:  tensor.insert_slice %[[Y]] into %[[BORDER]][0, 1, 0, 0] [1, 4, 4, 8]

// The whole stage: nothing is copied.
// MEMREF-LABEL: func.func @in_place
// MEMREF-SAME:    (%[[X:[^ :,)]*]]: memref<1x4x4x8xf32>, %[[OUT:[^ :,)]*]]: memref<1x6x7x8xf32>,
// MEMREF-COUNT-3: linalg.fill
// MEMREF:       %[[MIDDLE:.*]] = memref.subview %[[OUT]][0, 1, 0, 0] [1, 4, 4, 8]
// MEMREF-NEXT:  linalg.exp ins(%[[X]] {{.*}} outs(%[[MIDDLE]]
// MEMREF-NEXT:  return
func.func @in_place(%x: tensor<1x4x4x8xf32>) -> tensor<1x6x7x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %y = linalg.exp ins(%x : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %p = tensor.pad %y low[0, 1, 0, 0] high[0, 1, 3, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x8xf32> to tensor<1x6x7x8xf32>
  return %p : tensor<1x6x7x8xf32>
}

// An argument is where it is: the border is filled just before it is copied.
// CHECK-LABEL: func.func @argument
// CHECK:       linalg.fill
// CHECK:       %[[BORDER:.*]] = tensor.insert_slice
// CHECK-NEXT:  tensor.insert_slice %arg0 into %[[BORDER]][2] [4]
func.func @argument(%x: tensor<4xf32>) -> tensor<6xf32> {
  %p = tensor.pad %x low[2] high[0] {
  ^bb0(%a: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// Sizes that are known at run time only: what is computed in place is that of the init, which is known before.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    (%[[X:[^ :,)]*]]: tensor<?x?x8xf32>, %[[H:[^ :,)]*]]: index, %[[W:[^ :,)]*]]: index)
// CHECK:       %[[E:.*]] = tensor.empty(%[[H]], %[[W]]) : tensor<?x?x8xf32>
// CHECK:       %[[WIDE:.*]] = arith.addi %[[W]], %c3
// CHECK:       %[[NEW:.*]] = tensor.empty(%[[H]], %[[WIDE]]) : tensor<?x?x8xf32>
// CHECK:       %[[LEFT:.*]] = tensor.extract_slice %[[NEW]][0, 0, 0] [%[[H]], 1, 8]
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[LEFT]]
// CHECK:       %[[END:.*]] = arith.addi %[[W]], %c1
// CHECK:       tensor.extract_slice %{{.*}}[0, %[[END]], 0] [%[[H]], 2, 8]
// CHECK:       %[[BORDER:.*]] = tensor.insert_slice
// CHECK:       %[[Y:.*]] = linalg.exp {{.*}} outs(%[[E]]
// CHECK-NEXT:  tensor.insert_slice %[[Y]] into %[[BORDER]][0, 1, 0] [%[[H]], %[[W]], 8]
// CHECK:       %[[SIZE:.*]] = tensor.dim %[[X]], %c0
// CHECK:       tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?x8xf32>
// CHECK:       tensor.insert_slice %[[X]] into %{{.*}}[1, 0, 0] [%[[SIZE]],
func.func @dynamic(%x: tensor<?x?x8xf32>, %h: index, %w: index) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%h, %w) : tensor<?x?x8xf32>
  %y = linalg.exp ins(%x : tensor<?x?x8xf32>) outs(%e : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %p = tensor.pad %y low[0, 1, 0] high[0, 2, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<?x?x8xf32> to tensor<?x?x8xf32>
  %q = tensor.pad %x low[1, 0, 0] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<?x?x8xf32> to tensor<?x?x8xf32>
  return %p, %q : tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// A value may be no constant.
// CHECK-LABEL: func.func @left_alone
// CHECK: tensor.pad
func.func @left_alone(%y: tensor<4xf32>, %v: f32) -> tensor<6xf32> {
  %1 = tensor.pad %y low[1] high[1] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %1 : tensor<6xf32>
}

// What is put together only to be padded is put together inside the border, which is filled before the first part is computed.
// CHECK-LABEL: func @joined
// CHECK: linalg.fill
// CHECK: %[[N:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0] [1] [1] : tensor<1xf32> into tensor<9xf32>
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.exp ins(%[[A]]
// CHECK-NOT: into tensor<8xf32>
// CHECK: %[[I:.*]] = tensor.insert_slice %[[A]] into %[[N]][5] [4] [1] : tensor<4xf32> into tensor<9xf32>
// CHECK: %[[J:.*]] = tensor.insert_slice %[[B]] into %[[I]][1] [4] [1] : tensor<4xf32> into tensor<9xf32>
// CHECK: return %[[J]]
func.func @joined(%x: tensor<4xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %new = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %a into %new[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %b into %0[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = tensor.pad %1 low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<9xf32>
  return %2 : tensor<9xf32>
}
