// Slices and insertions that drop one of several dims of size one: upstream's canonicalization of constant operands dropped
// others, whose sizes then were in other places, and views of memrefs with steps had none that it could tell.
// RUN: mlir-fusion-fuzz --check-bounds %s | FileCheck %s
// RUN: mlir-fusion-opt --fusion-canonicalize %s | FileCheck %s --check-prefix=IR
// CHECK: right: {{[0-9]+}} elements compared, 0 unbounded
// IR-LABEL: @main
// IR: tensor.extract_slice %{{.*}}[0, 0, 3, 0] [1, 4, 1, 1] [1, 1, 1, 1] : tensor<1x4x9x2xi32> to tensor<1x4x1x1xi32>
// IR: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] : tensor<1x4x1x1xi32> into tensor<1x4xi32>
module attributes {fuzz.target = "x86-64-v3", fuzz.threads = 1} {
  func.func @main(%x: tensor<1x4x9x2xi32> {fuzz.seed = 1 : i64, fuzz.shape = array<i64: 1, 4, 9, 2>, fuzz.values = "normal"},
                  %y: tensor<?x?x1x5xi32> {fuzz.seed = 2 : i64, fuzz.shape = array<i64: 5, 6, 1, 5>, fuzz.values = "normal"},
                  %z: tensor<?x?x9x5xi32> {fuzz.seed = 3 : i64, fuzz.shape = array<i64: 5, 6, 9, 5>, fuzz.values = "normal"})
      -> (tensor<1x4xi32>, tensor<1x4x9x2xi32>, tensor<3x1x?xi32>, tensor<3x?xi32>) {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %0 = tensor.extract_slice %x[0, 0, %c3, 0] [1, 4, 1, 1] [1, 1, 1, 1] : tensor<1x4x9x2xi32> to tensor<1x4xi32>
    %doubled = arith.addi %0, %0 : tensor<1x4xi32>
    %1 = tensor.insert_slice %doubled into %x[0, 0, %c2, 1] [1, 4, 1, 1] [1, 1, 1, 1] : tensor<1x4xi32> into tensor<1x4x9x2xi32>
    // Steps, and sizes at run time.
    %n = tensor.dim %y, %c1 : tensor<?x?x1x5xi32>
    %m5 = arith.constant -5 : index
    %m = arith.addi %n, %m5 : index
    %2 = tensor.extract_slice %y[%c1, 4, 0, 1] [3, 1, %m, 1] [1, 1, 2, 3] : tensor<?x?x1x5xi32> to tensor<3x1x?xi32>
    %k = arith.addi %m, %c3 : index
    %3 = tensor.extract_slice %z[%c1, 4, 0, 1] [3, 1, %k, 1] [1, 1, 2, 3] : tensor<?x?x9x5xi32> to tensor<3x1x?xi32>
    %4 = tensor.collapse_shape %3 [[0], [1, 2]] : tensor<3x1x?xi32> into tensor<3x?xi32>
    return %0, %1, %2, %4 : tensor<1x4xi32>, tensor<1x4x9x2xi32>, tensor<3x1x?xi32>, tensor<3x?xi32>
  }
}
