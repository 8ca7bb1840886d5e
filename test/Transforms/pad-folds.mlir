// Pads that upstream would fold as if they took no elements away say that they stay; pads of nothing go.
// RUN: mlir-fusion-opt %s --fusion-verify-stage=stage=fuse | FileCheck %s --check-prefixes=CHECK,MARKED
// RUN: mlir-fusion-opt %s --fusion-canonicalize | FileCheck %s --check-prefixes=CHECK,FOLDED

// CHECK-LABEL: func @shift(
// CHECK: tensor.pad %{{.*}} nofold low[-1] high[1]
func.func @shift(%x: tensor<8xf32>, %v: f32) -> tensor<8xf32> {
  %r = tensor.pad %x low[-1] high[1] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func @two(
// CHECK: tensor.pad %{{.*}} nofold low[-2] high[0]
// CHECK: tensor.pad %{{.*}} low[2] high[0]
func.func @two(%x: tensor<?xf32>, %v: f32) -> tensor<?xf32> {
  %p = tensor.pad %x low[-2] high[0] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = tensor.pad %p low[2] high[0] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// What is not known may take elements away where the size stays.
// CHECK-LABEL: func @unknown(
// CHECK: tensor.pad %{{.*}} nofold low[%{{.*}}] high[%{{.*}}]
// CHECK: tensor.pad %{{.*}} low[%{{.*}}] high[%{{.*}}]
func.func @unknown(%x: tensor<8xf32>, %n: index, %v: f32) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = tensor.pad %x low[%n] high[%n] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<8xf32>
  %1 = tensor.pad %x low[%n] high[%n] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<?xf32>
  return %0, %1 : tensor<8xf32>, tensor<?xf32>
}

// Of which upstream's patterns make a pad of the source's type.
// CHECK-LABEL: func @late(
// MARKED: tensor.pad %{{.*}} low[%{{.*}}] high[1]
// FOLDED: tensor.pad %{{.*}} nofold low[-1] high[1] {
// FOLDED: tensor<8xf32> to tensor<8xf32>
func.func @late(%x: tensor<8xf32>, %v: f32) -> tensor<?xf32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %less = arith.subi %c3, %c4 : index
  %r = tensor.pad %x low[%less] high[1] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func @nothing(
// MARKED: tensor.pad %{{.*}} low[0] high[0]
// MARKED: tensor.pad %{{.*}} nofold low[%{{.*}}] high[0]
// MARKED: tensor.pad %{{.*}} nofold low[1] high[0]
// FOLDED-NOT: tensor.pad {{.*}}[0]{{.*}}[0]
// FOLDED: tensor.pad %{{.*}} nofold low[1] high[0]
// FOLDED-NOT: tensor.pad
// FOLDED: return %arg0, %arg0, %padded
func.func @nothing(%x: tensor<8xf32>, %v: f32) -> (tensor<8xf32>, tensor<8xf32>, tensor<9xf32>) {
  %c4 = arith.constant 4 : index
  %none = arith.subi %c4, %c4 : index
  %0 = tensor.pad %x nofold low[0] high[0] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<8xf32>
  %1 = tensor.pad %x low[%none] high[0] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<8xf32>
  // As the model says.
  %2 = tensor.pad %x nofold low[1] high[0] {
  ^bb0(%a: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<9xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<9xf32>
}
