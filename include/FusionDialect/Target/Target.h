//===-- Target.h - LLVM dialect to objects, libraries, JIT ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step: called by the driver, and by other compilers, with a module
// that the stage fusion-lower has left. The ABI of what it emits is described
// in docs/ABI.md.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TARGET_TARGET_H
#define FUSIONDIALECT_TARGET_TARGET_H

#include "FusionDialect/Target/Signature.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::fusion {

struct EmitOptions {
  /// Prefix of the C functions, a C identifier (see getNameFromPath).
  std::string name = "model";
  /// The entry function; empty: the only one.
  std::string entry;
  /// As TargetInfo::get takes it: "host" or a CPU's name, with facts or not.
  std::string target = "host";
  /// "openmp" or "none".
  std::string threading = "openmp";
  /// Whether constants of 2 MiB and more are copied into huge pages when the
  /// model is loaded, where the system allows them; else they stay in the file.
  bool hugePages = true;
  /// Threads that compile; 0: one for each core. The output is the same.
  unsigned jobs = 0;
  /// Objects that are linked in.
  std::vector<std::string> linkFiles;
  /// Name or path of the linker; empty: the first found of ld.lld-22, ld.lld
  /// and ld.
  std::string linker;
  /// Path of libomp; empty: looked for in LLVM's and the system's folders.
  std::string openmpLibrary;
};

/// A C identifier made of the stem of `path`: "out/my-net.so" gives "my_net".
std::string getNameFromPath(StringRef path);

/// The signature of the module's entry function. Errors are emitted at the
/// module, here as in all functions below.
FailureOr<Signature> getSignature(ModuleOp module, const EmitOptions &options);

/// Writes a relocatable object whose only global symbols are the C functions.
LogicalResult emitObject(ModuleOp module, StringRef path,
                         const EmitOptions &options);
/// Writes a shared library, which also exports `_mlir_ciface_<entry>`.
LogicalResult emitLibrary(ModuleOp module, StringRef path,
                          const EmitOptions &options);
/// Writes the object's code as one module in LLVM's textual IR.
LogicalResult emitLLVMIR(ModuleOp module, StringRef path,
                         const EmitOptions &options);
/// Writes the object's code as assembly.
LogicalResult emitAssembly(ModuleOp module, StringRef path,
                           const EmitOptions &options);
/// Writes the C header of the object and the library.
LogicalResult emitHeader(ModuleOp module, StringRef path,
                         const EmitOptions &options);

/// Calls one of a model's C functions that take only pointers and return an
/// int, such as `<name>_run`. Fails for more than 128 arguments.
llvm::Expected<int> callWithPointers(void *function,
                                     ArrayRef<void *> arguments);
/// The same for `<name>_workspace_size`.
llvm::Expected<size_t> callForSize(void *function, ArrayRef<void *> arguments);

/// A model compiled into this process.
class JIT {
public:
  JIT(Signature signature, std::unique_ptr<llvm::orc::LLJIT> jit);
  ~JIT();

  const Signature &getSignature() const { return signature; }
  /// The address of a symbol that a library would export.
  llvm::Expected<void *> lookup(StringRef symbol) const;
  /// Calls `<name>_run`: inputs, then outputs, each of dynamic shape followed
  /// by its dims (`const int64_t *`); without a workspace the calling thread's
  /// own is used. Returns what that returns.
  llvm::Expected<int> run(ArrayRef<void *> tensors,
                          void *workspace = nullptr) const;

private:
  Signature signature;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Compiles the module into this process. No linker is needed.
FailureOr<std::unique_ptr<JIT>> createJIT(ModuleOp module,
                                          const EmitOptions &options);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TARGET_TARGET_H
