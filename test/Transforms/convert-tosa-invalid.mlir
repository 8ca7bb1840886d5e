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

// -----

// The op is named, not its constants.
func.func @reader_of_constants(%x: tensor<1x4x4x2xf32>, %w: tensor<3x1x1x2xf32>, %b: tensor<3xf32>, %z: tensor<1xf32>) -> tensor<2x8x3xf32> {
  %s = tosa.const_shape {values = dense<[2, 8, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  // expected-error@+1 {{'tosa.conv2d' op expected a form that upstream's conversions from TOSA to linalg take}}
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
  %1 = tosa.reshape %0, %s : (tensor<1x4x4x3xf32>, !tosa.shape<3>) -> tensor<2x8x3xf32>
  return %1 : tensor<2x8x3xf32>
}

// -----

// Upstream's conversion would crash.
func.func @unranked(%x: tensor<*xf32>) -> tensor<1x64x64x8xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.resize' op expected ranked tensors of floats or integers, got 'tensor<*xf32>'}}
  %0 = tosa.resize %x, %scale, %offset, %offset {mode = BILINEAR} : (tensor<*xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x64x64x8xf32>
  return %0 : tensor<1x64x64x8xf32>
}

// -----

func.func @quantized_type(%x: tensor<2x!quant.uniform<i8:f32, 0.01>>) -> tensor<2x!quant.uniform<i8:f32, 0.01>> {
  // expected-error@+1 {{'tosa.abs' op expected ranked tensors of floats or integers, got 'tensor<2x!quant.uniform<i8:f32, 1.000000e-02>>'}}
  %0 = tosa.abs %x : (tensor<2x!quant.uniform<i8:f32, 0.01>>) -> tensor<2x!quant.uniform<i8:f32, 0.01>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.01>>
}
