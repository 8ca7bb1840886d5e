//===-- mlir-fusion.cpp - The driver --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the command line and calls the subcommand: compile, run, bench,
// explain, profile, ablate or target.
//
//===----------------------------------------------------------------------===//

#include "Ablate.h"
#include "Bench.h"
#include "Compile.h"
#include "Explain.h"
#include "Files.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Profile.h"
#include "Report.h"
#include "Run.h"
#include "Target.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fusion;

int main(int argc, char **argv) {
  mlir::FailureOr<Options> options = parseOptions(argc, argv);
  if (failed(options))
    return kBadInput;
  if (options->listSwitches) {
    for (const std::string &name : getSwitches())
      llvm::outs() << name << "\n";
    return kSuccess;
  }
  // For what parses the model; a crash anywhere else is one.
  llvm::CrashRecoveryContext::Enable();
  if (failed(checkFiles(*options)))
    return kBadInput;
  if (options->run.json == "-" || options->compile.report == "-")
    keepStandardOutput();
  switch (options->command) {
  case Command::Compile:
    return runCompile(*options);
  case Command::Run:
    return runRun(*options);
  case Command::Bench:
    return runBench(*options);
  case Command::Explain:
    return runExplain(*options);
  case Command::Profile:
    return runProfile(*options);
  case Command::Ablate:
    return runAblate(*options);
  case Command::Target:
    return runTarget(*options);
  case Command::None:
    break;
  }
  return kBadInput;
}
