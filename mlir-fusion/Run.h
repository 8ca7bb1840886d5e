//===-- Run.h - mlir-fusion run ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_RUN_H
#define MLIR_FUSION_RUN_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runRun(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_RUN_H
