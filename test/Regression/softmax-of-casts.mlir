// A softmax whose operand has become static and whose result has not: upstream's decomposition expects one type.
// Found by the fuzzer (seed 540004676).
// RUN: mlir-fusion-fuzz %s | FileCheck %s
// CHECK: right: 1 elements compared
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
module attributes {fuzz.accuracy = "default", fuzz.disable = [], fuzz.target = "x86-64-v3", fuzz.threads = 1 : i64} {
  func.func @main(%arg0: tensor<?x1x?xbf16> {fuzz.seed = 388 : i64, fuzz.shape = array<i64: 1, 1, 1>, fuzz.values = "normal"}) -> tensor<?x1x?x1xbf16> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x1x?xbf16>
    %c2 = arith.constant 2 : index
    %dim_0 = tensor.dim %arg0, %c2 : tensor<?x1x?xbf16>
    %cst = arith.constant dense<0.000000e+00> : tensor<1x1x1x1xbf16>
    %0 = tensor.empty(%dim, %dim_0) : tensor<?x1x?x1xbf16>
    %cst_1 = arith.constant 0.000000e+00 : bf16
    %1 = linalg.fill ins(%cst_1 : bf16) outs(%0 : tensor<?x1x?x1xbf16>) -> tensor<?x1x?x1xbf16>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%arg0, %cst : tensor<?x1x?xbf16>, tensor<1x1x1x1xbf16>) outs(%1 : tensor<?x1x?x1xbf16>) {
    ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
      %5 = arith.mulf %in, %in_6 : bf16
      %6 = arith.addf %out, %5 : bf16
      linalg.yield %6 : bf16
    } -> tensor<?x1x?x1xbf16>
    %c0_2 = arith.constant 0 : index
    %dim_3 = tensor.dim %2, %c0_2 : tensor<?x1x?x1xbf16>
    %c2_4 = arith.constant 2 : index
    %dim_5 = tensor.dim %2, %c2_4 : tensor<?x1x?x1xbf16>
    %3 = tensor.empty(%dim_3, %dim_5) : tensor<?x1x?x1xbf16>
    %4 = linalg.softmax dimension(0) ins(%2 : tensor<?x1x?x1xbf16>) outs(%3 : tensor<?x1x?x1xbf16>) -> tensor<?x1x?x1xbf16>
    return %4 : tensor<?x1x?x1xbf16>
  }
}
