// Each column of an image plus its right neighbour.
func.func @main(%x: tensor<?x?x2xf32> {torch.name = "image"}) -> tensor<?x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x2xf32>
  %w = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %less = arith.subi %w, %c1 : index
  %left = tensor.extract_slice %x[0, 0, 0] [%n, %less, 2] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?x2xf32>
  %right = tensor.extract_slice %x[0, 1, 0] [%n, %less, 2] [1, 1, 1] : tensor<?x?x2xf32> to tensor<?x?x2xf32>
  %e = tensor.empty(%n, %less) : tensor<?x?x2xf32>
  %a = linalg.abs ins(%right : tensor<?x?x2xf32>) outs(%e : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  %y = linalg.add ins(%left, %a : tensor<?x?x2xf32>, tensor<?x?x2xf32>) outs(%e : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}
