// RUN: mlir-fusion-opt %s --fusion-fold-constants -split-input-file -verify-diagnostics

// Weights whose data is not there end in an error, not in a crash.

func.func @missing() -> tensor<2xf32> {
  // expected-error @below {{expected data for resource 'nowhere', got none}}
  %0 = arith.constant dense_resource<nowhere> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// What was printed without its constants lacks all of them: one error says so.
func.func @elided() -> (tensor<2xf32>, tensor<2xi32>, tensor<3xf32>) {
  // expected-error @below {{expected data for resource '__elided__', got none, nor for 2 more; a module that is printed with --keep-constants has it}}
  %0 = arith.constant dense_resource<__elided__> : tensor<2xf32>
  %1 = "tosa.const"() {values = dense_resource<__elided__> : tensor<2xi32>} : () -> tensor<2xi32>
  %2 = arith.constant dense_resource<other> : tensor<3xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<3xf32>
}

// -----

func.func @short() -> tensor<4xf32> {
  // expected-error @below {{expected 16 bytes in resource 'short' of type 'tensor<4xf32>', got 8}}
  %0 = arith.constant dense_resource<short> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F00000040"
    }
  }
#-}
