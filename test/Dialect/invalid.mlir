// RUN: mlir-fusion-opt %s -split-input-file -verify-diagnostics

// Each message of the parser and of the verifiers.

func.func @unknown_layout(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected a known enum value, got channels_middle}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {input_layout = channels_middle} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @unknown_kind(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{expected a known enum value, got median}}
  %0 = fusion.pool median ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @attribute_twice(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{expected attribute 'window' once, got it twice}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2], window = [3, 3]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @one_input(%x: tensor<4x8xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 2 inputs and their types, got 1 and 1}}
  %0 = fusion.matmul ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @unranked_input(%x: tensor<*xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a ranked tensor or memref, got 'tensor<*xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<*xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @strides_of_strings(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected '['}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {strides = "two"} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @stride_beyond_64_bits(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{integer value too large}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {strides = [99999999999999999999, 1]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @groups_of_another_type(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{'fusion.conv' op attribute 'groups' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {groups = "two"} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @no_window(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{requires attribute 'window'}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return
}

// -----

// Relations that every root has.

func.func @no_result(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected one result for a tensor init, got 0}}
  fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>)
  return
}

// -----

func.func @result_on_memrefs(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %i: memref<4x2xf32>) {
  // expected-error@+1 {{expected no result for a memref init, got 1}}
  %0 = fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%i : memref<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @result_of_another_type(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a result of the init's type 'tensor<4x2xf32>', got 'tensor<4x2xf64>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf64>
  return
}

// -----

func.func @memref_among_tensors(%x: memref<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected only tensor operands, got 'memref<4x8xf32>'}}
  %0 = fusion.matmul ins(%x, %w : memref<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @tensor_among_memrefs(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %b: tensor<2xf32>, %i: memref<4x2xf32>) {
  // expected-error@+1 {{expected only memref operands, got 'tensor<2xf32>'}}
  fusion.matmul ins(%x, %w : memref<4x8xf32>, memref<8x2xf32>) outs(%i : memref<4x2xf32>) epilogue(%acc: f32, %e = %b[1] : tensor<2xf32>) {
    fusion.yield %acc : f32
  }
  return
}

// -----

func.func @range_on_tensors(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>, %lo: index, %hi: index) {
  // expected-error@+1 {{expected a range of two values on memrefs, got 2 on tensors}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) range(%lo, %hi) -> tensor<4x2xf32>
  return
}

// -----

func.func @range_of_one(%x: memref<4x8xf32>, %w: memref<8x2xf32>, %i: memref<4x2xf32>, %lo: index) {
  // expected-error@+1 {{expected a range of two values on memrefs, got 1 on memrefs}}
  "fusion.matmul"(%x, %w, %i, %lo) <{epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 1>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (memref<4x8xf32>, memref<8x2xf32>, memref<4x2xf32>, index) -> ()
  return
}

// -----

func.func @complex_input(%x: tensor<4x8xcomplex<f32>>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected inputs of floats or signless integers, got 'tensor<4x8xcomplex<f32>>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xcomplex<f32>>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @unsigned_accumulator(%x: tensor<4x8xi8>, %w: tensor<8x2xi8>, %i: tensor<4x2xui8>) {
  // expected-error@+1 {{expected an accumulator that is a float or a signless integer, got 'ui8'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x2xi8>) outs(%i : tensor<4x2xui8>) -> tensor<4x2xui8>
  return
}

// -----

// Epilogue operands and their dims.

func.func @dims_missing(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected dims for 1 epilogue operands, got 0}}
  %0 = "fusion.matmul"(%x, %w, %b, %i) <{epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> ({
  ^bb0(%acc: f32, %e: f32):
    fusion.yield %acc : f32
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dims_of_another_kind(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{attribute 'epilogue_dims' failed to satisfy constraint: array of i64 arrays}}
  %0 = "fusion.matmul"(%x, %w, %b, %i) <{epilogue_dims = ["one"], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> ({
  ^bb0(%acc: f32, %e: f32):
    fusion.yield %acc : f32
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @vector_operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: vector<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a ranked tensor, memref or scalar as epilogue operand 0, got 'vector<2xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[1] : vector<2xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @unranked_operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<*xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a ranked tensor, memref or scalar as epilogue operand 0, got 'tensor<*xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[1] : tensor<*xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @too_many_dims(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 1 dims for epilogue operand 0, got 2}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[0, 1] : tensor<2xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @scalar_with_dims(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: f32, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 0 dims for epilogue operand 0, got 1}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[1] : f32) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @dim_beyond_the_result(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected result dims below 2 for epilogue operand 0, got 2}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[2] : tensor<2xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @negative_dim(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected result dims below 2 for epilogue operand 0, got -1}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[-1] : tensor<2xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @dim_twice(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected distinct dims for epilogue operand 0, got 1 twice}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[1, 1] : tensor<2x2xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @operand_of_another_size(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<4xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected size 2 in dim 0 of epilogue operand 0, got 4}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, %e = %b[1] : tensor<4xf32>) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

// The epilogue's block.

func.func @no_arguments(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 1 or (with the init's element) 2 epilogue arguments, got 0}}
  %0 = "fusion.matmul"(%x, %w, %i) <{epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
    %c = arith.constant 0.0 : f32
    fusion.yield %c : f32
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @no_block(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{region #0 ('epilogue_region') failed to verify constraint: region with 1 blocks}}
  %0 = "fusion.matmul"(%x, %w, %i) <{epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @empty_block(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expects a non-empty block}}
  %0 = "fusion.matmul"(%x, %w, %i) <{epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  ^bb0(%acc: f32):
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @accumulator_is_no_number(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected an accumulator that is a float or a signless integer, got 'index'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: index) {
    %c = arith.constant 0.0 : f32
    fusion.yield %c : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @argument_of_another_type(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected type 'f32' for epilogue argument 1, got 'f64'}}
  %0 = "fusion.matmul"(%x, %w, %b, %i) <{epilogue_dims = [array<i64: 1>], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> ({
  ^bb0(%acc: f32, %e: f64):
    fusion.yield %acc : f32
  }) : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @init_of_another_type(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected the init's element type 'f32' for the last epilogue argument, got 'f64'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32, init %d: f64) {
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @other_terminator(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected the epilogue to end with fusion.yield, got ub.unreachable}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    ub.unreachable
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @yield_of_another_type(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xbf16>) {
  // expected-error@+1 {{expected the epilogue to yield 'bf16', got 'f32'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xbf16>) epilogue(%acc: f32) {
    fusion.yield %acc : f32
  } -> tensor<4x2xbf16>
  return
}

// -----

func.func @captured_value(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>, %a: f32) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    // expected-error@+1 {{using value defined outside the region}}
    %s = arith.addf %acc, %a : f32
    fusion.yield %s : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @op_with_effect(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) epilogue(%acc: f32) {
    // expected-error@+1 {{expected only constants and elementwise ops without side effects in an epilogue, got vector.print}}
    vector.print %acc : f32
    fusion.yield %acc : f32
  } -> tensor<4x2xf32>
  return
}

// -----

func.func @yield_elsewhere(%a: f32) {
  // expected-error@+1 {{'fusion.yield' op expects parent op to be one of 'fusion.conv, fusion.conv_transpose, fusion.matmul, fusion.pool'}}
  fusion.yield %a : f32
}

// -----

// Convolutions.

func.func @conv_rank_2(%x: tensor<4x6xf32>, %w: tensor<8x4xf32>, %i: tensor<8x6xf32>) {
  // expected-error@+1 {{expected an input of rank 3 to 5, got rank 2}}
  %0 = fusion.conv ins(%x, %w : tensor<4x6xf32>, tensor<8x4xf32>) outs(%i : tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @conv_rank_0(%x: tensor<f32>, %w: tensor<f32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected an input of rank 3 to 5, got rank 0}}
  %0 = fusion.conv ins(%x, %w : tensor<f32>, tensor<f32>) outs(%i : tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @conv_init_rank(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4xf32>) {
  // expected-error@+1 {{expected an init of rank 4, got rank 3}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @conv_filter_rank(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected rank 4 filter, got rank 3}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3xf32>) outs(%i : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_packed_filter_rank(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected rank 5 filter, got rank 4}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {filter_layout = packed} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_one_stride(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected 2 values in strides, got 1}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {strides = [1]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_stride_0(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected values of at least 1 in strides, got 0}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {strides = [1, 0]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_negative_dilation(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected values of at least 1 in dilations, got -1}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {dilations = [-1, 1]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_negative_pad(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected values of at least 0 in pad_low, got -1}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {pad_low = [-1, 0]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_pads_of_another_rank(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected 2 values in pad_high, got 4}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {pad_high = [0, 0, 1, 1]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_no_groups(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected at least 1 group, got 0}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {groups = 0} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_groups_of_input(%x: tensor<1x4x6x6xf32>, %w: tensor<9x1x3x3xf32>, %i: tensor<1x9x4x4xf32>) {
  // expected-error@+1 {{expected input channels that 3 groups divide, got 4}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<9x1x3x3xf32>) outs(%i : tensor<1x9x4x4xf32>) {groups = 3} -> tensor<1x9x4x4xf32>
  return
}

// -----

func.func @conv_groups_of_output(%x: tensor<1x4x6x6xf32>, %w: tensor<9x2x3x3xf32>, %i: tensor<1x9x4x4xf32>) {
  // expected-error@+1 {{expected output channels that 2 groups divide, got 9}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<9x2x3x3xf32>) outs(%i : tensor<1x9x4x4xf32>) {groups = 2} -> tensor<1x9x4x4xf32>
  return
}

// -----

func.func @conv_filter_input_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<8x3x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected 4 filter input channels, got 3}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x3x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_filter_output_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x9x4x4xf32>) {
  // expected-error@+1 {{expected 9 filter output channels, got 8}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x9x4x4xf32>) -> tensor<1x9x4x4xf32>
  return
}

// -----

func.func @conv_dynamic_block(%x: tensor<1x4x6x6xf32>, %w: tensor<1x3x3x4x?xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected a static block of output channels, got 'tensor<1x3x3x4x?xf32>'}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<1x3x3x4x?xf32>) outs(%i : tensor<1x8x4x4xf32>) {filter_layout = packed} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_blocks(%x: tensor<1x4x6x6xf32>, %w: tensor<2x3x3x2x16xf32>, %i: tensor<1x40x4x4xf32>) {
  // expected-error@+1 {{expected 4 blocks of output channels, got 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<2x3x3x2x16xf32>) outs(%i : tensor<1x40x4x4xf32>) {filter_layout = packed, groups = 2} -> tensor<1x40x4x4xf32>
  return
}

// -----

func.func @conv_batch(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<2x8x4x4xf32>) {
  // expected-error@+1 {{expected batch size 1, got 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  return
}

// -----

func.func @conv_empty_window(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x0x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected a window of at least 1, got 0}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x0x3xf32>) outs(%i : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_window_larger_than_image(%x: tensor<1x4x2x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x1x4xf32>) {
  // expected-error@+1 {{expected a padded input of at least 3 elements in dim 2, got 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x2x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x1x4xf32>) -> tensor<1x8x1x4xf32>
  return
}

// -----

func.func @conv_result_size(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x5xf32>) {
  // expected-error@+1 {{expected result size 4 in dim 3, got 5}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x5xf32>) -> tensor<1x8x4x5xf32>
  return
}

// -----

func.func @conv_huge_dilation(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected sizes that fit in 64 bits in dim 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {dilations = [9223372036854775807, 1]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_huge_dilation_of_a_dynamic_image(%x: tensor<1x4x?x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x?x4xf32>) {
  // expected-error@+1 {{expected sizes that fit in 64 bits in dim 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x?x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x?x4xf32>) {dilations = [9223372036854775807, 1]} -> tensor<1x8x?x4xf32>
  return
}

// -----

func.func @conv_huge_pads(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{expected sizes that fit in 64 bits in dim 2}}
  %0 = fusion.conv ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x4x4xf32>) {pad_low = [9223372036854775807, 0], pad_high = [9223372036854775807, 0]} -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_array_of_another_type(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{invalid properties}}
  %0 = "fusion.conv"(%x, %w, %i) <{strides = array<i32: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_missing_attribute(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{requires attribute 'dilations'}}
  %0 = "fusion.conv"(%x, %w, %i) <{strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_segments(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'}}
  %0 = "fusion.conv"(%x, %w, %i) <{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

func.func @conv_integer_input(%x: i32, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor or strided memref, but got 'i32'}}
  %0 = "fusion.conv"(%x, %w, %i) <{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, epilogue_dims = [], operandSegmentSizes = array<i32: 1, 1, 0, 1, 0>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (i32, tensor<8x4x3x3xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return
}

// -----

// Matrix products.

func.func @matmul_init_rank(%x: tensor<8xf32>, %w: tensor<8xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{expected an init of rank at least 2, got rank 1}}
  %0 = fusion.matmul ins(%x, %w : tensor<8xf32>, tensor<8xf32>) outs(%i : tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @matmul_lhs_rank(%x: tensor<2x4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a lhs of rank 2 to 2, got rank 3}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_rhs_rank(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a rhs of rank 2 to 2, got rank 1}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_packed_rhs_rank(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a rhs of rank 3, got rank 2}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) {rhs_layout = packed} -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_packed_and_transposed(%x: tensor<4x8xf32>, %w: tensor<1x8x16xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected no transpose_rhs with a packed rhs, got one}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<1x8x16xf32>) outs(%i : tensor<4x2xf32>) {rhs_layout = packed, transpose_rhs} -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_rows(%x: tensor<5x8xf32>, %w: tensor<8x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 4 lhs rows, got 5}}
  %0 = fusion.matmul ins(%x, %w : tensor<5x8xf32>, tensor<8x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_depth(%x: tensor<4x8xf32>, %w: tensor<9x2xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 8 rhs rows, got 9}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<9x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_columns(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected 2 rhs columns, got 3}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x3xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_dynamic_block(%x: tensor<4x8xf32>, %w: tensor<1x8x?xf32>, %i: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a static block of columns, got 'tensor<1x8x?xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<1x8x?xf32>) outs(%i : tensor<4x2xf32>) {rhs_layout = packed} -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_blocks(%x: tensor<4x8xf32>, %w: tensor<2x8x16xf32>, %i: tensor<4x40xf32>) {
  // expected-error@+1 {{expected 3 blocks of columns, got 2}}
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<2x8x16xf32>) outs(%i : tensor<4x40xf32>) {rhs_layout = packed} -> tensor<4x40xf32>
  return
}

// -----

func.func @matmul_batch(%x: tensor<3x4x8xf32>, %w: tensor<2x8x2xf32>, %i: tensor<3x4x2xf32>) {
  // expected-error@+1 {{expected batch size 3 or 1, got 2 in 'tensor<2x8x2xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<3x4x8xf32>, tensor<2x8x2xf32>) outs(%i : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

// The lhs has the type of the packed rhs.
func.func @matmul_batch_beside_packed(%x: tensor<2x8x8xf32>, %w: tensor<2x8x8xf32>, %i: tensor<3x8x16xf32>) {
  // expected-error@+1 {{expected batch size 3 or 1, got 2 in 'tensor<2x8x8xf32>'}}
  %0 = fusion.matmul ins(%x, %w : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%i : tensor<3x8x16xf32>) {rhs_layout = packed} -> tensor<3x8x16xf32>
  return
}

// -----

// Pools.

func.func @pool_rank(%x: tensor<4x6xf32>, %i: tensor<4x6xf32>) {
  // expected-error@+1 {{expected an input of rank 3 to 5, got rank 2}}
  %0 = fusion.pool max ins(%x : tensor<4x6xf32>) outs(%i : tensor<4x6xf32>) {window = []} -> tensor<4x6xf32>
  return
}

// -----

func.func @pool_init_rank(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5xf32>) {
  // expected-error@+1 {{expected an init of rank 4, got rank 3}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5xf32>) {window = [2, 2]} -> tensor<1x4x5xf32>
  return
}

// -----

func.func @pool_window_of_one_value(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{expected 2 values in window, got 1}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @pool_empty_window(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{expected values of at least 1 in window, got 0}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [0, 2]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @pool_count_of_max(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{expected count_include_pad only with average, got max}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2], count_include_pad} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @pool_unsigned_floats(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{'fusion.pool' op expected integers for max_unsigned, got 'f32'}}
  %0 = fusion.pool max_unsigned ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @pool_unsigned_float_sum(%x: tensor<1x4x6x6xi8>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{'fusion.pool' op expected integers for min_unsigned, got 'f32'}}
  %0 = fusion.pool min_unsigned ins(%x : tensor<1x4x6x6xi8>) outs(%i : tensor<1x4x5x5xf32>) {window = [2, 2]} -> tensor<1x4x5x5xf32>
  return
}

// -----

func.func @pool_channels(%x: tensor<1x4x6x6xf32>, %i: tensor<1x5x5x5xf32>) {
  // expected-error@+1 {{expected size 4 in dim 1, got 5}}
  %0 = fusion.pool max ins(%x : tensor<1x4x6x6xf32>) outs(%i : tensor<1x5x5x5xf32>) {window = [2, 2]} -> tensor<1x5x5x5xf32>
  return
}

// -----

func.func @pool_result_size(%x: tensor<1x6x6x4xf32>, %i: tensor<1x5x6x4xf32>) {
  // expected-error@+1 {{expected result size 5 in dim 2, got 6}}
  %0 = fusion.pool sum ins(%x : tensor<1x6x6x4xf32>) outs(%i : tensor<1x5x6x4xf32>) {layout = channels_last, window = [2, 2]} -> tensor<1x5x6x4xf32>
  return
}

// -----

func.func @pool_kind_of_another_type(%x: tensor<1x4x6x6xf32>, %i: tensor<1x4x5x5xf32>) {
  // expected-error@+1 {{invalid properties}}
  %0 = "fusion.pool"(%x, %i) <{kind = "max", window = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, epilogue_dims = [], operandSegmentSizes = array<i32: 1, 0, 1, 0>}> ({
  ^bb0(%acc: f32):
    fusion.yield %acc : f32
  }) : (tensor<1x4x6x6xf32>, tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  return
}

// -----

// Transposed convolutions.

func.func @transpose_rank(%x: tensor<4x6xf32>, %w: tensor<8x4xf32>, %i: tensor<4x8xf32>) {
  // expected-error@+1 {{expected an input of rank 3 to 5, got rank 2}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<4x6xf32>, tensor<8x4xf32>) outs(%i : tensor<4x8xf32>) {} -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_packed(%x: tensor<1x4x6x6xf32>, %w: tensor<1x3x3x4x8xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected a filter that is not packed}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<1x3x3x4x8xf32>) outs(%i : tensor<1x8x8x8xf32>) {filter_layout = packed} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_filter_rank(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected rank 4 filter, got rank 3}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_stride(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected values of at least 1 in strides, got 0}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {strides = [0, 1]} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_output_padding(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected values of at least 0 in output_padding, got -1}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {output_padding = [-1, 0]} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_output_paddings(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected 2 values in output_padding, got 1}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {output_padding = [1]} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_groups(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected input channels that 3 groups divide, got 4}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {groups = 3} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_filter_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<8x5x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected 4 filter input channels, got 5}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x5x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_output_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<9x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected 8 filter output channels, got 9}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<9x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_batch(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<2x8x8x8xf32>) {
  // expected-error@+1 {{expected batch size 1, got 2}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<2x8x8x8xf32>) {} -> tensor<2x8x8x8xf32>
  return
}

// -----

func.func @transpose_window(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x0x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected a window of at least 1, got 0}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x0x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_empty_input(%x: tensor<1x4x0x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected an input of at least 1 element for result dim 2, got 0}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x0x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_nothing_left(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected pads that leave a result in dim 3, got size 0}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {pad_low = [0, 8]} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_result_size(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected result size 14 in dim 2, got 8}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {strides = [2, 1], output_padding = [1, 0]} -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @transpose_overflow(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>, %i: tensor<1x8x8x8xf32>) {
  // expected-error@+1 {{expected sizes that fit in 64 bits in dim 2}}
  %0 = fusion.conv_transpose ins(%x, %w : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<1x8x8x8xf32>) {strides = [9223372036854775807, 1]} -> tensor<1x8x8x8xf32>
  return
}
