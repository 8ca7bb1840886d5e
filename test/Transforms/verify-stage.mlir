// What a stage cannot take is an error that names the op, its place, what is missing and what to do.
// RUN: not mlir-fusion-opt %s --fusion-verify-stage=stage=bufferize --allow-unregistered-dialect 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUFFERIZE --implicit-check-not=error:
// RUN: not mlir-fusion-opt %s --fusion-verify-stage=stage=outline --allow-unregistered-dialect 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTLINE
// RUN: not mlir-fusion-opt %s --fusion-outline --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=OUTLINE
// RUN: not mlir-fusion-opt %s --fusion-vectorize --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=VECTORIZE
// RUN: not mlir-fusion-opt %s --fusion-lower --allow-unregistered-dialect 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOWER --implicit-check-not=linalg.yield --implicit-check-not='<unknown>'
// RUN: not mlir-fusion-opt %s --fusion-verify-stage=stage=emit --allow-unregistered-dialect 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMIT --implicit-check-not=linalg.yield --implicit-check-not='<unknown>'
// RUN: not mlir-fusion-opt %s --fusion-verify-stage=stage=bake --allow-unregistered-dialect 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAGE
// RUN: mlir-fusion-opt %s --fusion-verify-stage --allow-unregistered-dialect -o /dev/null

// BUFFERIZE: verify-stage.mlir:{{[0-9]+:[0-9]+}}: error: 'acme.op' op has no form on memrefs: expected an op that implements BufferizableOpInterface; rewrite it to linalg, tensor, scf or arith ops before fusion-bufferize
// BUFFERIZE: verify-stage.mlir:{{[0-9]+:[0-9]+}}: error: 'acme.scalar' op has unknown effects on memory: expected an op that implements MemoryEffectOpInterface (or the trait Pure) before fusion-bufferize
// OUTLINE: error: 'acme.op' op is on tensors: expected memrefs; run fusion-bufferize first
// VECTORIZE-DAG: error: 'acme.op' op is on tensors: expected memrefs; run fusion-bufferize first
// VECTORIZE-DAG: error: 'fusion.matmul' op is not in a kernel: expected roots in functions with the attribute fusion.kernel; run fusion-outline first
// LOWER-DAG: error: 'acme.op' op is on tensors: expected memrefs; run fusion-bufferize first
// LOWER-DAG: error: 'fusion.matmul' op is not lowered to loops and vectors: run fusion-outline and fusion-vectorize first
// LOWER-DAG: error: 'linalg.exp' op is not lowered to loops and vectors: run fusion-outline and fusion-vectorize first
// EMIT-DAG: error: 'acme.op' op has no lowering to LLVM: expected an op whose dialect implements ConvertToLLVMPatternInterface; rewrite it to arith, math, scf, memref or func ops before fusion-lower
// EMIT-DAG: error: 'builtin.unrealized_conversion_cast' op stands for a type that has no lowering to LLVM: expected integers, floats, vectors and memrefs of them before fusion-lower
// What is nowhere in the file is where the op is that it is in; a body belongs to its op.
// EMIT-DAG: verify-stage.mlir:[[#KERNEL:]]:3: error: 'linalg.exp' op has no lowering to LLVM
// EMIT-DAG: verify-stage.mlir:[[#KERNEL-1]]:1: error: 'arith.constant' op has no lowering to LLVM
// STAGE: error: expected stage fuse, inline, bufferize, outline, vectorize, lower or emit, got 'bake'
func.func @main(%x: tensor<4xf32>, %a: memref<4x4xf32>, %b: memref<4x4xf32>) -> tensor<4xf32> {
  fusion.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %y = "acme.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = "acme.op"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %c = "acme.scalar"() : () -> !acme.type
  %d = builtin.unrealized_conversion_cast %c : !acme.type to i64
  return %z : tensor<4xf32>
}
func.func private @kernel(%a: memref<4xf32>) attributes {fusion.kernel} {
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  %k = arith.constant 0 : index loc(unknown)
  return
}
