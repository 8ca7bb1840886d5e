// RUN: mlir-fusion-opt %s --fusion-vectorize-linalg=target=x86-64-v3 --canonicalize --cse | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-vectorize-linalg="target=x86-64-v3 vectorize=false" | FileCheck %s --check-prefix=LOOPS

// LOOPS-LABEL: func @broadcast_add
// LOOPS-NOT: {{linalg|vector}}.
// LOOPS: memref.load

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// 21 columns: two vectors of 8, then 4 and 1.
// CHECK-LABEL: func @broadcast_add
// CHECK-NOT: linalg
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     vector.transfer_read {{.*}} vector<8xf32>
// CHECK:     arith.addf {{.*}} : vector<8xf32>
// CHECK:     vector.transfer_write {{.*}} vector<8xf32>
// CHECK:   arith.addf {{.*}} : vector<4xf32>
// CHECK:   arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT: linalg
func.func @broadcast_add(%x: memref<5x21xf32>, %b: memref<21xf32>, %y: memref<5x21xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %b : memref<5x21xf32>, memref<21xf32>) outs(%y : memref<5x21xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    linalg.yield %s : f32
  }
  return
}

// A fill and a copy are vectorized like anything else.
// CHECK-LABEL: func @fill_copy
// CHECK-NOT: linalg
// CHECK-NOT: memref.copy
// CHECK: vector.transfer_write {{.*}} vector<8xf32>
// CHECK: vector.transfer_read {{.*}} vector<8xf32>
func.func @fill_copy(%c: f32, %x: memref<5x16xf32>, %y: memref<5x16xf32, strided<[32, 1], offset: ?>>) {
  linalg.fill ins(%c : f32) outs(%x : memref<5x16xf32>)
  memref.copy %x, %y : memref<5x16xf32> to memref<5x16xf32, strided<[32, 1], offset: ?>>
  return
}

// Vectors run along the output's last dim, or along the input's where the output has none.
// CHECK-LABEL: func @sums
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.reduction <add>, {{.*}} : vector<8xf32> into f32
func.func @sums(%x: memref<5x16xf32>, %columns: memref<16xf32>, %all: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
    ins(%x : memref<5x16xf32>) outs(%columns : memref<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%x : memref<5x16xf32>) outs(%all : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}

// An unknown rest goes by ever smaller vectors; positions stay those of the whole op.
// CHECK-LABEL: func @dynamic_index
// CHECK: arith.remui
// CHECK: arith.addi {{.*}} : vector<4xindex>
// CHECK: arith.addi {{.*}} : vector<2xindex>
// CHECK: arith.addi {{.*}} : vector<1xindex>
func.func @dynamic_index(%y: memref<3x?xindex>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : memref<3x?xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    linalg.yield %s : index
  }
  return
}

// No vector form: loops.
// CHECK-LABEL: func @gather
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NOT: vector
// CHECK: return
func.func @gather(%table: memref<100xf32>, %i: memref<7xindex>, %y: memref<7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%i : memref<7xindex>) outs(%y : memref<7xf32>) {
  ^bb0(%in: index, %out: f32):
    %v = memref.load %table[%in] : memref<100xf32>
    linalg.yield %v : f32
  }
  return
}

// A window along the vector dim: loops.
// CHECK-LABEL: func @window
// CHECK-NOT: linalg
// CHECK: return
func.func @window(%x: memref<10xf32>, %w: memref<3xf32>, %y: memref<8xf32>) {
  linalg.conv_1d ins(%x, %w : memref<10xf32>, memref<3xf32>) outs(%y : memref<8xf32>)
  return
}

// Blocks are turned in registers: 8 x 8 elements, and of 21 rows the last 5,
// whose columns are written as 4 + 1.
// CHECK-LABEL: func @transpose(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-8: vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store {{.*}} vector<8xf32>
// CHECK: vector.maskedload
// CHECK-COUNT-5: vector.store
// CHECK-NOT: vector.store
// CHECK: return
func.func @transpose(%x: memref<16x21xf32>, %y: memref<21x16xf32>) {
  linalg.transpose ins(%x : memref<16x21xf32>) outs(%y : memref<21x16xf32>) permutation = [1, 0]
  return
}

