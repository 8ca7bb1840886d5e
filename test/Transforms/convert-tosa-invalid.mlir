// RUN: mlir-fusion-opt %s -split-input-file --fusion-convert-tosa -verify-diagnostics

func.func @no_conversion(%x: tensor<1x4x8xf32>, %y: tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  // expected-error@+1 {{'tosa.custom' op expected a form that upstream's conversions from TOSA to linalg take; state it by linalg or other TOSA ops}}
  %0, %1 = tosa.custom %x, %y {operator_name = "vendor_op", domain_name = "vendor", implementation_attrs = ""} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>)
  return %0, %1 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// -----

func.func @no_rounding(%x: tensor<2xi8>) -> tensor<2xi8> {
  %m = "tosa.const"() {values = dense<19> : tensor<1xi16>} : () -> tensor<1xi16>
  %s = "tosa.const"() {values = dense<14> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  // expected-error@+1 {{'tosa.rescale' op expected a form that upstream's conversions from TOSA to linalg take}}
  %0 = tosa.rescale %x, %m, %s, %z, %z {scale32 = false, rounding_mode = INEXACT_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi16>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
