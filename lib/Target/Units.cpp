//===-- Units.cpp - One LLVM module for each kernel -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which symbols the units share; all others become internal.
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "Constants.h"
#include "Entry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include <mutex>

using namespace mlir;
using namespace mlir::fusion;

/// Smaller constants cannot fill a huge page.
static constexpr uint64_t kHugePage = 2 << 20;

static const unsigned char workspaceBitcode[] = {
#include "WorkspaceBitcode.inc"
};

static const unsigned char hugePagesBitcode[] = {
#include "HugePagesBitcode.inc"
};

static std::unique_ptr<llvm::Module>
parseBitcode(ArrayRef<unsigned char> bitcode, StringRef name,
             llvm::LLVMContext &context) {
  StringRef bytes(reinterpret_cast<const char *>(bitcode.data()),
                  bitcode.size());
  return llvm::cantFail(
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, name), context));
}

/// The code that puts the constants called `symbol` into huge pages.
static std::unique_ptr<llvm::Module>
createHugePagesUnit(StringRef symbol, uint64_t size,
                    llvm::LLVMContext &context) {
  auto module = parseBitcode(hugePagesBitcode, "HugePages.bc", context);
  llvm::GlobalVariable *constants = module->getNamedGlobal("fusion_constants");
  constants->setName(symbol);
  constants->setVisibility(llvm::GlobalValue::HiddenVisibility);
  constants->setDSOLocal(true);
  llvm::GlobalVariable *bytes = module->getNamedGlobal("fusion_constants_size");
  bytes->setInitializer(llvm::ConstantInt::get(bytes->getValueType(), size));
  bytes->setLinkage(llvm::GlobalValue::InternalLinkage);
  bytes->setVisibility(llvm::GlobalValue::DefaultVisibility);
  return module;
}

/// Symbols of `shared` are visible to the other units, none to the world.
static void hideSymbols(llvm::Module &module, const llvm::StringSet<> &shared) {
  for (llvm::GlobalValue &global : module.global_values()) {
    if (global.hasLocalLinkage())
      continue;
    if (shared.contains(global.getName())) {
      global.setVisibility(llvm::GlobalValue::HiddenVisibility);
      global.setDSOLocal(true);
    } else if (!global.isDeclaration()) {
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
}

/// Everything of `module` but the modules in it.
static OwningOpRef<ModuleOp> cloneWithoutKernels(ModuleOp module) {
  OwningOpRef<ModuleOp> outer = ModuleOp::create(module.getLoc());
  (*outer)->setAttrs(module->getAttrDictionary());
  OpBuilder builder(outer->getBodyRegion());
  for (Operation &op : *module.getBody())
    if (!isa<ModuleOp>(op))
      builder.clone(op);
  return outer;
}

/// What the entry function is called in the output, so that perf tells it from
/// another model's; above all never "main".
static std::string getEntrySymbol(const Signature &signature) {
  return signature.name + "_entry";
}

/// Gives what the model calls `name` another name; nobody can do so to an
/// external function.
static LogicalResult freeName(SymbolTable &symbols, StringRef name,
                              StringRef reason) {
  Operation *other = symbols.lookup(name);
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(other);
  if (function && function.isExternal())
    return emitError(function.getLoc())
           << "expected no external function '" << name << "': " << reason;
  if (!other)
    return success();
  return symbols.renameToUnique(other, {});
}

/// Gives the entry its name in the output.
static LogicalResult renameEntry(LLVM::LLVMFuncOp entry, StringRef name) {
  SymbolTable symbols(entry->getParentOp());
  if (entry.getName() == name)
    return success();
  if (failed(freeName(
          symbols, name,
          "the entry gets this name; choose another name of the model")))
    return failure();
  return symbols.rename(entry, name);
}

/// The functions of lib/Runtime, which the model's share a module with.
static constexpr StringLiteral kRuntimeNames[] = {"fusion_thread_workspace",
                                                  "fusion_free_workspaces",
                                                  "fusion_use_huge_pages"};

static LogicalResult freeRuntimeNames(ModuleOp module) {
  SymbolTable symbols(module);
  for (StringRef name : kRuntimeNames)
    if (failed(freeName(symbols, name,
                        "the runtime has a function of this name; choose "
                        "another one")))
      return failure();
  return success();
}

namespace {
/// Translation locks only where MLIR itself does not.
struct Translator {
  std::shared_ptr<std::mutex> serial;
  std::shared_ptr<llvm::StringSet<>> shared;
  /// The target's, so that folding while translating is right.
  StringAttr dataLayout;

  std::unique_ptr<llvm::Module> operator()(ModuleOp module, StringRef name,
                                           llvm::LLVMContext &context) const {
    std::unique_lock<std::mutex> lock(*serial, std::defer_lock);
    if (!module.getContext()->isMultithreadingEnabled())
      lock.lock();
    // Translation prepares the module in place.
    OwningOpRef<ModuleOp> clone = module.clone();
    (*clone)->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), dataLayout);
    std::unique_ptr<llvm::Module> result =
        translateModuleToLLVMIR(*clone, context, name,
                                /*disableVerification=*/true);
    if (result)
      hideSymbols(*result, *shared);
    return result;
  }
};
} // namespace

