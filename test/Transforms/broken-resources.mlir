// RUN: mlir-fusion-opt %s --fusion-fold-constants -split-input-file -verify-diagnostics

// Weights whose data is not there end in an error, not in a crash.

func.func @missing() -> tensor<2xf32> {
  // expected-error @below {{expected data for resource 'nowhere', got none}}
  %0 = arith.constant dense_resource<nowhere> : tensor<2xf32>
  return %0 : tensor<2xf32>
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