// An image that becomes channels-last is read in its own order: 8 channels,
// then rows, then 8 pixels of each. The other way stays in one row.
// CHECK-LABEL: func @transpose_image(
// CHECK: scf.for %[[C:.*]] = %c0 to %c64 step %c8
// CHECK: scf.for %[[H:.*]] = %c0 to %c5 step %c1
// CHECK: scf.for %[[W:.*]] = %c0 to %c48 step %c8
// CHECK: vector.load %{{.*}}[%{{.*}}, %[[C]], %[[H]], %[[W]]]
// CHECK-LABEL: func @transpose_back(
// CHECK: scf.for %[[H:.*]] = %c0 to %c5 step %c1
// CHECK: scf.for %[[C:.*]] = %c0 to %c64 step %c8
// CHECK: scf.for %[[W:.*]] = %c0 to %c48 step %c8
// CHECK: vector.load %{{.*}}[%{{.*}}, %[[H]], %[[W]], %[[C]]]
func.func @transpose_image(%x: memref<1x64x5x48xf32>, %y: memref<1x5x48x64xf32>) {
  linalg.transpose ins(%x : memref<1x64x5x48xf32>) outs(%y : memref<1x5x48x64xf32>) permutation = [0, 2, 3, 1]
  return
}
func.func @transpose_back(%x: memref<1x5x48x64xf32>, %y: memref<1x64x5x48xf32>) {
  linalg.transpose ins(%x : memref<1x5x48x64xf32>) outs(%y : memref<1x64x5x48xf32>) permutation = [0, 3, 1, 2]
  return
}

// A transposed operand of what computes is read with strides.
// CHECK-LABEL: func @transpose_and_add(
// CHECK: vector.transfer_read {{.*}} memref<8xf32, strided<[21], offset: ?>>, vector<8xf32>
#turned = affine_map<(i, j) -> (j, i)>
#plain = affine_map<(i, j) -> (i, j)>
func.func @transpose_and_add(%x: memref<16x21xf32>, %y: memref<21x16xf32>) {
  linalg.generic {indexing_maps = [#turned, #plain], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x21xf32>) outs(%y : memref<21x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  }
  return
}

// A row of one element, a broadcast and elements of odd bits have no blocks.
// CHECK-LABEL: func @transpose_nothing(
// CHECK-NOT: vector.shuffle
// CHECK: return
#first = affine_map<(i, j) -> (i)>
func.func @transpose_nothing(%x: memref<16x1xf32>, %y: memref<1x16xf32>, %v: memref<16xf32>, %m: memref<16x21xf32>,
    %a: memref<16x21xi24>, %b: memref<21x16xi24>, %c: memref<16x21xi1>, %d: memref<21x16xi1>) {
  linalg.transpose ins(%x : memref<16x1xf32>) outs(%y : memref<1x16xf32>) permutation = [1, 0]
  linalg.generic {indexing_maps = [#first, #plain], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<16xf32>) outs(%m : memref<16x21xf32>) {
    ^bb0(%e: f32, %f: f32):
      linalg.yield %e : f32
  }
  linalg.transpose ins(%a : memref<16x21xi24>) outs(%b : memref<21x16xi24>) permutation = [1, 0]
  linalg.transpose ins(%c : memref<16x21xi1>) outs(%d : memref<21x16xi1>) permutation = [1, 0]
  return
}

// Of a source with strided elements no vectors can be read.
// CHECK-LABEL: func @transpose_strided(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @transpose_strided(%x: memref<16x21xf32, strided<[84, 4]>>, %y: memref<21x16xf32>) {
  linalg.transpose ins(%x : memref<16x21xf32, strided<[84, 4]>>) outs(%y : memref<21x16xf32>) permutation = [1, 0]
  return
}
