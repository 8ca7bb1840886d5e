//===-- Worker.h - Work in processes that may crash -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs are checked in child processes, so that a crash or a hang is a finding
// like any other.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_WORKER_H
#define FUZZ_WORKER_H

#include "Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <optional>

namespace mlir::fusion::fuzz {

struct Job {
  uint64_t seed;
  Outcome outcome;
  Coverage coverage;
  int64_t milliseconds = 0;
};

/// Calls `work` in a child, for the outcome and coverage that it leaves in a
/// job.
Job runIsolated(llvm::function_ref<void(Job &)> work, unsigned seconds);

struct Pool {
  unsigned jobs = 1;
  /// For each piece of work.
  unsigned timeout = 60;

  /// Does `work` for each seed that `next` gives, in `jobs` children; `done` is
  /// called here, in any order, and stops all by false.
  void run(const std::function<std::optional<uint64_t>()> &next,
           const std::function<void(Job &)> &work,
           const std::function<bool(Job &)> &done);
};

} // namespace mlir::fusion::fuzz

#endif // FUZZ_WORKER_H
