//===-- Units.h - What is compiled on its own -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Emit.cpp and JIT.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_UNITS_H
#define FUSIONDIALECT_LIB_TARGET_UNITS_H

#include "CodeGenerator.h"
#include "FusionDialect/Target/Target.h"

namespace mlir::fusion {

/// A model's units and what they refer to.
struct Program {
  Signature signature;
  bool forLibrary = false;
  std::shared_ptr<const CodeGenerator> codeGenerator;
  /// The outer module without kernels and big constants.
  OwningOpRef<ModuleOp> outer;
  std::vector<Unit> units;
};

/// Splits `module`, which outlives the program, into units: the longest to
/// compile first.
FailureOr<Program> createProgram(ModuleOp module, const EmitOptions &options,
                                 bool forLibrary);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_UNITS_H
