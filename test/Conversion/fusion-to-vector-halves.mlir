// RUN: mlir-fusion-opt %s --fusion-to-vector=target=znver4 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 | FileCheck %s --check-prefix=WHOLE
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=znver4 | %lower_to_llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -passes=sroa,early-cse,instcombine | llc -O2 -mcpu=znver4 -mattr=-prefer-256-bit | %python %S/Inputs/inner_loops.py \
// RUN:   | FileCheck %s --check-prefix=CODE

// 24 channels are three vectors of 8 lanes where two such multiply-adds start in a cycle, but one of 16 lanes; nine rows of them.
// CODE: loop: 24 fma, 8 broadcast, 3 vector load, 0 stack

// CHECK-LABEL: func @conv
// CHECK: scf.for {{.*}} -> (vector<8xf32>, {{.*}})
// CHECK-COUNT-24: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK-NOT: vector.maskedload
// WHOLE-LABEL: func @conv
// WHOLE: scf.for {{.*}} -> (vector<16xf32>, {{.*}})
// WHOLE-NOT: vector.fma {{.*}} : vector<8xf32>
// WHOLE: vector.store {{.*}} : memref<{{.*}}>, vector<8xf32>
func.func @conv(%x: memref<1x58x58x64xf32>, %w: memref<1x3x3x64x32xf32>, %bias: memref<24xf32>, %y: memref<1x56x56x24xf32>, %lo: index, %hi: index)
    attributes {llvm.bareptr} {
  fusion.conv ins(%x, %w : memref<1x58x58x64xf32>, memref<1x3x3x64x32xf32>) outs(%y : memref<1x56x56x24xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %b = %bias[3] : memref<24xf32>) {
      %s = arith.addf %acc, %b : f32
      fusion.yield %s : f32
  } range(%lo, %hi)
  return
}
