// y = transpose(a + b), z = row sums of it: a buffer of dynamic size and two results.
func.func @main(%a: tensor<1x?x?xf32> {torch.name = "a"}, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %m = tensor.dim %b, %c1 : tensor<?x?xf32>
  %flat = tensor.collapse_shape %a [[0, 1], [2]] : tensor<1x?x?xf32> into tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %sum = linalg.add ins(%flat, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %ez = tensor.empty(%n) : tensor<?xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ez : tensor<?xf32>) -> tensor<?xf32>
  %z = linalg.reduce ins(%sum : tensor<?x?xf32>) outs(%fz : tensor<?xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  %et = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.transpose ins(%sum : tensor<?x?xf32>) outs(%et : tensor<?x?xf32>) permutation = [1, 0]
  return %y, %z : tensor<?x?xf32>, tensor<?xf32>
}
