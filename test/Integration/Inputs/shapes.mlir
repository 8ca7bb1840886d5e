// Roots and other ops of rank 0, of size 1 and without elements.
#s = affine_map<() -> ()>
func.func @main(%a: tensor<f32>, %e: tensor<0x3xf32>, %w: tensor<3x5xf32>, %i: tensor<1x3x0x7xf32>, %x: tensor<2x0xf32>, %one: tensor<1x1x1x1xf32>, %z: tensor<0x3x8x8xf32>)
    -> (tensor<f32>, tensor<0x5xf32>, tensor<2x5xf32>, tensor<1x4x0x7xf32>, tensor<1x1x1x1xf32>, tensor<0x4x6x6xf32>, tensor<0x3x4x4xf32>, tensor<f32>) {
  %c = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<f32>
  %0 = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%a : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %m = arith.mulf %p, %c : f32
    %t = math.tanh %m : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %e1 = tensor.empty() : tensor<0x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<0x5xf32>) -> tensor<0x5xf32>
  %1 = linalg.matmul ins(%e, %w : tensor<0x3xf32>, tensor<3x5xf32>) outs(%f1 : tensor<0x5xf32>) -> tensor<0x5xf32>
  %e2 = tensor.empty() : tensor<2x5xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<2x5xf32>) -> tensor<2x5xf32>
  %y = tensor.empty() : tensor<0x5xf32>
  %2 = linalg.matmul ins(%x, %y : tensor<2x0xf32>, tensor<0x5xf32>) outs(%f2 : tensor<2x5xf32>) -> tensor<2x5xf32>
  %w3 = arith.constant dense<1.0> : tensor<4x3x1x1xf32>
  %e3 = tensor.empty() : tensor<1x4x0x7xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x4x0x7xf32>) -> tensor<1x4x0x7xf32>
  %3 = linalg.conv_2d_nchw_fchw ins(%i, %w3 : tensor<1x3x0x7xf32>, tensor<4x3x1x1xf32>) outs(%f3 : tensor<1x4x0x7xf32>) -> tensor<1x4x0x7xf32>
  %w4 = arith.constant dense<1.5> : tensor<1x1x1x1xf32>
  %e4 = tensor.empty() : tensor<1x1x1x1xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %4 = linalg.conv_2d_nchw_fchw ins(%one, %w4 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) outs(%f4 : tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32>
  %w5 = arith.constant dense<1.0> : tensor<4x3x3x3xf32>
  %e5 = tensor.empty() : tensor<0x4x6x6xf32>
  %f5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<0x4x6x6xf32>) -> tensor<0x4x6x6xf32>
  %5 = linalg.conv_2d_nchw_fchw ins(%z, %w5 : tensor<0x3x8x8xf32>, tensor<4x3x3x3xf32>) outs(%f5 : tensor<0x4x6x6xf32>) -> tensor<0x4x6x6xf32>
  %e6 = tensor.empty() : tensor<0x3x4x4xf32>
  %f6 = linalg.fill ins(%low : f32) outs(%e6 : tensor<0x3x4x4xf32>) -> tensor<0x3x4x4xf32>
  %win = tensor.empty() : tensor<2x2xf32>
  %6 = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>} ins(%z, %win : tensor<0x3x8x8xf32>, tensor<2x2xf32>) outs(%f6 : tensor<0x3x4x4xf32>) -> tensor<0x3x4x4xf32>
  %f7 = linalg.fill ins(%c : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %7 = linalg.reduce ins(%x : tensor<2x0xf32>) outs(%f7 : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %acc: f32) { %s = arith.addf %in, %acc : f32 linalg.yield %s : f32 }
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<0x5xf32>, tensor<2x5xf32>, tensor<1x4x0x7xf32>, tensor<1x1x1x1xf32>, tensor<0x4x6x6xf32>, tensor<0x3x4x4xf32>, tensor<f32>
}
