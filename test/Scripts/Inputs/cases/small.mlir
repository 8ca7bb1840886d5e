func.func @main(%y0: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<4x4xf32>
  %e = linalg.fill ins(%zero : f32) outs(%u : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y1 = linalg.matmul ins(%y0, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y1 : tensor<4x4xf32>
}
