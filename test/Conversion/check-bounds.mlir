// RUN: mlir-fusion-opt %s --fusion-check-bounds -split-input-file | FileCheck %s

// What is known to lie inside has no check; a prefetch is no access.
// CHECK-LABEL: func.func @inside
// CHECK-NOT:     llvm.call @check_bounds
// CHECK:         return
func.func @inside(%x: memref<4x16xf32>, %i: index) -> (f32, vector<8xf32>, vector<8xf32>) {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %0 = memref.load %x[%c3, %c8] : memref<4x16xf32>
  %1 = vector.load %x[%c3, %c8] : memref<4x16xf32>, vector<8xf32>
  %mask = vector.constant_mask [7] : vector<8xi1>
  %c9 = arith.constant 9 : index
  %2 = vector.maskedload %x[%c3, %c9], %mask, %zeros : memref<4x16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  memref.prefetch %x[%i, %i], read, locality<3>, data : memref<4x16xf32>
  return %0, %1, %2 : f32, vector<8xf32>, vector<8xf32>
}

// -----

// Each index of an element is compared once.
// CHECK-DAG:  llvm.mlir.global internal constant @[[TEXT:out_of_bounds_text[_0-9]*]]("memref.load of element at {{.*}}check-bounds.mlir:{{[0-9]+}}:{{[0-9]+}}: expected dim 1\00")
// CHECK-DAG:  llvm.func @dprintf(i32, !llvm.ptr, ...) -> i32
// CHECK-LABEL: func.func @element(
// CHECK-SAME:    %[[X:.*]]: memref<?x16xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[SIZE:.*]] = memref.dim %[[X]], %{{.*}}
// CHECK:         %[[BAD0:.*]] = arith.cmpi uge, %[[I]], %[[SIZE]]
// CHECK:         llvm.call @check_bounds(%[[BAD0]]
// CHECK:         %[[BAD1:.*]] = arith.cmpi uge, %[[J]], %c16
// CHECK:         %[[ADDRESS:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK:         llvm.call @check_bounds(%[[BAD1]], %[[ADDRESS]]
// CHECK:         memref.load
// CHECK:       llvm.func internal @out_of_bounds(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) attributes {passthrough = ["cold", "noinline", "noreturn"]}
// CHECK:         llvm.call @dprintf
// CHECK-NEXT:    llvm.call @abort
// CHECK:       llvm.func internal @check_bounds({{.*}}) attributes {passthrough = ["alwaysinline"]}
// CHECK:         llvm.cond_br
// CHECK:         llvm.call @out_of_bounds
func.func @element(%x: memref<?x16xf32>, %i: index, %j: index) -> f32 {
  %0 = memref.load %x[%i, %j] : memref<?x16xf32>
  return %0 : f32
}

// -----

// Of a vector the first and the last lane.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %{{.*}}: memref<64xf32>, %[[I:[^:]*]]: index
// CHECK:         %[[LAST:.*]] = arith.addi %[[I]], %c7
// CHECK-DAG:     %[[BELOW:.*]] = arith.cmpi slt, %[[I]], %c0
// CHECK-DAG:     %[[ABOVE:.*]] = arith.cmpi sge, %[[LAST]], %c64
// CHECK:         %[[BAD:.*]] = arith.ori %[[BELOW]], %[[ABOVE]]
// CHECK:         llvm.call @check_bounds(%[[BAD]]
// CHECK:         vector.store
func.func @whole(%x: memref<64xf32>, %i: index, %v: vector<8xf32>) {
  vector.store %v, %x[%i] : memref<64xf32>, vector<8xf32>
  return
}

// -----

// Of masked lanes those that are on.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %{{.*}}: memref<64xf32>, %[[I:[^:]*]]: index, %[[MASK:[^:]*]]: vector<8xi1>
// CHECK:         %[[TO:.*]] = arith.subi %c64, %[[I]]
// CHECK:         vector.create_mask
// CHECK:         %[[OUTSIDE:.*]] = arith.andi %[[MASK]], %{{.*}} : vector<8xi1>
// CHECK:         %[[BAD:.*]] = vector.reduction <or>, %[[OUTSIDE]]
// CHECK:         llvm.call @check_bounds(%[[BAD]]
// CHECK:         vector.maskedstore
func.func @masked(%x: memref<64xf32>, %i: index, %mask: vector<8xi1>, %v: vector<8xf32>) {
  vector.maskedstore %x[%i], %mask, %v : memref<64xf32>, vector<8xi1>, vector<8xf32>
  return
}

// -----

