// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../mlir-fusion/Inputs/npy.py %t/x.npy f4 2 "i + 0.5"
// RUN: %python %S/../mlir-fusion/Inputs/npy.py %t/y.npy f4 2 "(i + 0.5) * 3"
// RUN: mlir-fusion run %s --input %t/x.npy --expect %t/y.npy --rtol 0 | FileCheck %s
// RUN: mlir-fusion compile %s -o %t/net.so && mlir-fusion run %t/net.so --input %t/x.npy --expect %t/y.npy --rtol 0 | FileCheck %s
// CHECK: : right

// The library's C interface of this entry was taken for the signature of a second model.
func.func @foo_signature(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<3.0> : tensor<2xf32>
  %0 = arith.mulf %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}
