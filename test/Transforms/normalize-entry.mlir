// RUN: mlir-fusion-opt %s --fusion-normalize-entry=entry=scalars | FileCheck %s --check-prefix=SCALARS
// RUN: mlir-fusion-opt %s --fusion-normalize-entry=entry=called | FileCheck %s --check-prefix=CALLED
// RUN: mlir-fusion-opt %s --fusion-normalize-entry=entry=plain | FileCheck %s --check-prefix=PLAIN
// RUN: not mlir-fusion-opt %s --fusion-normalize-entry 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: expected a public function 'main' with a body as entry, got 'scalars', 'called', 'caller', 'plain'

// SCALARS: func.func @scalars(%[[X:.+]]: tensor<4xf32>, %[[S:.+]]: tensor<f32>, %[[N:.+]]: tensor<index>)
// SCALARS-SAME: -> (tensor<4xf32>, tensor<f32>)
// SCALARS-DAG: %[[N0:.+]] = tensor.extract %[[N]][]
// SCALARS-DAG: %[[S0:.+]] = tensor.extract %[[S]][]
// SCALARS: tensor.insert %[[S0]] into %[[X]][%[[N0]]]
// SCALARS: %[[R:.+]] = tensor.from_elements %{{.+}} : tensor<f32>
// SCALARS: return %{{.+}}, %[[R]]
func.func @scalars(%x: tensor<4xf32>, %s: f32, %n: index) -> (tensor<4xf32>, f32) {
  %y = tensor.insert %s into %x[%n] : tensor<4xf32>
  %r = arith.addf %s, %s : f32
  return %y, %r : tensor<4xf32>, f32
}

// Callers inside the module do not go through the ABI of the entry.
// CALLED: func.func @called(%[[X:.+]]: tensor<4xf32>)
// CALLED-NEXT: %[[R:.+]] = call @called_0(%[[X]])
// CALLED-NEXT: return %[[R]]
// CALLED: func.func private @called_0
// CALLED: call @called_0
// CALLED: func.func @caller
// CALLED: call @called_0
func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// PLAIN: func.func @plain(%[[X:.+]]: tensor<4xf32>, %[[M:.+]]: memref<4xf32>) -> tensor<4xf32>
// PLAIN-NEXT: return %[[X]]
func.func @plain(%x: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
