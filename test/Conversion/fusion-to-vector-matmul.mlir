// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v3 --canonicalize | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 --canonicalize | FileCheck %s --check-prefix=AVX512
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64 | FileCheck %s --check-prefix=SSE --implicit-check-not=vector.fma

// Matrix products for AVX2: 6 rows by 2 vectors.

// CHECK-LABEL: func @packed(
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: scf.for %{{.*}} = %c0 to %c64
// CHECK-COUNT-2: vector.load %{{.*}} : memref<2048xf32>, vector<8xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: return
// Without FMA instructions a fused multiply-add would be a call.
// SSE-LABEL: func @packed(
// SSE: arith.mulf {{.*}} : vector<4xf32>
// SSE-NEXT: arith.addf
func.func @packed(%x: memref<12x64xf32>, %w: memref<2x64x16xf32>, %y: memref<12x32xf32>) {
  fusion.matmul ins(%x, %w : memref<12x64xf32>, memref<2x64x16xf32>) outs(%y : memref<12x32xf32>) {rhs_layout = packed}
  return
}

// Plain columns that fill no vector are read through a mask, never beyond the
// row's end.
// CHECK-LABEL: func @plain_columns(
// CHECK: scf.for %{{.*}} = %c0 to %c64
// CHECK: vector.load %{{.*}} : memref<832xf32>, vector<8xf32>
// CHECK: vector.constant_mask [5]
// CHECK: vector.maskedload
// CHECK-NOT: vector.load
// CHECK: vector.fma
func.func @plain_columns(%x: memref<6x64xf32>, %w: memref<64x13xf32>, %y: memref<6x13xf32>) {
  fusion.matmul ins(%x, %w : memref<6x64xf32>, memref<64x13xf32>) outs(%y : memref<6x13xf32>)
  return
}

// Rows of plain columns are far apart: with 32 registers panels are 4 vectors
// wide, by 6 rows, where the columns fill them.
// AVX512-LABEL: func @wide_columns(
// AVX512: scf.for %{{.*}} = %c0 to %c4
// AVX512: scf.for %{{.*}} = %c0 to %c64
// AVX512-COUNT-4: vector.load %{{.*}} : memref<8192xf32>, vector<16xf32>
// AVX512-NOT: vector.load
// AVX512-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// AVX512-NOT: vector.fma
// AVX512: return
// CHECK-LABEL: func @wide_columns(
// CHECK: scf.for %{{.*}} = %c0 to %c16
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: return
func.func @wide_columns(%x: memref<12x64xf32>, %w: memref<64x128xf32>, %y: memref<12x128xf32>) {
  fusion.matmul ins(%x, %w : memref<12x64xf32>, memref<64x128xf32>) outs(%y : memref<12x128xf32>)
  return
}

// AVX512-LABEL: func @narrow_columns(
// AVX512-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// AVX512-NOT: vector.fma
// AVX512: return
func.func @narrow_columns(%x: memref<12x64xf32>, %w: memref<64x32xf32>, %y: memref<12x32xf32>) {
  fusion.matmul ins(%x, %w : memref<12x64xf32>, memref<64x32xf32>) outs(%y : memref<12x32xf32>)
  return
}

// What the epilogue reads element by element is fetched while the sums are
// computed: 6 rows by 2 vectors of the residual, not the bias.
// CHECK-LABEL: func @residual(
// CHECK-SAME: %[[R:[^ ]*]]: memref<6x16xf32>
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[R]]
// CHECK-COUNT-12: memref.prefetch %[[FLAT]]
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %{{.*}} = %c0 to %c8
// CHECK: return
func.func @residual(%r: memref<6x16xf32>, %b: memref<16xf32>, %x: memref<6x8xf32>, %w: memref<1x8x16xf32>, %y: memref<6x16xf32>) {
  fusion.matmul ins(%x, %w : memref<6x8xf32>, memref<1x8x16xf32>) outs(%y : memref<6x16xf32>) {rhs_layout = packed}
    epilogue(%acc: f32, %p = %r[0, 1] : memref<6x16xf32>, %q = %b[1] : memref<16xf32>) {
      %s = arith.addf %acc, %p : f32
      %t = arith.addf %s, %q : f32
      fusion.yield %t : f32
  }
  return
}

