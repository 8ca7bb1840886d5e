// RUN: mlir-fusion-opt %s -split-input-file -verify-diagnostics

// Operands that the generic form counts wrong.
func.func @no_init(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected one operand in segment 3 of operandSegmentSizes, got 0}}
  %0 = "fusion.matmul"(%x, %y, %v) <{epilogue_dims = [array<i64: 1>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>,
      rhs_layout = #fusion<matrix_layout plain>}> ({
  ^bb0(%acc: f32, %b: f32):
    "fusion.yield"(%acc) : (f32) -> ()
  }) : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @two_lhs(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %e: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected one operand in segment 0 of operandSegmentSizes, got 3}}
  %0 = "fusion.matmul"(%x, %y, %e) <{epilogue_dims = [], operandSegmentSizes = array<i32: 3, 0, 0, 0, 0>,
      rhs_layout = #fusion<matrix_layout plain>}> ({
  ^bb0(%acc: f32):
    "fusion.yield"(%acc) : (f32) -> ()
  }) : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
