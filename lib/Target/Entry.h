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

/// The function that the entry's dictionary calls `shapes` (see
/// Analysis/Entry.h); null if there is none.
LLVM::LLVMFuncOp findShapesFunction(LLVM::LLVMFuncOp entry);

/// What is wrong with sizes of inputs, by the number that the function of
/// findShapesFunction returns, less one.
std::vector<std::string> getShapeErrors(LLVM::LLVMFuncOp entry);

/// Where what is wrong with the module's code as a whole is reported: at its
/// entry.
Location getReportLocation(ModuleOp module, const EmitOptions &options);

/// The global symbols of an object (`forLibrary` = false) or a library.
SmallVector<std::string> getExportedSymbols(const Signature &signature,
                                            bool forLibrary);

/// Defines the exported symbols in the module of `entry`, a function on
/// unpacked memref descriptors: inputs, outputs, workspace. `shapes` is null if
/// the signature is static; else it takes the dynamic sizes of the inputs and
/// returns { 0 or the number of one of `shapeErrors`, dynamic sizes of the
/// outputs, bytes of the workspace }.
void addEntryPoints(llvm::Function &entry, llvm::Function *shapes,
                    ArrayRef<std::string> shapeErrors,
                    const Signature &signature, bool forLibrary);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_ENTRY_H
