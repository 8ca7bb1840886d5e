//===-- Constants.h - All big constants in one global ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Units.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_CONSTANTS_H
#define FUSIONDIALECT_LIB_TARGET_CONSTANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace llvm {
class LLVMContext;
class Module;
class raw_ostream;
} // namespace llvm

namespace mlir::fusion {

/// Bytes: a cache line, and the widest vector.
constexpr uint64_t arenaAlignment = 64;

/// The bytes of a module's big constants, each at an aligned offset of one
/// global. They stay where MLIR has them.
struct ConstantArena {
  std::string symbol;
  SmallVector<ArrayRef<char>> pieces;
  SmallVector<uint64_t> offsets;
  uint64_t size = 0;

  /// An object that defines the global.
  void writeObject(llvm::raw_ostream &os) const;
  /// A module that defines the global: for the textual forms.
  std::unique_ptr<llvm::Module> translate(llvm::LLVMContext &context) const;
};

/// Moves the constants of `module` into an arena called `symbol` and makes
/// their uses point there.
FailureOr<ConstantArena> moveConstantsToArena(ModuleOp module,
                                              StringRef symbol);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_CONSTANTS_H
