//===-- Progress.h - The steps of a long job --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records how long each step takes and, on a terminal, says so as it happens.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PROGRESS_H
#define MLIR_FUSION_PROGRESS_H

#include "mlir/Support/LLVM.h"
#include <chrono>
#include <string>

namespace mlir::fusion {

class Progress {
public:
  using Clock = std::chrono::steady_clock;

  /// Lasts from start() to the end of its scope.
  class Step {
  public:
    ~Step();
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

  private:
    friend class Progress;
    Step(Progress &progress, StringRef name);
    Progress &progress;
    std::string name;
    Clock::time_point begin;
  };

  /// Says nothing if `quiet`.
  explicit Progress(bool quiet = false);
  Step start(StringRef name) { return Step(*this, name); }
  /// Names and seconds of the steps that ended.
  ArrayRef<std::pair<std::string, double>> getSteps() const { return steps; }
  /// Seconds since the first step could start.
  double getTotal() const;

private:
  bool onTerminal;
  Clock::time_point begin;
  SmallVector<std::pair<std::string, double>> steps;
};

/// One line on a terminal's stderr that tells how far a loop is.
class LoopProgress {
public:
  LoopProgress(StringRef what, int64_t total);
  ~LoopProgress();
  LoopProgress(const LoopProgress &) = delete;
  LoopProgress &operator=(const LoopProgress &) = delete;
  /// One more of the total is done.
  void tick();

private:
  using Clock = Progress::Clock;

  std::string what;
  int64_t total, done = 0;
  bool onTerminal;
  Clock::time_point begin, last;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_PROGRESS_H
