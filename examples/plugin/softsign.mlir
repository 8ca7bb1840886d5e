// Behind a product, a scale, a shift and an op of the plug-in: all are absorbed into the epilogue, where the plug-in's rule contracts the
// scale and the shift.
#id = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>
func.func @softsign(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %scale: tensor<5xf32>, %shift: tensor<5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %scale, %shift : tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32, %out: f32):
    %scaled = arith.mulf %in, %a : f32
    %shifted = arith.addf %scaled, %b : f32
    %s = acme.softsign %shifted : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}