// One tile stays within one batch of the rhs.
// CHECK-LABEL: func @batches(
// CHECK: scf.for %{{.*}} = %c0 to %c5
// CHECK-COUNT-4: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @batches(%x: memref<5x2x8xf32>, %w: memref<5x8x16xf32>, %y: memref<5x2x16xf32>) {
  fusion.matmul ins(%x, %w : memref<5x2x8xf32>, memref<5x8x16xf32>) outs(%y : memref<5x2x16xf32>)
  return
}

// Batches of the lhs alone are rows: 2 tiles of 5.
// CHECK-LABEL: func @shared_rhs(
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK-COUNT-10: vector.fma
// CHECK-NOT: vector.fma
// CHECK: return
func.func @shared_rhs(%x: memref<5x2x8xf32>, %w: memref<8x16xf32>, %y: memref<5x2x16xf32>) {
  fusion.matmul ins(%x, %w : memref<5x2x8xf32>, memref<8x16xf32>) outs(%y : memref<5x2x16xf32>)
  return
}

// A scalar is broadcast after the loops.
// CHECK-LABEL: func @scalar_operand(
// CHECK-SAME: %[[ALPHA:.*]]: f32
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: %[[SPLAT:.*]] = vector.broadcast %[[ALPHA]] : f32 to vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %[[SPLAT]]
func.func @scalar_operand(%alpha: f32, %x: memref<6x8xf32>, %w: memref<1x8x16xf32>, %y: memref<6x16xf32>) {
  fusion.matmul ins(%x, %w : memref<6x8xf32>, memref<1x8x16xf32>) outs(%y : memref<6x16xf32>) {rhs_layout = packed}
    epilogue(%acc: f32, %a = %alpha : f32) {
      %s = arith.mulf %acc, %a : f32
      fusion.yield %s : f32
  }
  return
}

// Roots on tensors are left alone.
// CHECK-LABEL: func @tensors(
// CHECK: fusion.matmul
func.func @tensors(%x: tensor<5x8xf32>, %w: tensor<8x16xf32>, %y: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<5x8xf32>, tensor<8x16xf32>) outs(%y : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

// Narrow inputs are extended as they are loaded, a scalar before it is broadcast; results are as wide as the epilogue makes them.
// CHECK-LABEL: func @narrow_floats(
// CHECK: %[[W:.*]] = vector.load %{{.*}} : memref<{{.*}}xbf16>, vector<8xbf16>
// CHECK: arith.extf %[[W]] : vector<8xbf16> to vector<8xf32>
// CHECK: %[[X:.*]] = memref.load
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: vector.broadcast %[[WIDE]] : f32 to vector<8xf32>
// CHECK: vector.fma {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @narrow_floats(%x: memref<6x8xbf16>, %w: memref<1x8x16xbf16>, %y: memref<6x16xbf16>) {
  fusion.matmul ins(%x, %w : memref<6x8xbf16>, memref<1x8x16xbf16>) outs(%y : memref<6x16xbf16>) {rhs_layout = packed}
    epilogue(%acc: f32) {
      %s = arith.truncf %acc : f32 to bf16
      fusion.yield %s : bf16
  }
  return
}

// CHECK-LABEL: func @integers(
// CHECK: arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli %{{.*}} : vector<8xi32>
// CHECK: arith.addi %{{.*}} : vector<8xi32>
func.func @integers(%x: memref<6x8xi8>, %w: memref<1x8x16xi8>, %y: memref<6x16xi32>) {
  fusion.matmul ins(%x, %w : memref<6x8xi8>, memref<1x8x16xi8>) outs(%y : memref<6x16xi32>) {rhs_layout = packed}
  return
}

// A vector has as many lanes as its type fills.
// CHECK-LABEL: func @doubles(
// CHECK: vector.fma {{.*}} : vector<4xf64>
func.func @doubles(%x: memref<6x8xf64>, %w: memref<1x8x8xf64>, %y: memref<6x8xf64>) {
  fusion.matmul ins(%x, %w : memref<6x8xf64>, memref<1x8x8xf64>) outs(%y : memref<6x8xf64>) {rhs_layout = packed}
  return
}
