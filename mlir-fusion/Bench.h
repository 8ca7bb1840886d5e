//===-- Bench.h - mlir-fusion bench -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_BENCH_H
#define MLIR_FUSION_BENCH_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runBench(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_BENCH_H
