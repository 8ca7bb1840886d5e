// What a module says of its CPU goes before what is known of the CPU, and what the option says before both: the width
// of vectors decides the block that weights are packed in.

// RUN: mlir-fusion-opt %s --split-input-file --fusion-pack-constants=target=znver4 | FileCheck %s --check-prefixes=CHECK,MODULE
// RUN: mlir-fusion-opt %s --split-input-file --fusion-pack-constants=target=znver4:vector-bits=512 | FileCheck %s --check-prefixes=CHECK,OPTION
// RUN: mlir-fusion-opt %s --split-input-file '--fusion-plan=target=znver4:vector-bits=512,cores=1' | FileCheck %s --check-prefixes=CHECK,OPTION

// CHECK-LABEL: func.func @stated
// MODULE: fusion.matmul {{.*}} tensor<4x8x16xf32>)
// OPTION: fusion.matmul {{.*}} tensor<2x8x32xf32>)
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"max_vector_op_width" = 128 : i32>,
    "CPU" = #dlti.target_device_spec<"max_vector_op_width" = 256 : ui32, "someone.elses" = "key">>} {
  func.func @stated(%x: tensor<28x8xf32>) -> tensor<28x64xf32> {
    %w = arith.constant dense<1.0> : tensor<8x64xf32>
    %e = tensor.empty() : tensor<28x64xf32>
    %0 = fusion.matmul ins(%x, %w : tensor<28x8xf32>, tensor<8x64xf32>) outs(%e : tensor<28x64xf32>) -> tensor<28x64xf32>
    return %0 : tensor<28x64xf32>
  }
}

// -----

// The spec of the op around it holds; one without a CPU says nothing.
// CHECK-LABEL: func.func @other_devices
// CHECK: fusion.matmul {{.*}} tensor<2x8x32xf32>)
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"max_vector_op_width" = 128 : i32>>} {
  func.func @other_devices(%x: tensor<28x8xf32>) -> tensor<28x64xf32> {
    %w = arith.constant dense<1.0> : tensor<8x64xf32>
    %e = tensor.empty() : tensor<28x64xf32>
    %0 = fusion.matmul ins(%x, %w : tensor<28x8xf32>, tensor<8x64xf32>) outs(%e : tensor<28x64xf32>) -> tensor<28x64xf32>
    return %0 : tensor<28x64xf32>
  }
}