// A transfer that says so may go past the end, not begin before the start.
// CHECK-LABEL: func.func @transfer(
// CHECK-SAME:    %{{.*}}: memref<4x64xf32>, %[[I:[^:]*]]: index
// CHECK:         arith.cmpi uge, %[[I]], %c4
// CHECK:         %[[BAD:.*]] = arith.cmpi slt, %[[I]], %c0
// CHECK:         llvm.call @check_bounds(%[[BAD]]
// CHECK-NOT:     llvm.call @check_bounds
// CHECK:         vector.transfer_read
func.func @transfer(%x: memref<4x64xf32>, %i: index, %pad: f32) -> vector<8xf32> {
  %0 = vector.transfer_read %x[%i, %i], %pad : memref<4x64xf32>, vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// A place in an arena lies in its bytes.
// CHECK-LABEL: func.func @arena(
// CHECK:         arith.muli
// CHECK:         %[[BYTES:.*]] = arith.muli
// CHECK:         %[[SIZE:.*]] = memref.dim
// CHECK:         arith.addi %{{.*}}, %[[BYTES]]
// CHECK:         arith.cmpi sge, %{{.*}}, %[[SIZE]]
// CHECK:         llvm.call @check_bounds
// CHECK:         memref.view
func.func @arena(%arena: memref<?xi8>, %start: index, %n: index) -> memref<?x4xf32> {
  %0 = memref.view %arena[%start][%n] : memref<?xi8> to memref<?x4xf32>
  return %0 : memref<?x4xf32>
}

// -----

// A slice lies in each dim; what it becomes lies in the buffer.
// CHECK-LABEL: func.func @slice(
// CHECK:         llvm.call @check_bounds
// CHECK:         memref.subview
// CHECK:         memref.extract_strided_metadata
// CHECK:         llvm.call @check_bounds
// CHECK:         memref.reinterpret_cast
// CHECK:         llvm.call @check_bounds
// CHECK:         return
func.func @slice(%x: memref<8x16xf32>, %i: index, %n: index) -> memref<?xf32, strided<[1], offset: ?>> {
  %0 = memref.subview %x[%i, 0] [2, 16] [1, 1] : memref<8x16xf32> to memref<2x16xf32, strided<[16, 1], offset: ?>>
  %1 = memref.reinterpret_cast %0 to offset: [%i], sizes: [%n], strides: [1] : memref<2x16xf32, strided<[16, 1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  return %1 : memref<?xf32, strided<[1], offset: ?>>
}

// -----

// The caller has checked a part that it passes as pointer and offset. From there on, the part is the buffer.
// CHECK-LABEL: func.func @part(
// CHECK-NOT:     llvm.call @check_bounds
// CHECK:         %[[PART:.*]] = memref.reinterpret_cast
// CHECK-NOT:     llvm.call @check_bounds
// CHECK:         memref.reinterpret_cast %[[PART]] to offset: [%{{.*}}], sizes: [%{{.*}}]
// CHECK:         llvm.call @check_bounds
// CHECK:         %base_buffer{{[_0-9]*}}, %[[OFFSET:[^,]*]], %{{.*}} = memref.extract_strided_metadata %[[PART]]
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [129]
// CHECK:         memref.extract_strided_metadata %[[PART]]
// CHECK:         llvm.call @check_bounds
// CHECK:         return
func.func @part(%x: memref<8x16xf32>, %offset: index, %n: index) -> (memref<?xf32, strided<[1], offset: ?>>, memref<129xf32, strided<[1], offset: ?>>) {
  %0 = memref.reinterpret_cast %x to offset: [%offset], sizes: [8, 16], strides: [16, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
  %1 = memref.reinterpret_cast %0 to offset: [%offset], sizes: [%n], strides: [1] : memref<8x16xf32, strided<[16, 1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %base, %start, %sizes:2, %strides:2 = memref.extract_strided_metadata %0 : memref<8x16xf32, strided<[16, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  %2 = memref.reinterpret_cast %x to offset: [%start], sizes: [129], strides: [1] : memref<8x16xf32> to memref<129xf32, strided<[1], offset: ?>>
  return %1, %2 : memref<?xf32, strided<[1], offset: ?>>, memref<129xf32, strided<[1], offset: ?>>
}

// -----

// What upstream can verify says where it is.
// CHECK-LABEL: func.func @cast(
// CHECK:         cf.assert %{{.*}}, "memref.cast of cast at {{.*}}check-bounds.mlir:{{[0-9]+}}:{{[0-9]+}}: size mismatch of dim 0"
func.func @cast(%x: memref<?xf32>) -> memref<8xf32> {
  %0 = memref.cast %x : memref<?xf32> to memref<8xf32>
  return %0 : memref<8xf32>
}

// -----

// Modules inside are left alone; names of the model stay its own.
// CHECK-DAG:   memref.global "private" constant @out_of_bounds :
// CHECK-LABEL: module @kernel
// CHECK-NOT:     llvm.call @check_bounds
// CHECK:         memref.load
// CHECK-LABEL: func.func @caller
// CHECK:         llvm.call @check_bounds(
// CHECK:       llvm.func internal @out_of_bounds_0(
module {
  memref.global "private" constant @out_of_bounds : memref<4xf32> = dense<1.0>
  module @kernel {
    func.func @kernel(%x: memref<8xf32>, %i: index) -> f32 {
      %0 = memref.load %x[%i] : memref<8xf32>
      return %0 : f32
    }
  }
  func.func @caller(%i: index) -> f32 {
    %x = memref.get_global @out_of_bounds : memref<4xf32>
    %0 = memref.load %x[%i] : memref<4xf32>
    return %0 : f32
  }
}
