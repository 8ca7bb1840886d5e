//===-- Ablate.h - mlir-fusion ablate ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_ABLATE_H
#define MLIR_FUSION_ABLATE_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runAblate(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_ABLATE_H
