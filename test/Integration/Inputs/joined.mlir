// Parts of 12, 20 and 12 channels are joined, one of them read elsewhere too; then a padded convolution, a gate for each
// channel and a resize to twice the size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (n, c, 0, 0)>
#vector = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x8x6x7xf32>) -> tensor<1x9x12x14xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 42.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %wa = arith.constant dense<0.125> : tensor<12x8x1x1xf32>
  %ba = arith.constant dense<[0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0, 6.0]> : tensor<12xf32>
  %wb = arith.constant dense<0.0625> : tensor<20x8x3x3xf32>
  %wd = arith.constant dense<0.03125> : tensor<9x44x3x3xf32>
  %bd = arith.constant dense<[0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0]> : tensor<9xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %all = tensor.empty() : tensor<6x7xf32>

  %ea = tensor.empty() : tensor<1x12x6x7xf32>
  %fa = linalg.fill ins(%zero : f32) outs(%ea : tensor<1x12x6x7xf32>) -> tensor<1x12x6x7xf32>
  %a0 = linalg.conv_2d_nchw_fchw ins(%x, %wa : tensor<1x8x6x7xf32>, tensor<12x8x1x1xf32>) outs(%fa : tensor<1x12x6x7xf32>) -> tensor<1x12x6x7xf32>
  %a = linalg.generic {indexing_maps = [#id, #vector, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a0, %ba : tensor<1x12x6x7xf32>, tensor<12xf32>) outs(%ea : tensor<1x12x6x7xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %s = arith.addf %in, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x12x6x7xf32>

  %pa = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %lowest : f32
  } : tensor<1x12x6x7xf32> to tensor<1x12x8x9xf32>
  %fp = linalg.fill ins(%lowest : f32) outs(%ea : tensor<1x12x6x7xf32>) -> tensor<1x12x6x7xf32>
  %p = linalg.pooling_nchw_max ins(%pa, %window : tensor<1x12x8x9xf32>, tensor<3x3xf32>) outs(%fp : tensor<1x12x6x7xf32>) -> tensor<1x12x6x7xf32>

  %px = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x6x7xf32> to tensor<1x8x8x9xf32>
  %eb = tensor.empty() : tensor<1x20x6x7xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%eb : tensor<1x20x6x7xf32>) -> tensor<1x20x6x7xf32>
  %b = linalg.conv_2d_nchw_fchw ins(%px, %wb : tensor<1x8x8x9xf32>, tensor<20x8x3x3xf32>) outs(%fb : tensor<1x20x6x7xf32>) -> tensor<1x20x6x7xf32>

  %c = tensor.concat dim(1) %p, %b, %a : (tensor<1x12x6x7xf32>, tensor<1x20x6x7xf32>, tensor<1x12x6x7xf32>) -> tensor<1x44x6x7xf32>
  %pc = tensor.pad %c low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x44x6x7xf32> to tensor<1x44x8x9xf32>
  %ed = tensor.empty() : tensor<1x9x6x7xf32>
  %fd = linalg.broadcast ins(%bd : tensor<9xf32>) outs(%ed : tensor<1x9x6x7xf32>) dimensions = [0, 2, 3]
  %d = linalg.conv_2d_nchw_fchw ins(%pc, %wd : tensor<1x44x8x9xf32>, tensor<9x44x3x3xf32>) outs(%fd : tensor<1x9x6x7xf32>) -> tensor<1x9x6x7xf32>

  %es = tensor.empty() : tensor<1x9x1x1xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<1x9x1x1xf32>) -> tensor<1x9x1x1xf32>
  %sum = linalg.pooling_nchw_sum ins(%d, %all : tensor<1x9x6x7xf32>, tensor<6x7xf32>) outs(%fs : tensor<1x9x1x1xf32>) -> tensor<1x9x1x1xf32>
  %gate = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<1x9x1x1xf32>) outs(%es : tensor<1x9x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.divf %in, %count : f32
    %n = arith.negf %m : f32
    %t = math.exp %n : f32
    %u = arith.addf %t, %one : f32
    %r = arith.divf %one, %u : f32
    linalg.yield %r : f32
  } -> tensor<1x9x1x1xf32>
  %g = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%d, %gate : tensor<1x9x6x7xf32>, tensor<1x9x1x1xf32>) outs(%ed : tensor<1x9x6x7xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %r = arith.mulf %in, %s : f32
    linalg.yield %r : f32
  } -> tensor<1x9x6x7xf32>

  %er = tensor.empty() : tensor<1x9x12x14xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%er : tensor<1x9x12x14xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 1 : index
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %sh = arith.divui %h, %c2 : index
    %sw = arith.divui %w, %c2 : index
    %v = tensor.extract %g[%c0, %k, %sh, %sw] : tensor<1x9x6x7xf32>
    linalg.yield %v : f32
  } -> tensor<1x9x12x14xf32>
  return %r : tensor<1x9x12x14xf32>
}
