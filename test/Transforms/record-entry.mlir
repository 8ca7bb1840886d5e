// RUN: mlir-fusion-opt %s -fusion-record-entry=entry=named | FileCheck %s
// RUN: not mlir-fusion-opt %s -fusion-record-entry 2>&1 | FileCheck %s --check-prefix=NO-MAIN
// RUN: not mlir-fusion-opt %s -fusion-record-entry=entry=inner 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: not mlir-fusion-opt %s -fusion-record-entry=entry=scalar 2>&1 | FileCheck %s --check-prefix=SCALAR

// NO-MAIN: error: expected a public function 'main' with a body as entry, got 'named', 'scalar'
// PRIVATE: error: expected a public function 'inner' with a body as entry, got 'named', 'scalar'
// SCALAR: error: expected a ranked tensor or memref as argument 1 of the entry, got 'i32'

// CHECK-LABEL: func.func @named
// CHECK-SAME:    (%{{.*}}: tensor<1x3x8x8xf32> {bufferization.writable = false, torch.name = "image"},
// CHECK-SAME:     %{{.*}}: tensor<?xi64> {bufferization.writable = false}, %{{.*}}: memref<4xf32>,
// CHECK-SAME:     %{{.*}}: tensor<f16> {bufferization.writable = false, torch.name = "image"})
// CHECK-SAME:  attributes {fusion.entry = {input_names = ["image", "in1", "in2", "in3"],
// CHECK-SAME:    inputs = [tensor<1x3x8x8xf32>, tensor<?xi64>, memref<4xf32>, tensor<f16>],
// CHECK-SAME:    output_names = ["out0", "label"], outputs = [tensor<1x3x8x8xf32>, tensor<?xi64>]}}
func.func @named(%x: tensor<1x3x8x8xf32> {torch.name = "image"}, %y: tensor<?xi64>, %m: memref<4xf32>,
                 %same: tensor<f16> {torch.name = "image"})
    -> (tensor<1x3x8x8xf32>, tensor<?xi64> {torch.name = "label"}) {
  return %x, %y : tensor<1x3x8x8xf32>, tensor<?xi64>
}

// CHECK: func.func @scalar(%{{.*}}: tensor<2xf32>, %{{.*}}: i32)
func.func @scalar(%x: tensor<2xf32>, %n: i32) {
  return
}

func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// A declaration is no entry.
func.func private @elsewhere(tensor<2xf32>)

// CHECK: func.func private @elsewhere(tensor<2xf32>) attributes {llvm.emit_c_interface}
// CHECK: func.func private @plain(f32)
// CHECK-NOT: llvm.emit_c_interface
func.func private @observer(tensor<2xf32>)
func.func private @plain(f32)
