// RUN: rm -rf %t && mkdir %t
// RUN: mlir-fusion run %s --disable fusion-fuse --random-inputs --output-dir %t
// RUN: mlir-fusion run %s --target x86-64-v3 --random-inputs --expect %t/out0.npy --expect %t/out1.npy --expect %t/out2.npy

// Roots whose operands are slices with strides in the last dim, or of a layout
// that is known at run time only: no kernel walks these, so they are copied.
func.func @main(%x: tensor<12x12xf32>, %y: tensor<6x6xf32>, %flag: tensor<1xi1>, %z: tensor<1x12x12x32xf32>)
    -> (tensor<6x6xf32>, tensor<12x12xf32>, tensor<1x4x4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<6x6xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>

  // A strided rhs, and a strided residual.
  %rhs = tensor.extract_slice %x[1, 0] [6, 6] [1, 2] : tensor<12x12xf32> to tensor<6x6xf32>
  %m = linalg.matmul ins(%y, %rhs : tensor<6x6xf32>, tensor<6x6xf32>) outs(%fill : tensor<6x6xf32>) -> tensor<6x6xf32>
  %residual = tensor.extract_slice %x[0, 1] [6, 6] [2, 2] : tensor<12x12xf32> to tensor<6x6xf32>
  %sum = linalg.add ins(%m, %residual : tensor<6x6xf32>, tensor<6x6xf32>) outs(%e : tensor<6x6xf32>) -> tensor<6x6xf32>

  // One of two layouts.
  %bit = tensor.extract %flag[%c0] : tensor<1xi1>
  %either = scf.if %bit -> (tensor<6x6xf32>) {
    %part = tensor.extract_slice %x[3, 2] [6, 6] [1, 1] : tensor<12x12xf32> to tensor<6x6xf32>
    scf.yield %part : tensor<6x6xf32>
  } else {
    scf.yield %sum : tensor<6x6xf32>
  }
  %r0 = linalg.matmul ins(%sum, %either : tensor<6x6xf32>, tensor<6x6xf32>) outs(%fill : tensor<6x6xf32>) -> tensor<6x6xf32>

  // A strided destination, which is accumulated into.
  %r1 = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %x) -> (tensor<12x12xf32>) {
    %part = tensor.extract_slice %t[%i, 0] [6, 6] [1, 2] : tensor<12x12xf32> to tensor<6x6xf32>
    %acc = linalg.matmul ins(%sum, %y : tensor<6x6xf32>, tensor<6x6xf32>) outs(%part : tensor<6x6xf32>) -> tensor<6x6xf32>
    %next = tensor.insert_slice %acc into %t[%i, 0] [6, 6] [1, 2] : tensor<6x6xf32> into tensor<12x12xf32>
    scf.yield %next : tensor<12x12xf32>
  }

  // Every other channel, to a depthwise convolution and a pool.
  %image = tensor.extract_slice %z[0, 0, 0, 0] [1, 6, 6, 16] [1, 2, 2, 2] : tensor<1x12x12x32xf32> to tensor<1x6x6x16xf32>
  %filter = arith.constant dense<0.25> : tensor<3x3x16xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %f = tensor.empty() : tensor<1x4x4x16xf32>
  %conv_init = linalg.fill ins(%zero : f32) outs(%f : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %conv = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %filter : tensor<1x6x6x16xf32>, tensor<3x3x16xf32>) outs(%conv_init : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %pool_init = linalg.fill ins(%lowest : f32) outs(%f : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %pool = linalg.pooling_nhwc_max {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%image, %window : tensor<1x6x6x16xf32>, tensor<3x3xf32>) outs(%pool_init : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  %r2 = linalg.add ins(%conv, %pool : tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) outs(%f : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  return %r0, %r1, %r2 : tensor<6x6xf32>, tensor<12x12xf32>, tensor<1x4x4x16xf32>
}
