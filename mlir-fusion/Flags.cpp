//===-- Flags.cpp - What flags may be -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said before a model is read.
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static LogicalResult checkOneOf(StringRef flag, StringRef value,
                                ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, value))
    return success();
  llvm::errs() << "mlir-fusion: error: expected --" << flag << " ";
  llvm::interleave(known, llvm::errs(), "|");
  llvm::errs() << ", got '" << value << "'\n";
  return failure();
}

/// The exported symbols are C identifiers.
static LogicalResult checkName(StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name.empty() || (!llvm::isDigit(name[0]) && llvm::all_of(name, isPart)))
    return success();
  llvm::errs()
      << "mlir-fusion: error: expected --name to be a C identifier, got '"
      << name << "'\n";
  return failure();
}

static LogicalResult checkTarget(StringRef target) {
  std::string problem;
  if (succeeded(TargetInfo::get(target, problem)))
    return success();
  llvm::errs() << "mlir-fusion: error: --target: " << problem << "\n";
  return failure();
}

static LogicalResult checkTolerance(const Flags &flags) {
  bool perElement =
      flags.rtol.getNumOccurrences() || flags.atol.getNumOccurrences();
  if (perElement && flags.rtolMax.getNumOccurrences()) {
    llvm::errs() << "mlir-fusion: error: expected --rtol and --atol, or "
                    "--rtol-max, got both\n";
    return failure();
  }
  if (flags.rtol >= 0 && flags.atol >= 0 && flags.rtolMax >= 0)
    return success();
  llvm::errs() << "mlir-fusion: error: expected a tolerance of at least 0\n";
  return failure();
}

/// More threads than that are no use on any machine, and libomp ends the
/// process where the system has not as many.
static constexpr unsigned kMostThreads = 1024;

static LogicalResult checkThreads(const cl::opt<unsigned> &flag) {
  if (flag <= kMostThreads)
    return success();
  llvm::errs() << "mlir-fusion: error: expected --" << flag.ArgStr
               << " of at most " << kMostThreads << ", got " << flag << "\n";
  return failure();
}

/// A flag that was given must be a number of something.
static LogicalResult checkPositive(const cl::opt<unsigned> &flag) {
  if (flag.getNumOccurrences() == 0 || flag > 0)
    return success();
  llvm::errs() << "mlir-fusion: error: expected --" << flag.ArgStr
               << " of at least 1, got 0\n";
  return failure();
}

LogicalResult fusion::check(const Flags &flags) {
  Command command = flags.getCommand();
  if (command == Command::None) {
    llvm::errs()
        << "mlir-fusion: error: expected a command: compile, run, "
           "bench, explain, profile, ablate or target; see mlir-fusion "
           "--help\n";
    return failure();
  }
  if (failed(checkOneOf("threading", flags.threading, {"openmp", "none"})) ||
      failed(checkOneOf("fp-accuracy", flags.fpAccuracy,
                        {"strict", "default", "fast"})) ||
      failed(checkOneOf("mode", flags.mode, {"leave-one-out", "add-one"})) ||
      failed(checkName(flags.name)) || failed(checkTarget(flags.target)) ||
      failed(checkTolerance(flags)) || failed(checkPositive(flags.jobs)) ||
      failed(checkPositive(flags.threads)) ||
      failed(checkThreads(flags.threads)) || failed(checkThreads(flags.jobs)) ||
      failed(checkPositive(flags.repeat)) ||
      failed(checkPositive(flags.benchRepeat)))
    return failure();
  if (!flags.ablateDisable.empty()) {
    llvm::errs() << "mlir-fusion: error: expected --only SWITCH,... to choose "
                    "the switches that ablate tries, got --disable\n";
    return failure();
  }
  if (flags.listSwitches || flags.listRules || command == Command::Target)
    return success();
  StringRef missing;
  if (flags.model.empty() && flags.models.empty())
    missing = "a model to read";
  else if (command == Command::Compile && flags.output.empty())
    missing = "an output: -o OUT.{so,o,ll,s,mlir,mlirbc}";
  if (missing.empty())
    return success();
  llvm::errs() << "mlir-fusion: error: expected " << missing << "\n";
  return failure();
}
