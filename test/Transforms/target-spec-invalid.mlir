// RUN: mlir-fusion-opt %s --split-input-file --verify-diagnostics --fusion-plan=target=znver4
// RUN: mlir-fusion-opt %s --split-input-file --verify-diagnostics --fusion-outline-kernels=target=znver4
// RUN: mlir-fusion-opt %s --split-input-file --verify-diagnostics --fusion-vectorize-linalg=target=znver4
// RUN: mlir-fusion-opt %s --split-input-file --verify-diagnostics --fusion-to-vector=target=znver4
// RUN: not mlir-fusion-opt %s --split-input-file --fusion-pack-constants=target=znver4:l2=no 2>&1 | FileCheck %s
// CHECK: error: expected l2 of the target to be from 4096 to 1099511627776 bytes, a number with KiB, MiB, GiB or nothing behind it, got 'no'

// expected-error @+1 {{expected 'L2_cache_size_in_bytes' of the device "CPU" to be an integer from 4096 to 1099511627776 bytes, got "big"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L2_cache_size_in_bytes" = "big">>} {
}

// -----

// expected-error @+1 {{expected 'vector_registers' of the device "CPU" to be an integer from 8 to 32, got -1 : i32}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"vector_registers" = -1 : i32>>} {
}

// -----

// expected-error @+1 {{expected 'max_vector_op_width' of the device "CPU" to be an integer from 128 to 512 bits, a power of two, got 384 : ui32}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"max_vector_op_width" = 384 : ui32>>} {
}

// -----

// expected-error @+1 {{got 36893488147419103232 : i128}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"L2_cache_size_in_bytes" = 36893488147419103232 : i128>>} {
}
