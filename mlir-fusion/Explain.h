//===-- Explain.h - mlir-fusion explain -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_EXPLAIN_H
#define MLIR_FUSION_EXPLAIN_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runExplain(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_EXPLAIN_H
