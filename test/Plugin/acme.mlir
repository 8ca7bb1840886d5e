// RUN: mlir-fusion-opt %s --load-dialect-plugin=%fusion_plugin --load-pass-plugin=%fusion_plugin \
// RUN:   --pass-pipeline='builtin.module(fusion-absorb,acme-contract)' --remarks-filter=fusion.* --remark-policy=final 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: mlir-fusion-opt %s --load-dialect-plugin=%fusion_plugin --load-pass-plugin=%fusion_plugin \
// RUN:   --pass-pipeline='builtin.module(fusion-absorb,fusion-to-linalg,acme-lower-softsign)' | FileCheck %s --check-prefix=LOWER
// RUN: mlir-fusion-opt %s --load-dialect-plugin=%fusion_plugin --load-pass-plugin=%fusion_plugin -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(fusion-absorb,acme-contract{trace-rules=fusion.matmul})' 2>&1 | FileCheck %s --check-prefix=TRACE

#id = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>

// A third party's op rides in the epilogue by its traits alone.
// CHECK-LABEL: func @softsign
// CHECK: fusion.matmul
// CHECK: acme.softsign
// CHECK-NOT: linalg.generic
// LOWER-LABEL: func @softsign
// LOWER-NOT: acme
// LOWER: math.absf
// LOWER: arith.divf
func.func @softsign(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = acme.softsign %in : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// The plug-in's rule over roots: the scale and the shift become one op, and a remark says so.
// REMARK-DAG: acme-contract-epilogue{{.*}}fused: products and sums are rounded once
// CHECK-LABEL: func @scaled
// CHECK: fusion.matmul {{.*}} epilogue(%[[ACC:.*]]: f32, %[[A:.*]] = %{{.*}}[1] : tensor<5xf32>, %[[B:.*]] = %{{.*}}[1] : tensor<5xf32>)
// CHECK-NEXT: %[[SUM:.*]] = math.fma %[[ACC]], %[[A]], %[[B]] : f32
// CHECK-NEXT: fusion.yield %[[SUM]]
// TRACE: remark: acme-contract-epilogue on fusion.matmul: refused: expected a product plus a term
// TRACE: remark: acme-contract-epilogue on fusion.matmul: applied, rounds
func.func @scaled(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %a: tensor<5xf32>, %b: tensor<5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #channel, #channel, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %a, %b : tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%in: f32, %scale: f32, %shift: f32, %out: f32):
    %scaled = arith.mulf %in, %scale : f32
    %shifted = arith.addf %scaled, %shift : f32
    linalg.yield %shifted : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// An op that does not say that it is elementwise does not.
// REMARK-DAG: not-elementwise: acme.opaque
// CHECK-LABEL: func @opaque
// CHECK: linalg.generic
func.func @opaque(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = acme.opaque %in : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}
