// %x + 1.5
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = arith.constant dense<1.5> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.add ins(%x, %c : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