FailureOr<Program> mlir::fusion::createProgram(ModuleOp module,
                                               const EmitOptions &options,
                                               bool forLibrary) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerOpenMPDialectTranslation(*module.getContext());

  FailureOr<Signature> signature = getSignature(module, options);
  if (failed(signature))
    return failure();
  Program program;
  program.codeGenerator = CodeGenerator::create(module, options.target);
  if (!program.codeGenerator)
    return failure();
  program.signature = std::move(*signature);
  program.forLibrary = forLibrary;
  program.outer = cloneWithoutKernels(module);
  LLVM::LLVMFuncOp entry = *findEntry(*program.outer, options.entry);
  if (failed(renameEntry(entry, getEntrySymbol(program.signature))) ||
      failed(freeRuntimeNames(*program.outer)))
    return failure();
  FailureOr<ConstantArena> arena =
      moveConstantsToArena(*program.outer, options.name + "_constants");
  if (failed(arena))
    return failure();

  Translator translate{std::make_shared<std::mutex>(),
                       std::make_shared<llvm::StringSet<>>(),
                       StringAttr::get(module.getContext(),
                                       program.codeGenerator->getDataLayout())};
  if (!arena->pieces.empty()) {
    translate.shared->insert(arena->symbol);
    auto shared = std::make_shared<ConstantArena>(std::move(*arena));
    program.units.push_back(
        {shared->symbol,
         [shared](llvm::LLVMContext &context) {
           return shared->translate(context);
         },
         [shared](llvm::raw_ostream &os) { shared->writeObject(os); }});
    if (options.hugePages && shared->size >= kHugePage)
      program.units.push_back({"huge_pages",
                               [symbol = shared->symbol, size = shared->size](
                                   llvm::LLVMContext &context) {
                                 return createHugePagesUnit(symbol, size,
                                                            context);
                               },
                               nullptr});
  }
  std::string shapesSymbol;
  if (program.signature.isDynamic())
    shapesSymbol = findShapesFunction(entry).getName();
  auto buildOuter = [translate, outer = *program.outer, shapesSymbol,
                     shapeErrors = getShapeErrors(entry),
                     signature = program.signature,
                     forLibrary](llvm::LLVMContext &context) {
    std::unique_ptr<llvm::Module> result =
        translate(outer, signature.name, context);
    if (!result)
      return result;
    addEntryPoints(*result->getFunction(getEntrySymbol(signature)),
                   result->getFunction(shapesSymbol), shapeErrors, signature,
                   forLibrary);
    return result;
  };
  program.units.push_back({options.name, buildOuter, nullptr});
  for (auto kernel : module.getOps<ModuleOp>()) {
    std::string name = kernel.getName().value_or("kernel").str();
    for (auto function : kernel.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() &&
          (*program.outer).lookupSymbol(function.getName()))
        translate.shared->insert(function.getName());
    program.units.push_back(
        {name,
         [translate, kernel, name](llvm::LLVMContext &context) {
           return translate(kernel, name, context);
         },
         nullptr});
  }
  if (program.signature.workspaceSize != 0)
    program.units.push_back({"workspace",
                             [](llvm::LLVMContext &context) {
                               return parseBitcode(workspaceBitcode,
                                                   "Workspace.bc", context);
                             },
                             nullptr});
  return program;
}
