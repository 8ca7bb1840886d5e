// RUN: mlir-fusion-opt %s --fusion-vectorize-linalg=target=x86-64-v3 --canonicalize --cse | FileCheck %s

// Loads in the body of a linalg op, whose places do not depend on the lane.

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id3 = affine_map<(h, w, c) -> (h, w, c)>

// Nearest neighbours of a channels-last image: the place once a pixel, the channels as vectors.
// CHECK-LABEL: func @resize
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<3x4x16xf32>, %[[S:[a-z0-9]*]]: memref<6x8x16xf32>
// CHECK-NOT: linalg
// CHECK: scf.for %[[H:.*]] =
// CHECK: scf.for %[[W:.*]] =
// CHECK: %[[Y:.*]] = arith.divui %[[H]]
// CHECK: %[[Z:.*]] = arith.divui %[[W]]
// CHECK: %[[P:.*]] = memref.subview %[[X]][%[[Y]], %[[Z]], %{{.*}}] [1, 1, 8] [1, 1, 1]
// CHECK: %[[A:.*]] = vector.transfer_read %{{.*}} vector<8xf32>
// CHECK: %[[B:.*]] = vector.transfer_read %[[P]]{{.*}} vector<8xf32>
// CHECK: arith.addf %[[A]], %[[B]] : vector<8xf32>
func.func @resize(%x: memref<3x4x16xf32>, %s: memref<6x8x16xf32>, %y: memref<6x8x16xf32>) {
  %c2 = arith.constant 2 : index
  linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : memref<6x8x16xf32>) outs(%y : memref<6x8x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = linalg.index 0 : index
    %w = linalg.index 1 : index
    %c = linalg.index 2 : index
    %sh = arith.divui %h, %c2 : index
    %sw = arith.divui %w, %c2 : index
    %v = memref.load %x[%sh, %sw, %c] : memref<3x4x16xf32>
    %r = arith.addf %in, %v : f32
    linalg.yield %r : f32
  }
  return
}

// A row of a table: its number is an operand that all lanes share; its type has four lanes.
// CHECK-LABEL: func @embedding
// CHECK-SAME: %[[T:[a-z0-9]*]]: memref<100x16xf32>, %[[I:[a-z0-9]*]]: memref<7xi64>
// CHECK: scf.for %[[N:.*]] =
// CHECK: %[[K:.*]] = memref.load %[[I]][%[[N]]]
// CHECK: %[[R:.*]] = arith.index_cast %[[K]]
// CHECK: memref.subview %[[T]][%[[R]], %{{.*}}] [1, 4] [1, 1]
// CHECK: vector.transfer_write {{.*}} vector<4xf32>
func.func @embedding(%table: memref<100x16xf32>, %i: memref<7xi64>, %y: memref<7x16xf32>) {
  linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%i : memref<7xi64>) outs(%y : memref<7x16xf32>) {
  ^bb0(%in: i64, %out: f32):
    %n = arith.index_cast %in : i64 to index
    %d = linalg.index 1 : index
    %v = memref.load %table[%n, %d] : memref<100x16xf32>
    linalg.yield %v : f32
  }
  return
}

// In a kernel the vector's loop may be a range of the whole.
// CHECK-LABEL: func @range
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<64xf32>, %{{.*}}: memref<16xf32>, %[[FROM:[a-z0-9]*]]: index
// CHECK: %[[P:.*]] = affine.apply #{{.*}}(%{{.*}})[%[[FROM]]]
// CHECK: memref.subview %[[X]][%[[P]]] [8] [1]
// CHECK: vector<8xf32>
func.func @range(%x: memref<64xf32>, %y: memref<16xf32>, %from: index) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %p = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%from]
    %v = memref.load %x[%p] : memref<64xf32>
    linalg.yield %v : f32
  }
  return
}

// Backwards, or by more than one element, they are no vectors.
// CHECK-LABEL: func @flip
// CHECK-NOT: vector
// CHECK: memref.load
// CHECK: return
func.func @flip(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c15 = arith.constant 15 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %p = arith.subi %c15, %i : index
    %v = memref.load %x[%p] : memref<16xf32>
    linalg.yield %v : f32
  }
  return
}

// CHECK-LABEL: func @strided
// CHECK-NOT: vector
// CHECK: memref.load
// CHECK: return
func.func @strided(%x: memref<16xf32, strided<[2]>>, %y: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = memref.load %x[%i] : memref<16xf32, strided<[2]>>
    linalg.yield %v : f32
  }
  return
}
