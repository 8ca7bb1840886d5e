//===-- Target.h - mlir-fusion target ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_TARGET_H
#define MLIR_FUSION_TARGET_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runTarget(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_TARGET_H
