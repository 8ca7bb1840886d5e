// RUN: mlir-fusion-opt %s --fusion-to-vector=target=x86-64-v4 | %lower_to_llvm | mlir-translate --mlir-to-llvmir \
// RUN:   | opt -passes=sroa,early-cse,instcombine | llc -O2 -mcpu=x86-64-v4 | %python %S/Inputs/inner_loops.py \
// RUN:   | FileCheck %s --check-prefix=V4
// RUN: sed s/2x3x3x64x32xf32/4x3x3x64x16xf32/ %s | mlir-fusion-opt --fusion-to-vector=target=x86-64-v3 | %lower_to_llvm \
// RUN:   | mlir-translate --mlir-to-llvmir | opt -passes=sroa,early-cse,instcombine | llc -O2 -mcpu=x86-64-v3 \
// RUN:   | %python %S/Inputs/inner_loops.py | FileCheck %s --check-prefix=V3

// The machine code of the innermost loops: one load a vector of weights, one
// broadcast a row, one multiply-add an accumulator, and nothing on the stack.

// V4: loop: 28 fma, 14 broadcast, 2 vector load, 0 stack
// V4-NOT: loop
// 56 pixels are 6 tiles of 6 and 4 of 5.
// V3-DAG: loop: 12 fma, 6 broadcast, 2 vector load, 0 stack
// V3-DAG: loop: 10 fma, 5 broadcast, 2 vector load, 0 stack
func.func @conv(%x: memref<1x58x58x64xf32>, %w: memref<2x3x3x64x32xf32>, %bias: memref<64xf32>, %y: memref<1x56x56x64xf32>, %lo: index, %hi: index)
    attributes {llvm.bareptr} {
  fusion.conv ins(%x, %w : memref<1x58x58x64xf32>, memref<2x3x3x64x32xf32>) outs(%y : memref<1x56x56x64xf32>)
    {filter_layout = packed, input_layout = channels_last, output_layout = channels_last}
    epilogue(%acc: f32, %b = %bias[3] : memref<64xf32>) {
      %s = arith.addf %acc, %b : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      fusion.yield %r : f32
  } range(%lo, %hi)
  return
}
