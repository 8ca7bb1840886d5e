// RUN: mlir-fusion-opt %s -fusion-derive-shapes -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// Places that are lines, as an affine map says it, too: the first and the last trip decide before the call.
// CHECK-LABEL: func.func private @lines_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> index
// CHECK-LABEL: func.func @lines
// CHECK-SAME:    shape_errors = [{{.*}}"expected a slice inside its tensor in 'tensor.extract_slice', which follows from dim 0 of input 0, dim 0 of input 1"
// CHECK-NOT:   cf.assert
// CHECK:       return
func.func @lines(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<1xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<1xf32>
  %s = scf.for %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %at = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 + 1)>(%i)[%m]
    %part = tensor.extract_slice %x[%at] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  return %s : tensor<1xf32>
}

// -----

// Remainders and products of two are no lines: the loop asserts each place.
// CHECK-LABEL: func.func @no_lines
// CHECK:       scf.for
// CHECK:       cf.assert %{{.*}}, "expected a slice inside its tensor in 'tensor.extract_slice'"
// CHECK:       tensor.extract_slice
// CHECK:       scf.for
// CHECK:       cf.assert %{{.*}}, "expected a slice inside its tensor in 'tensor.extract_slice'"
// CHECK:       tensor.extract_slice
// CHECK:       scf.for
// CHECK:       cf.assert %{{.*}}, "expected a slice inside its tensor in 'tensor.extract_slice'"
// CHECK:       tensor.extract_slice
func.func @no_lines(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<1xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %at = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
    %part = tensor.extract_slice %x[%at] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  %s = scf.for %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %square = arith.muli %i, %i : index
    %at = affine.apply affine_map<(d0) -> (d0 + 1)>(%square)
    %part = tensor.extract_slice %x[%at] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  // A number so large that the product may wrap around.
  %t = scf.for %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %at = affine.apply affine_map<(d0) -> (d0 * 4294967296)>(%i)
    %part = tensor.extract_slice %x[%at] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  return %r, %s, %t : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// Trips that are counted without sign, from data, or until something holds are not known before the call.
// CHECK-LABEL: func.func @other_loops
// CHECK:       scf.for unsigned
// CHECK:       cf.assert
// CHECK:       scf.for
// CHECK:       cf.assert
// CHECK:       scf.while
// CHECK:       cf.assert
func.func @other_loops(%x: tensor<?xf32>, %y: tensor<?xf32>, %data: tensor<index>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<1xf32>
  %r = scf.for unsigned %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  %end = tensor.extract %data[] : tensor<index>
  %s = scf.for %i = %c0 to %end step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  %t:2 = scf.while (%i = %c0, %a = %e) : (index, tensor<1xf32>) -> (index, tensor<1xf32>) {
    %more = arith.cmpi slt, %i, %m : index
    scf.condition(%more) %i, %a : index, tensor<1xf32>
  } do {
  ^bb0(%i: index, %a: tensor<1xf32>):
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %new : index, tensor<1xf32>
  }
  return %r, %s, %t#1 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// A number that the caller gives is no size of an input.
// expected-error@+1 {{expected sizes of results that follow from sizes of inputs, got dim 0 of result 0 from 'func.func'}}
func.func @number(%n: index) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
