//===-- standalone-compile.cpp - A compiler that links mlir-fusion --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// standalone-compile IN.mlir OUT.o: mlir-fusion's stages with one rule of its
// own between them. OUT of "-" prints the module after the plan.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Pipelines/Pipelines.h"
#include "FusionDialect/Target/Target.h"
#include "SwapTransposedMatmul.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: standalone-compile IN.mlir OUT.o|-\n";
    return 2;
  }
  StringRef output = argv[2];

  DialectRegistry registry;
  fusion::registerFusionDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 2;

  fusion::CompilePipelineOptions options;
  PassManager pm(&context);
  std::string error;
  for (StringRef stage : fusion::getStageNames()) {
    if (failed(fusion::buildStage(pm, stage, options, error))) {
      llvm::errs() << "error: " << error << '\n';
      return 2;
    }
    if (stage == "fusion-fuse")
      pm.addPass(standalone::createSwapTransposedMatmulPass());
    if (stage == "fusion-plan" && output == "-")
      break;
  }
  if (failed(pm.run(*module)))
    return 2;
  if (output == "-") {
    module->print(llvm::outs());
    return 0;
  }
  fusion::EmitOptions emit;
  emit.name = fusion::getNameFromPath(output);
  return failed(fusion::emitObject(*module, output, emit)) ? 2 : 0;
}
