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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

static constexpr llvm::StringLiteral kOverview =
    R"(mlir-fusion-opt: mlir-opt with the dialect fusion and its passes

Stages, in this order: --fusion-fuse --fusion-plan --fusion-bufferize
  --fusion-outline --fusion-vectorize --fusion-lower; --fusion-compile is all.
  --fusion-to-linalg takes fusion ops back to linalg.
Why something was fused or not: --remarks-filter=fusion.
Plug-ins: --load-dialect-plugin and --load-pass-plugin; a plug-in's passes are
  known to --pass-pipeline only.
)";

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::fusion::registerFusionDialects(registry);

  mlir::registerAllPasses();
  mlir::fusion::registerFusionConversionPasses();
  mlir::fusion::registerFusionTransformsPasses();
  mlir::fusion::registerFusionPipelines();

  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "mlir-fusion-opt " FUSION_VERSION "\n";
  });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, kOverview, registry));
}
