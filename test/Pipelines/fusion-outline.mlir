// RUN: mlir-fusion-opt %s --fusion-bufferize --fusion-outline=target=x86-64-v3 | FileCheck %s
// RUN: mlir-fusion-opt %s --fusion-bufferize --fusion-outline="target=x86-64-v3 threading=none" | FileCheck %s --check-prefix=SERIAL
// RUN: mlir-fusion-opt %s --fusion-bufferize --fusion-outline="target=x86-64-v3 parallel=false" | FileCheck %s --check-prefix=SERIAL
// RUN: mlir-fusion-opt %s --fusion-bufferize --fusion-outline=profile=true | grep "call @fusion_profile_begin"

// After the stage the entry only calls kernels; a kernel holds one op.
// CHECK-NOT:   tensor.
// CHECK:       module @kernel_matmul_0_module {
// CHECK-NEXT:    func.func @kernel_matmul_0({{.*}}) attributes {fusion.kernel, llvm.bareptr} {
// CHECK-NEXT:      fusion.matmul
// CHECK:       func.func private @kernel_matmul_0(
// CHECK:       module @kernel_softmax_0_module {
// CHECK:         linalg.softmax
// CHECK-LABEL: func.func @main
// CHECK-SAME:    fusion.entry
// CHECK-NOT:   fusion.matmul
// CHECK-NOT:   linalg.
// CHECK-NOT:   memref.copy
// CHECK:       scf.parallel
// CHECK:         func.call @kernel_matmul_0
// CHECK:       call @kernel_softmax_0(
// CHECK:       return
// SERIAL-NOT:  scf.parallel
func.func @main(%x: tensor<120x64xf32>) -> tensor<120x64xf32> {
  %w = arith.constant dense<0.5> : tensor<4x64x16xf32>
  %e = tensor.empty() : tensor<120x64xf32>
  %y = fusion.matmul ins(%x, %w : tensor<120x64xf32>, tensor<4x64x16xf32>) outs(%e : tensor<120x64xf32>) {rhs_layout = packed}
    -> tensor<120x64xf32>
  %z = linalg.softmax dimension(1) ins(%y : tensor<120x64xf32>) outs(%e : tensor<120x64xf32>) -> tensor<120x64xf32>
  return %z : tensor<120x64xf32>
}
