// RUN: mlir-fusion-opt %s -fusion-derive-shapes -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// Sizes of results come from sizes of inputs, through whatever lies between.
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[W:[^ :,)]*]]: index) -> (index, index, index)
// CHECK-DAG:   %[[OUT:[^ ]*]] = affine.apply #{{.*}}()[%[[W]]]
// CHECK-DAG:   %[[ALLOWED:[^ ]*]] = arith.cmpi sge, %[[OUT]], %c0
// CHECK:       return %{{.*}}, %[[N]], %[[OUT]]
// CHECK-LABEL: func.func @main
// CHECK-SAME:    fusion.entry = {shape_errors = ["expected a size of at least 0 in 'tensor.empty', which follows from dim 2 of input 0"], shapes = @main_shapes}
func.func @main(%x: tensor<?x3x?xf32>) -> tensor<?x3x?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<?x3x?xf32> to tensor<?x3x?xf32>
  %n = tensor.dim %padded, %c0 : tensor<?x3x?xf32>
  %w = tensor.dim %padded, %c2 : tensor<?x3x?xf32>
  %e = tensor.empty(%n, %w) : tensor<?x3x?xf32>
  %y = linalg.exp ins(%padded : tensor<?x3x?xf32>) outs(%e : tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  return %y : tensor<?x3x?xf32>
}

// -----

// An assertion about sizes is asked before the call; one about data stays.
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index) -> (index, index)
// CHECK:       %[[EVEN:[^ ]*]] = arith.cmpi eq
// CHECK:       %[[FAILING:[^ ]*]] = arith.select %[[EVEN]], %{{.*}}, %c1
// CHECK:       return %[[FAILING]], %[[N]]
// CHECK-LABEL: func.func @main
// CHECK-NOT:   "expected an even size"
// CHECK:       cf.assert %{{.*}}, "expected a positive element"
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = arith.remui %n, %c2 : index
  %even = arith.cmpi eq, %r, %c0 : index
  cf.assert %even, "expected an even size"
  %first = tensor.extract %x[%c0] : tensor<?xf32>
  %positive = arith.cmpf ogt, %first, %zero : f32
  cf.assert %positive, "expected a positive element"
  return %x : tensor<?xf32>
}

// -----

// What an assertion guards is not divided by zero.
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> (index, index)
// CHECK:       %[[ZERO:[^ ]*]] = arith.cmpi eq, %[[M]], %c0
// CHECK:       %[[SAFE:[^ ]*]] = arith.select %[[ZERO]], %c1{{[^,]*}}, %[[M]]
// CHECK:       arith.divui %[[N]], %[[SAFE]]
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %some = arith.cmpi ugt, %m, %c0 : index
  cf.assert %some, "expected elements"
  %q = arith.divui %n, %m : index
  %e = tensor.empty(%q) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Two inputs that are read together must agree, through an epilogue too.
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index, %[[L:[^ :,)]*]]: index) -> (index, index)
// CHECK-DAG:   arith.cmpi eq, %[[N]], %[[M]]
// CHECK-DAG:   arith.cmpi eq, %[[N]], %[[L]]
// CHECK:       return %{{.*}}, %[[N]]
func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<?x4xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32>
    attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %s = linalg.add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %f = tensor.empty(%n) : tensor<?x4xf32>
  %p = fusion.matmul ins(%s, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>)
    epilogue(%acc: f32, %b = %z[0, 1] : tensor<?x4xf32>) {
      %0 = arith.addf %acc, %b : f32
      fusion.yield %0 : f32
  } -> tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}

// -----

// A cast to static sizes and an expansion promise sizes.
// CHECK-LABEL: func.func private @main_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> (index, index)
// CHECK-DAG:   %[[HALF:[^ ]*]] = arith.divui %[[M]], %c2
// CHECK-DAG:   arith.cmpi eq, %[[N]], %c4
// CHECK-DAG:   arith.cmpi eq, %[[M]], %{{.*}}
// CHECK:       return %{{.*}}, %[[HALF]]
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<?x2xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %cast = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %h = arith.divui %m, %c2 : index
  %e = tensor.expand_shape %y [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %cast, %e : tensor<4xf32>, tensor<?x2xf32>
}

// -----

