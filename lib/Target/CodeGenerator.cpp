//===-- CodeGenerator.cpp - The light pipeline, unit by unit --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels arrive tiled, vectorized and unrolled: three scalar clean-ups before
// instruction selection give the code that -O3 would, in half the time.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include <atomic>

using namespace mlir;
using namespace mlir::fusion;

static const llvm::Triple &getTriple() {
  static const llvm::Triple triple("x86_64-unknown-linux-gnu");
  return triple;
}

static const llvm::Target *getTarget(std::string &error) {
  // Initialization is not thread-safe; that of a local static is.
  static const bool missing = llvm::InitializeNativeTarget() ||
                              llvm::InitializeNativeTargetAsmPrinter() ||
                              llvm::InitializeNativeTargetAsmParser();
  (void)missing;
  return llvm::TargetRegistry::lookupTarget(getTriple(), error);
}

std::shared_ptr<const CodeGenerator> CodeGenerator::create(ModuleOp module,
                                                           StringRef target) {
  FailureOr<TargetInfo> info = TargetInfo::get(module, target);
  if (failed(info))
    return nullptr;
  std::string error;
  if (!getTarget(error)) {
    emitError(module.getLoc()) << error;
    return nullptr;
  }
  return std::shared_ptr<const CodeGenerator>(
      new CodeGenerator(module, std::move(*info)));
}

std::unique_ptr<llvm::TargetMachine>
CodeGenerator::createTargetMachine() const {
  std::string error;
  llvm::TargetOptions options;
  // Else destructors go to .dtors, which no loader of today runs.
  options.UseInitArray = true;
  return std::unique_ptr<llvm::TargetMachine>(
      getTarget(error)->createTargetMachine(
          getTriple(), info.cpu, info.features, options, llvm::Reloc::PIC_,
          llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

/// LLVM's scheduler looks at pairs of stores in a block. No kernel has as many,
/// but a tensor of single elements that are stored one after the other.
static bool isTooLongToSchedule(const llvm::Function &function) {
  constexpr size_t kMaxScheduled = 8192;
  return llvm::any_of(function, [](const llvm::BasicBlock &block) {
    return block.size() > kMaxScheduled;
  });
}

std::string CodeGenerator::getDataLayout() const {
  return createTargetMachine()->createDataLayout().getStringRepresentation();
}

std::unique_ptr<llvm::Module>
CodeGenerator::build(const Unit &unit, llvm::LLVMContext &context,
                     llvm::TargetMachine &machine) const {
  std::unique_ptr<llvm::Module> result = unit.build(context);
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  result->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", info.cpu);
    if (!info.features.empty())
      function.addFnAttr("target-features", info.features);
    if (isTooLongToSchedule(function)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
    // LLVM takes 256 bits where it may choose: measured, 512 is faster here.
    if (info.vectorBits >= 512)
      function.addFnAttr("prefer-vector-width", "512");
  }
  return result;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  // Checks of bounds are calls till here.
  llvm::AlwaysInlinerPass().run(module, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

/// Without a handler, LLVM would end the process at an error.
static void keepError(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  llvm::raw_string_ostream os(*static_cast<std::string *>(text));
  llvm::DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
}

LogicalResult CodeGenerator::emit(llvm::Module &llvmModule,
                                  llvm::TargetMachine &machine,
                                  llvm::CodeGenFileType type,
                                  llvm::raw_pwrite_stream &os) const {
  std::string error;
  llvmModule.getContext().setDiagnosticHandlerCallBack(keepError, &error);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, type,
                                  /*DisableVerify=*/true))
    return emitError(module->getLoc()) << "expected a target that emits files";
  passes.run(llvmModule);
  if (!error.empty())
    return emitError(module->getLoc()) << "code generation failed: " << error;
  return success();
}

LogicalResult CodeGenerator::emitObject(const Unit &unit,
                                        llvm::raw_pwrite_stream &os) const {
  if (unit.writeObject) {
    unit.writeObject(os);
    return success();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine();
  std::unique_ptr<llvm::Module> llvmModule = build(unit, context, *machine);
  if (!llvmModule)
    return failure();
  optimize(*llvmModule, *machine);
  return emit(*llvmModule, *machine, llvm::CodeGenFileType::ObjectFile, os);
}

LogicalResult CodeGenerator::emitObjects(ArrayRef<Unit> units, unsigned jobs,
                                         OpenFn open) const {
  // Errors come out in the order of the units.
  ParallelDiagnosticHandler diagnostics(module->getContext());
  std::atomic<bool> failed = false;
  auto compile = [&](size_t index) {
    diagnostics.setOrderIDForThread(index);
    std::unique_ptr<llvm::raw_pwrite_stream> os = open(index);
    if (!os || mlir::failed(emitObject(units[index], *os)))
      failed = true;
    diagnostics.eraseOrderIDForThread();
  };
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
  for (size_t index = 0; index < units.size(); ++index)
    pool.async(compile, index);
  pool.wait();
  return success(!failed);
}

LogicalResult CodeGenerator::emitText(ArrayRef<Unit> units,
                                      ArrayRef<std::string> exported,
                                      bool assembly,
                                      llvm::raw_ostream &os) const {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine();
  llvm::Module joined("model", context);
  joined.setTargetTriple(machine->getTargetTriple());
  joined.setDataLayout(machine->createDataLayout());
  llvm::Linker linker(joined);
  for (const Unit &unit : units) {
    std::unique_ptr<llvm::Module> next = build(unit, context, *machine);
    if (!next)
      return failure();
    if (linker.linkInModule(std::move(next)))
      return emitError(module->getLoc())
             << "unit '" << unit.name << "' has symbols of another one";
  }
  llvm::internalizeModule(joined, [&](const llvm::GlobalValue &global) {
    return llvm::is_contained(exported, global.getName());
  });
  optimize(joined, *machine);
  if (!assembly) {
    joined.print(os, nullptr);
    return success();
  }
  llvm::buffer_ostream buffer(os);
  return emit(joined, *machine, llvm::CodeGenFileType::AssemblyFile, buffer);
}
