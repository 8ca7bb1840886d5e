#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<?x3x?xi8> {fuzz.seed = 814 : i64, fuzz.shape = array<i64: 2, 3, 16>, fuzz.values = "normal"}) -> tensor<?x1x?xi32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x3x?xi8>
    %c2 = arith.constant 2 : index
    %0 = tensor.empty(%dim, %c2) : tensor<?x2x?xi32>
    %c0_i32 = arith.constant 0 : i32
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<?x2x?xi32>) -> tensor<?x2x?xi32>
    %c0_0 = arith.constant 0 : index
    %dim_1 = tensor.dim %1, %c0_0 : tensor<?x2x?xi32>
    %c2_2 = arith.constant 2 : index
    %cst = arith.constant dense<[[[81], [-7]]]> : tensor<1x2x1xi32>
    %2 = tensor.empty(%dim_1, %c2_2) : tensor<?x1x?xi32>
    %c0_i32_3 = arith.constant 0 : i32
    %3 = linalg.fill ins(%c0_i32_3 : i32) outs(%2 : tensor<?x1x?xi32>) -> tensor<?x1x?xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%1, %cst : tensor<?x2x?xi32>, tensor<1x2x1xi32>) outs(%3 : tensor<?x1x?xi32>) {
    ^bb0(%in: i32, %in_5: i32, %out: i32):
      %6 = arith.muli %in, %in_5 : i32
      %7 = arith.addi %out, %6 : i32
      linalg.yield %7 : i32
    } -> tensor<?x1x?xi32>
    %c0_4 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %5 = scf.for %arg1 = %c0_4 to %c3 step %c1 iter_args(%arg2 = %4) -> (tensor<?x1x?xi32>) {
      %c0_5 = arith.constant 0 : index
      %dim_6 = tensor.dim %arg2, %c0_5 : tensor<?x1x?xi32>
      %c2_7 = arith.constant 2 : index
      %dim_8 = tensor.dim %arg2, %c2_7 : tensor<?x1x?xi32>
      %6 = tensor.empty(%dim_6, %dim_8) : tensor<?x1x?xi32>
      %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg2 : tensor<?x1x?xi32>) outs(%6 : tensor<?x1x?xi32>) {
      ^bb0(%in: i32, %out: i32):
        %c0_i32_9 = arith.constant 0 : i32
        %8 = arith.maxsi %in, %c0_i32_9 : i32
        %c70_i32 = arith.constant 70 : i32
        %9 = arith.minsi %8, %c70_i32 : i32
        linalg.yield %9 : i32
      } -> tensor<?x1x?xi32>
      scf.yield %7 : tensor<?x1x?xi32>
    }
    return %5 : tensor<?x1x?xi32>
  }
}
