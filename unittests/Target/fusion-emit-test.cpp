//===-- fusion-emit-test.cpp - A module of the LLVM dialect to a file -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only for the lit tests of lib/Target: mlir-fusion starts from a model.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Target/Target.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::fusion;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::Required);
static cl::opt<std::string> output("o", cl::desc("x.{o,so,ll,s,h}, or jit"),
                                   cl::Required);
static cl::opt<std::string> name("name", cl::init("model"));
static cl::opt<std::string> entry("entry");
static cl::opt<std::string> target("target", cl::init("host"));
static cl::opt<std::string> threading("threading", cl::init("none"));
static cl::opt<std::string> linker("linker");
static cl::opt<std::string> openmpLibrary("openmp-library");
static cl::list<std::string> linkFiles("link");
static cl::opt<unsigned> jobs("jobs", cl::init(0));
static cl::opt<bool> noThreads("mlir-disable-threading");

/// Runs the model on inputs of 0, 1, 2, … and prints the outputs; all f32.
static LogicalResult runJIT(ModuleOp module, const EmitOptions &options) {
  FailureOr<std::unique_ptr<JIT>> jit = createJIT(module, options);
  if (failed(jit))
    return failure();
  std::vector<std::vector<float>> data;
  for (const auto *tensors :
       {&(*jit)->getSignature().inputs, &(*jit)->getSignature().outputs})
    for (const TensorSignature &tensor : *tensors) {
      auto &values = data.emplace_back(tensor.getNumElements());
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = i;
    }
  std::vector<void *> pointers;
  for (auto &values : data)
    pointers.push_back(values.data());
  llvm::Expected<int> status = (*jit)->run(pointers);
  if (!status)
    return module.emitError() << llvm::toString(status.takeError());
  llvm::outs() << "status " << *status << "\n";
  data.erase(data.begin(), data.begin() + (*jit)->getSignature().inputs.size());
  for (const auto &values : data) {
    llvm::interleave(values, llvm::outs(), " ");
    llvm::outs() << "\n";
  }
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  DialectRegistry registry;
  registry.insert<BuiltinDialect, DLTIDialect, FusionDialect, LLVM::LLVMDialect,
                  omp::OpenMPDialect>();
  MLIRContext context(registry, noThreads ? MLIRContext::Threading::DISABLED
                                          : MLIRContext::Threading::ENABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(input, sources, &context);
  if (!module)
    return 1;

  EmitOptions options;
  options.name = name;
  options.entry = entry;
  options.target = target;
  options.threading = threading;
  options.jobs = jobs;
  options.linker = linker;
  options.openmpLibrary = openmpLibrary;
  options.linkFiles.assign(linkFiles.begin(), linkFiles.end());
  StringRef extension = llvm::sys::path::extension(output);
  LogicalResult result = failure();
  if (output == "jit")
    result = runJIT(*module, options);
  else if (extension == ".o")
    result = emitObject(*module, output, options);
  else if (extension == ".so")
    result = emitLibrary(*module, output, options);
  else if (extension == ".ll")
    result = emitLLVMIR(*module, output, options);
  else if (extension == ".s")
    result = emitAssembly(*module, output, options);
  else if (extension == ".h")
    result = emitHeader(*module, output, options);
  return failed(result);
}