// Static entries are left alone.
// CHECK-LABEL: func.func @static
// CHECK-SAME:    attributes {fusion.entry = {}}
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> attributes {fusion.entry = {}} {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xindex>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{expected sizes of results that follow from sizes of inputs, got dim 0 of result 0 from 'tensor.extract'}}
  %n = tensor.extract %x[%c0] : tensor<4xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func private @elsewhere(tensor<?xf32>) -> tensor<?xf32>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  // expected-error@+1 {{expected sizes of results that follow from sizes of inputs, got dim 0 of result 0 from 'func.call'}}
  %r = call @elsewhere(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected structured control flow in an entry with dynamic sizes, got more than one block}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  cf.br ^end
^end:
  return %x : tensor<?xf32>
}

// -----

// The last place of a window lies in its image, padding included. A window that is larger than its image has none.
// CHECK-LABEL: func.func private @window_shapes
// CHECK-SAME:    (%[[H:[^ :,)]*]]: index) -> (index, index)
// CHECK-DAG:   %[[PADDED:[^ ]*]] = affine.apply #{{.*}}()[%[[H]]]
// CHECK-DAG:   %[[LAST:[^ ]*]] = arith.addi %[[H]], %c2
// CHECK-DAG:   arith.cmpi sle, %[[LAST]], %[[PADDED]]
func.func @window(%x: tensor<1x?x8x2xf32>) -> tensor<1x?x8x2xf32> attributes {fusion.entry = {}} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = tensor.dim %x, %c1 : tensor<1x?x8x2xf32>
  %r = arith.subi %h, %c2 : index
  %e = tensor.empty(%r) : tensor<1x?x8x2xf32>
  %y = fusion.pool max ins(%x : tensor<1x?x8x2xf32>) outs(%e : tensor<1x?x8x2xf32>)
    {dilations = [2, 1], layout = channels_last, pad_high = [1, 0], pad_low = [1, 0], window = [3, 1]} -> tensor<1x?x8x2xf32>
  return %y : tensor<1x?x8x2xf32>
}

// -----

