// RUN: split-file %s %t
// RUN: mlir-fusion-opt %t/main.mlir -fusion-record-entry | FileCheck %s --check-prefix=MAIN
// RUN: mlir-fusion-opt %t/only.mlir -fusion-record-entry | FileCheck %s --check-prefix=ONLY
// RUN: not mlir-fusion-opt %t/none.mlir -fusion-record-entry 2>&1 | FileCheck %s --check-prefix=NONE

// MAIN-NOT: fusion.entry
// MAIN: func.func @main{{.*}}fusion.entry =
// ONLY-NOT: fusion.entry
// ONLY: func.func @forward{{.*}}fusion.entry =
// NONE: error: expected a public function 'main' with a body as entry, got no public function

//--- main.mlir
func.func @other(%x: tensor<2xf32>) {
  return
}
func.func @main(%x: tensor<2xf32>) {
  return
}

//--- only.mlir
func.func private @other(%x: tensor<2xf32>) {
  return
}
func.func @forward(%x: tensor<2xf32>) {
  return
}

//--- none.mlir
func.func private @main(%x: tensor<2xf32>)
