//===-- Profile.h - mlir-fusion profile -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommand, called by main.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PROFILE_H
#define MLIR_FUSION_PROFILE_H

#include "Options.h"

namespace mlir::fusion {

ExitCode runProfile(const Options &options);

} // namespace mlir::fusion

#endif // MLIR_FUSION_PROFILE_H
