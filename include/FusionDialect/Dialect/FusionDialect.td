//===-- FusionDialect.td - The fusion dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSION_DIALECT
#define FUSION_DIALECT

include "mlir/IR/DialectBase.td"

def Fusion_Dialect : Dialect {
  let name = "fusion";
  let cppNamespace = "::mlir::fusion";
  let summary = "Roots of neural networks with an open epilogue";
  let description = [{
    A fused op is a root (convolution, matrix product, pooling) and an epilogue: a region that turns each finished
    element of the root into the element that is stored. Any pure, elementwise, vectorizable scalar op of any
    dialect may stand in an epilogue. The meaning of an op is its decomposition to linalg (`fusion-to-linalg`).
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

#endif // FUSION_DIALECT
