// @observe sees x before the 1 is added to it.
func.func private @observe(%x: tensor<2x3xf32>)

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  call @observe(%x) : (tensor<2x3xf32>) -> ()
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
       ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
