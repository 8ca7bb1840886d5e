// RUN: mlir-fusion-opt %s --fusion-prepare-buffers | FileCheck %s

func.func private @foreign()

// What is stored, or what a call may do, after a read does not change what was read.
// CHECK-LABEL: @read_then_store
// CHECK-SAME: %[[M:.+]]: memref<4xf32>
// CHECK: %[[NEW:.+]] = memref.alloc() : memref<4xf32>
// CHECK: memref.copy %[[M]], %[[NEW]]
// CHECK: bufferization.to_tensor %[[NEW]] restrict
// CHECK: memref.store
func.func @read_then_store(%m: memref<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  memref.store %f, %m[%i] : memref<4xf32>
  return %t : tensor<4xf32>
}

// CHECK-LABEL: @read_then_call
// CHECK-SAME: %[[M:.+]]: memref<?xf32, strided<[2]>>
// CHECK: %[[DIM:.+]] = memref.dim %[[M]], %{{.+}}
// CHECK: %[[NEW:.+]] = memref.alloc(%[[DIM]]) : memref<?xf32>
// CHECK: memref.copy %[[M]], %[[NEW]]
// CHECK: bufferization.to_tensor %[[NEW]] restrict
func.func @read_then_call(%m: memref<?xf32, strided<[2]>>) -> tensor<?xf32> {
  %t = bufferization.to_tensor %m : memref<?xf32, strided<[2]>> to tensor<?xf32>
  call @foreign() : () -> ()
  return %t : tensor<?xf32>
}

// In a loop, what comes before in the text may run after.
// CHECK-LABEL: @store_then_read_in_loop
// CHECK: memref.store
// CHECK: memref.copy
// CHECK: bufferization.to_tensor
func.func @store_then_read_in_loop(%m: memref<4xf32>, %f: f32, %n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    memref.store %f, %m[%i] : memref<4xf32>
    %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Nothing is copied where nothing changes any more.
// CHECK-LABEL: @store_then_read
// CHECK-NOT: memref.copy
// CHECK: bufferization.to_tensor %{{.+}} restrict
func.func @store_then_read(%m: memref<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  memref.store %f, %m[%i] : memref<4xf32>
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

memref.global "private" constant @weight : memref<4xf32> = dense<1.0>

// CHECK-LABEL: @constant
// CHECK-NOT: memref.copy
// CHECK: bufferization.to_tensor %{{.+}} restrict
func.func @constant() -> tensor<4xf32> {
  %m = memref.get_global @weight : memref<4xf32>
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  call @foreign() : () -> ()
  return %t : tensor<4xf32>
}

// CHECK-LABEL: @poison
// CHECK: tensor.empty() : tensor<4xf32>
// CHECK: tensor.empty(%{{.+}}) : tensor<?x2xf32>
// CHECK: ub.poison : f32
func.func @poison() -> (tensor<4xf32>, tensor<?x2xf32>, f32) {
  %0 = ub.poison : tensor<4xf32>
  %1 = ub.poison : tensor<?x2xf32>
  %2 = ub.poison : f32
  return %0, %1, %2 : tensor<4xf32>, tensor<?x2xf32>, f32
}

// CHECK-LABEL: @affine_loop
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: affine.for
// CHECK: affine.load
func.func @affine_loop(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  %r = affine.for %i = 0 to 4 iter_args(%a = %x) -> tensor<4xf32> {
    %j = affine.apply affine_map<(d0) -> (3 - d0)>(%i)
    %v = tensor.extract %a[%j] : tensor<4xf32>
    %n = tensor.insert %v into %a[%i] : tensor<4xf32>
    affine.yield %n : tensor<4xf32>
  }
  affine.for %i = 0 to 4 {
    %v = affine.load %m[%i] : memref<4xf32>
    affine.store %v, %m[3 - %i] : memref<4xf32>
  }
  return %r : tensor<4xf32>
}

// A constant of one value is not worth a file of all of its elements.
// CHECK-LABEL: @splats
// CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[E:.+]] = tensor.empty() : tensor<2048x2049xf32>
// CHECK: %[[BIG:.+]] = linalg.fill ins(%[[ONE]] : f32) outs(%[[E]] : tensor<2048x2049xf32>)
// CHECK: %[[SMALL:.+]] = arith.constant dense<1.000000e+00> : tensor<2048x2048xf32>
// CHECK: return %[[BIG]], %[[SMALL]]
func.func @splats() -> (tensor<2048x2049xf32>, tensor<2048x2048xf32>) {
  %big = arith.constant dense<1.0> : tensor<2048x2049xf32>
  %small = arith.constant dense<1.0> : tensor<2048x2048xf32>
  return %big, %small : tensor<2048x2049xf32>, tensor<2048x2048xf32>
}

// Negative padding cuts, which upstream's bufferization of tensor.pad does not.
// CHECK-LABEL: @cut
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0] [3] [1] : tensor<4xf32> to tensor<3xf32>
// CHECK: tensor.pad %[[PART]] low[1] high[0]
// CHECK: : tensor<3xf32> to tensor<4xf32>
func.func @cut(%x: tensor<4xf32>, %value: f32) -> tensor<4xf32> {
  %p = tensor.pad %x low[1] high[-1] {
  ^bb0(%a: index):
    tensor.yield %value : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %p : tensor<4xf32>
}

// Where more is cut than there is, the other end's padding is the shorter.
// CHECK-LABEL: @cut_unknown
// CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[N:.+]]: index
// CHECK: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[START:.*]] = arith.minsi %[[SIZE]], %c2
// CHECK: %[[REST:.*]] = arith.addi %[[SIZE]], %c-2
// CHECK: %[[MISSING:.*]] = arith.minsi %[[REST]], %c0
// CHECK: %[[KEPT:.*]] = arith.maxsi %[[REST]], %c0
// CHECK: %[[HIGH:.*]] = arith.addi %[[N]], %[[MISSING]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[X]][%[[START]]] [%[[KEPT]]] [1]
// CHECK: tensor.pad %[[PART]] low[0] high[%[[HIGH]]]
// CHECK: tensor.extract_slice %{{.*}}[0] [0] [1] : tensor<1xf32> to tensor<0xf32>
// CHECK: tensor.pad %{{.*}} low[1] high[0]
func.func @cut_unknown(%x: tensor<?xf32>, %n: index, %y: tensor<1xf32>) -> (tensor<?xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-2] high[%n] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %q = tensor.pad %y low[2] high[-2] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<1xf32> to tensor<1xf32>
  return %p, %q : tensor<?xf32>, tensor<1xf32>
}
