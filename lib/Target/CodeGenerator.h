//===-- CodeGenerator.h - LLVM modules to machine code --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Emit.cpp and JIT.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_CODEGENERATOR_H
#define FUSIONDIALECT_LIB_TARGET_CODEGENERATOR_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <functional>

namespace mlir::fusion {

/// One LLVM module to be. Units may be built at the same time, each in an
/// LLVM context of its own.
struct Unit {
  std::string name;
  /// Returns null after it has emitted an error.
  std::function<std::unique_ptr<llvm::Module>(llvm::LLVMContext &)> build;
  /// Set if the object needs no code generation.
  std::function<void(llvm::raw_ostream &)> writeObject;
};

/// Compiles for one CPU; all methods may be called from several threads.
class CodeGenerator {
public:
  /// Emits an error and returns null if `target` is unknown.
  static std::shared_ptr<const CodeGenerator> create(ModuleOp module,
                                                     StringRef target);

  std::string getDataLayout() const;

  /// Compiles every unit with `jobs` threads (0: one for each core) into the
  /// stream that `open` returns for it.
  using OpenFn =
      llvm::function_ref<std::unique_ptr<llvm::raw_pwrite_stream>(size_t unit)>;
  LogicalResult emitObjects(ArrayRef<Unit> units, unsigned jobs,
                            OpenFn open) const;

  /// Joins the units in one module, as textual IR or as assembly. Only
  /// `exported` stay global.
  LogicalResult emitText(ArrayRef<Unit> units, ArrayRef<std::string> exported,
                         bool assembly, llvm::raw_ostream &os) const;

private:
  CodeGenerator(ModuleOp module, TargetInfo info)
      : module(module), info(std::move(info)) {}

  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;
  /// Builds a unit and gives its functions the target's attributes.
  std::unique_ptr<llvm::Module> build(const Unit &unit,
                                      llvm::LLVMContext &context,
                                      llvm::TargetMachine &machine) const;
  LogicalResult emitObject(const Unit &unit, llvm::raw_pwrite_stream &os) const;
  LogicalResult emit(llvm::Module &llvmModule, llvm::TargetMachine &machine,
                     llvm::CodeGenFileType type,
                     llvm::raw_pwrite_stream &os) const;

  /// Where errors are emitted.
  Operation *module;
  TargetInfo info;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_CODEGENERATOR_H