// In a branch an op expects something only where the branch is taken; in a loop, in the first trip and in the last.
// CHECK-LABEL: func.func private @nested_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> (index, index)
// CHECK-DAG:   %[[NONE:[^ ]*]] = arith.cmpi sle, %[[M]], %c0
// CHECK-DAG:   %[[ROOM:[^ ]*]] = arith.cmpi sle, %[[M]], %[[N]]
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    shape_errors = {{\[.*}}"expected a slice inside its tensor in 'tensor.extract_slice', which follows from dim 0 of input 0, dim 0 of input 1", "expected sizes that agree in 'linalg.add', where dim 0 of input 0 must be equal to dim 0 of input 1"]
// CHECK-NOT:   cf.assert
// CHECK:       return
func.func @nested(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<1xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<1xf32>
  %s = scf.for %i = %c0 to %m step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %part = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  %large = arith.cmpi sgt, %n, %c8 : index
  %r = scf.if %large -> tensor<?xf32> {
    %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r, %s : tensor<?xf32>, tensor<1xf32>
}

// -----

// Where data, or what is no linear function of a trip, decides, the call asserts it.
// CHECK-LABEL: func.func @data
// CHECK-SAME:    shape_errors = []
// CHECK:       scf.if
// CHECK:       cf.assert %{{.*}}, "expected sizes that agree in 'linalg.add'"
// CHECK:       linalg.add
// CHECK:       scf.for
// CHECK:       cf.assert %{{.*}}, "expected a slice inside its tensor in 'tensor.extract_slice'"
// CHECK:       tensor.extract_slice
func.func @data(%x: tensor<?xf32>, %y: tensor<?xf32>, %flag: tensor<i1>) -> (tensor<?xf32>, tensor<1xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %bit = tensor.extract %flag[] : tensor<i1>
  %r = scf.if %bit -> tensor<?xf32> {
    %sum = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  %e = tensor.empty() : tensor<1xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> tensor<1xf32> {
    %square = arith.muli %i, %i : index
    %part = tensor.extract_slice %y[%square] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %new = linalg.exp ins(%part : tensor<1xf32>) outs(%a : tensor<1xf32>) -> tensor<1xf32>
    scf.yield %new : tensor<1xf32>
  }
  return %r, %s : tensor<?xf32>, tensor<1xf32>
}

// -----

// No division of any dialect traps before the assertion that guards it: not by zero, not of the least number by -1.
// CHECK-LABEL: func.func private @divisions_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index, %[[M:[^ :,)]*]]: index) -> (index, index, index, index)
// CHECK-DAG:   %[[POSITIVE:[^ ]*]] = arith.maxsi %[[M]], %c1
// CHECK-DAG:   affine.apply #{{.*}}()[%[[N]], %[[POSITIVE]]]
// CHECK-DAG:   arith.cmpi eq, %[[N]], %c-9223372036854775808
// CHECK-DAG:   %[[ZERO:[^ ]*]] = arith.cmpi eq, %[[M]], %c0
// CHECK-DAG:   index.divs %[[N]], %[[SIGNED:[^ ]*]]
// CHECK-DAG:   %[[SIGNED]] = arith.select %{{.*}}, %c1{{[^,]*}}, %[[M]]
// CHECK-DAG:   index.remu %[[N]], %[[UNSIGNED:[^ ]*]]
// CHECK-DAG:   %[[UNSIGNED]] = arith.select %[[ZERO]], %c1{{[^,]*}}, %[[M]]
func.func @divisions(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %a = index.divs %n, %m
  %b = index.remu %n, %m
  %c = affine.apply affine_map<()[s0, s1] -> (s0 ceildiv s1)>()[%n, %m]
  %e0 = tensor.empty(%a) : tensor<?xf32>
  %e1 = tensor.empty(%b) : tensor<?xf32>
  %e2 = tensor.empty(%c) : tensor<?xf32>
  return %e0, %e1, %e2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// What may trap and has no guard is no size before the call.
func.func @power(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  // expected-error@+1 {{expected sizes of results that follow from sizes of inputs, got dim 0 of result 0 from 'math.ipowi'}}
  %p = math.ipowi %i, %i : i64
  %q = arith.index_cast %p : i64 to index
  %e = tensor.empty(%q) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// Nothing of what is computed before the call is poison where the call would not compute it: shifts, conversions and promises.
// CHECK-LABEL: func.func private @poison_shapes
// CHECK-SAME:    (%[[N:[^ :,)]*]]: index) -> (index, index)
// CHECK-DAG:   %[[FEW:[^ ]*]] = arith.cmpi ule, %[[N]], %c63
// CHECK-DAG:   %[[AMOUNT:[^ ]*]] = arith.select %[[FEW]], %[[N]], %c0
// CHECK-DAG:   arith.shli %c1{{[^,]*}}, %[[AMOUNT]] : index
// CHECK-DAG:   arith.divui %[[N]], %c3{{[^ ]*}} : index
// CHECK-DAG:   arith.addi %[[N]], %c3{{[^ ]*}} : index
// CHECK-DAG:   %[[FLOAT:[^ ]*]] = math.sqrt
// CHECK-DAG:   %[[LOW:[^ ]*]] = arith.cmpf oge, %[[FLOAT]], %cst{{[^ ]*}} : f32
// CHECK-DAG:   %[[HIGH:[^ ]*]] = arith.cmpf olt, %[[FLOAT]], %cst{{[^ ]*}} : f32
// CHECK-DAG:   %[[INSIDE:[^ ]*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK-DAG:   %[[SAFE:[^ ]*]] = arith.select %[[INSIDE]], %[[FLOAT]], %cst{{[^ ]*}} : f32
// CHECK-DAG:   arith.fptosi %[[SAFE]] : f32 to i8
func.func @poison(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %shifted = arith.shli %c1, %n overflow<nuw> : index
  %sum = arith.addi %n, %c3 overflow<nsw> : index
  %part = arith.divui %n, %c3 exact : index
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  %root = math.sqrt %f : f32
  %b = arith.fptosi %root : f32 to i8
  %c = arith.index_cast %b : i8 to index
  %0 = arith.addi %shifted, %sum : index
  %1 = arith.addi %0, %part : index
  %2 = arith.addi %1, %c : index
  %e = tensor.empty(%2) : tensor<?xf32>
  return %e : tensor<?xf32>
}
