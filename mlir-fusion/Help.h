//===-- Help.h - The text of --help -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called when the command line is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_HELP_H
#define MLIR_FUSION_HELP_H

#include "Options.h"

namespace mlir::fusion {

/// Examples, explanations and exit codes of a command.
std::string getExtraHelp(Command command);

} // namespace mlir::fusion

#endif // MLIR_FUSION_HELP_H
