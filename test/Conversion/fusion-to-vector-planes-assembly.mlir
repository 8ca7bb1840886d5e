// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 | %lower_to_llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -passes=sroa,early-cse,instcombine | llc -O2 -mcpu=x86-64-v4 | %python %S/Inputs/inner_loops.py | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v3 | %lower_to_llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -passes=sroa,early-cse,instcombine | llc -O2 -mcpu=x86-64-v3 | %python %S/Inputs/inner_loops.py | FileCheck %s --check-prefix=V3

// The machine code of the innermost loop over pixels: 9 multiply-adds for each
// of 4 rows, the channel's bias, and the filter in registers if there are 32.
// Of 16, four sums and an input row leave room for a part of the filter; the
// rest is read from the stack. 18 cycles of multiply-adds load 36 vectors: the
// 13 of the rows and these leave room.

// CHECK: loop: 36 fma, 1 broadcast, 13 vector load, 0 stack
// CHECK-NOT: loop
// V3: loop: 36 fma, 1 broadcast, 13 vector load, {{([0-9]|1[0-6])}} stack
// V3-NOT: loop
func.func @planes(%x: memref<1x64x56x64xf32>, %w: memref<64x1x3x3xf32>, %bias: memref<64xf32>, %y: memref<1x64x56x64xf32>, %lo: index, %hi: index)
    attributes {llvm.bareptr} {
  fusion.conv ins(%x, %w : memref<1x64x56x64xf32>, memref<64x1x3x3xf32>) outs(%y : memref<1x64x56x64xf32>)
    {groups = 64, pad_low = [1, 1], pad_high = [1, 1]}
    epilogue(%acc: f32, %b = %bias[1] : memref<64xf32>) {
      %s = arith.addf %acc, %b : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      fusion.yield %r : f32
  } range(%lo, %hi)
  return
}
