// RUN: mlir-fusion-opt %s --fusion-vectorize=target=x86-64-v3 --fusion-lower | FileCheck %s

// Only the LLVM dialect and OpenMP's regions are left; kernels take bare pointers.
// CHECK-NOT: {{ (memref|vector|scf|arith|linalg|func)\.}}
// CHECK: module {
// CHECK: llvm.func @kernel_add_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.fadd {{.*}} : vector<8xf32>
// CHECK: llvm.func @main
// CHECK: omp.parallel
// CHECK: llvm.call @kernel_add_0(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
module {
  builtin.module {
    func.func @kernel_add_0(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %lo: index, %hi: index) attributes {fusion.kernel, llvm.bareptr} {
      %c1 = arith.constant 1 : index
      scf.for %i = %lo to %hi step %c1 {
        %xs = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
        %ys = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<64x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
        linalg.add ins(%xs, %xs : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<1x64xf32, strided<[64, 1], offset: ?>>) outs(%ys : memref<1x64xf32, strided<[64, 1], offset: ?>>)
      }
      return
    }
  }
  func.func private @kernel_add_0(memref<64x64xf32>, memref<64x64xf32>, index, index) attributes {llvm.bareptr}
  func.func private @omp_get_max_threads() -> i32
  func.func @main(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %n = call @omp_get_max_threads() : () -> i32
    %t = arith.index_cast %n : i32 to index
    scf.parallel (%i) = (%c0) to (%t) step (%c1) {
      %a = arith.muli %i, %c64 : index
      %lo = arith.divui %a, %t : index
      %j = arith.addi %i, %c1 : index
      %b = arith.muli %j, %c64 : index
      %hi = arith.divui %b, %t : index
      func.call @kernel_add_0(%x, %y, %lo, %hi) : (memref<64x64xf32>, memref<64x64xf32>, index, index) -> ()
      scf.reduce
    }
    return
  }
}
