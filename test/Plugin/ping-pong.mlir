// A plug-in's canonicalizations that undo each other: an error that names one, at an op that it changed, in each stage that
// canonicalizes, instead of no end.
// RUN: not timeout 300 mlir-fusion-opt %s --load-dialect-plugin=%ping_pong_plugin --fusion-canonicalize 2>&1 | FileCheck %s
// RUN: not timeout 300 mlir-fusion-opt %s --load-dialect-plugin=%ping_pong_plugin --fusion-fuse 2>&1 | FileCheck %s
// RUN: not timeout 300 mlir-fusion-opt %s --load-dialect-plugin=%ping_pong_plugin --fusion-compile=target=x86-64-v3 2>&1 | FileCheck %s
// Without the plug-in the module compiles.
// RUN: mlir-fusion-opt %s --fusion-compile=target=x86-64-v3 --allow-unregistered-dialect -o /dev/null

// CHECK: ping-pong.mlir:[[#@LINE+8]]:{{.*}}error: expected rules to come to an end within {{[0-9]+}} rewrites, got {{[0-9]+}} of them by '{{expand|fold}}-difference'
#id = affine_map<(d0) -> (d0)>

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {pingpong.loaded} {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
