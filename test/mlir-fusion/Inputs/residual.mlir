// relu(batch_norm(conv(pad(x))) + x)
#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %zero = arith.constant 0.0 : f32
  %filter = arith.constant dense<0.25> : tensor<4x4x3x3xf32>
  %scale = arith.constant dense<[1.0, 2.0, 0.5, 4.0]> : tensor<4xf32>
  %shift = arith.constant dense<[0.0, -1.0, 1.0, 2.0]> : tensor<4xf32>
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<1x4x6x6xf32> to tensor<1x4x8x8xf32>
  %empty = tensor.empty() : tensor<1x4x6x6xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %conv = linalg.conv_2d_nchw_fchw ins(%padded, %filter : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>)
    outs(%fill : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> loc("conv1")
  %scaled = linalg.generic {indexing_maps = [#nchw, #channel, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%conv, %scale : tensor<1x4x6x6xf32>, tensor<4xf32>) outs(%empty : tensor<1x4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<1x4x6x6xf32>
  %shifted = linalg.generic {indexing_maps = [#nchw, #channel, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%scaled, %shift : tensor<1x4x6x6xf32>, tensor<4xf32>) outs(%empty : tensor<1x4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6x6xf32>
  %sum = linalg.generic {indexing_maps = [#nchw, #nchw, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%shifted, %x : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) outs(%empty : tensor<1x4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x4x6x6xf32>
  %relu = linalg.generic {indexing_maps = [#nchw, #nchw], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%sum : tensor<1x4x6x6xf32>) outs(%empty : tensor<1x4x6x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x4x6x6xf32>
  return %relu : tensor<1x4x6x6xf32>
}
