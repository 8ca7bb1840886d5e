//===-- mlir-fusion-opt.cpp - The pass tool -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers upstream's dialects and passes and ours; adds nothing.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::fusion::registerFusionDialects(registry);

  mlir::registerAllPasses();
  mlir::fusion::registerFusionConversionPasses();
  mlir::fusion::registerFusionTransformsPasses();
  mlir::fusion::registerFusionPipelines();

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mlir-fusion pass tool\n", registry));
}
