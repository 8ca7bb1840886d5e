//===-- Compile.h - mlir-fusion compile -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_COMPILE_H
#define MLIR_FUSION_COMPILE_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runCompile(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_COMPILE_H
