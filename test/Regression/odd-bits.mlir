// Elements of 24, 40 or 48 bits are 4 or 8 bytes apart, as LLVM lays them out: buffers have room for that, and no vectors are read.
// RUN: mlir-fusion run %s --random-inputs --target x86-64-v3 | FileCheck %s
// REQUIRES: avx2
// CHECK: latency
func.func @main(%x: tensor<40x50xi32>) -> (tensor<50x40xi32>, tensor<50x40xi64>) {
  %a = tensor.empty() : tensor<40x50xi24>
  %n = linalg.map { arith.trunci } ins(%x : tensor<40x50xi32>) outs(%a : tensor<40x50xi24>)
  %b = tensor.empty() : tensor<50x40xi24>
  %t = linalg.transpose ins(%n : tensor<40x50xi24>) outs(%b : tensor<50x40xi24>) permutation = [1, 0]
  %c = tensor.empty() : tensor<50x40xi32>
  %w = linalg.map { arith.extsi } ins(%t : tensor<50x40xi24>) outs(%c : tensor<50x40xi32>)
  %d = tensor.empty() : tensor<50x40xi40>
  %e = linalg.map { arith.extsi } ins(%w : tensor<50x40xi32>) outs(%d : tensor<50x40xi40>)
  %f = linalg.map { arith.addi } ins(%e, %e : tensor<50x40xi40>, tensor<50x40xi40>) outs(%d : tensor<50x40xi40>)
  %g = tensor.empty() : tensor<50x40xi64>
  %v = linalg.map { arith.extsi } ins(%f : tensor<50x40xi40>) outs(%g : tensor<50x40xi64>)
  return %w, %v : tensor<50x40xi32>, tensor<50x40xi64>
}
