//===-- Session.h - Many seeds ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by mlir-fusion-fuzz.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include "Worker.h"

namespace mlir::fusion::fuzz {

/// The most that may be left out before a run fails. Of few, one is no share
/// yet.
inline constexpr int64_t kMostSkippedPercent = 1, kMostNoFormPercent = 20,
                         kMostUncheckedPercent = 1;

/// The flags of the same names; `seeds` come before those that are counted.
struct SessionOptions {
  std::vector<uint64_t> seeds;
  uint64_t firstSeed = 1, seedCount = 0;
  unsigned seconds = 0, jobs = 1, timeLimit = 60, maxFaults = 1;
  bool isVerbose = false;
  std::string coverageFile, seenByFile;
  /// What there is to be seen.
  std::vector<std::string> names;
  /// Of --rules: prints what so many graphs had for each rule; fails if that is
  /// nothing of what was asked for.
  std::function<LogicalResult(const Coverage &, int64_t)> tellRules;
};

/// Does `work` for each seed in child processes, calls `tellFault` here, and
/// prints a summary. Returns the exit code.
int runSession(SessionOptions options, const std::function<void(Job &)> &work,
               const std::function<void(const Job &)> &tellFault);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_SESSION_H
