//===-- Entry.h - The entry function and the C functions around it --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Units.cpp and Emit.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_ENTRY_H
#define FUSIONDIALECT_LIB_TARGET_ENTRY_H

#include "FusionDialect/Target/Target.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace llvm {
class Function;
} // namespace llvm

namespace mlir::fusion {

/// The function with the attribute `fusion.entry` that the options mean.
FailureOr<LLVM::LLVMFuncOp> findEntry(ModuleOp module, StringRef name);

/// The global symbols of an object (`forLibrary` = false) or a library.
SmallVector<std::string> getExportedSymbols(const Signature &signature,
                                            bool forLibrary);

/// Defines the exported symbols in the module of `entry`, a function on
/// unpacked memref descriptors: inputs, outputs, workspace.
void addEntryPoints(llvm::Function &entry, const Signature &signature,
                    bool forLibrary);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_ENTRY_H
