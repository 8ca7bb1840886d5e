//===-- BoundsReport.h - What is said of an access outside ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by CheckBounds.cpp and BoundsChecker.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSREPORT_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSREPORT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fusion {

/// The op, its function and where it was written.
std::string describePlace(Operation *op);

/// The functions that compare, print and abort, made in the module when they
/// are first called, and their texts.
class BoundsReport {
public:
  explicit BoundsReport(ModuleOp module) : module(module), symbols(module) {}

  /// Says that `what` of `op` is expected in [0, extent) and is `first` to
  /// `last`, all of type index, if `bad` is true. It is a call, no branch:
  /// thousands of blocks are more than upstream's passes can take.
  void call(OpBuilder &builder, Operation *op, const Twine &what, Value bad,
            Value first, Value last, Value extent);
  /// True if the model has functions of these names.
  bool hasFailed() const { return failed; }

private:
  LLVM::LLVMFuncOp getReport(Location loc);
  LLVM::LLVMFuncOp getCheck(Location loc);
  LLVM::LLVMFuncOp addFunction(OpBuilder &builder, Location loc, StringRef name,
                               ArrayRef<Type> inputs,
                               ArrayRef<StringRef> attributes);
  LLVM::GlobalOp getText(StringRef text);

  ModuleOp module;
  SymbolTable symbols;
  LLVM::LLVMFuncOp check;
  llvm::StringMap<LLVM::GlobalOp> texts;
  bool failed = false;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOLLVM_BOUNDSREPORT_H
