//===-- Progress.cpp - The steps of a long job ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is one line on stderr; a script or a log gets none.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static double secondsSince(Progress::Clock::time_point begin) {
  return std::chrono::duration<double>(Progress::Clock::now() - begin).count();
}

Progress::Progress(bool quiet)
    : onTerminal(!quiet && llvm::sys::Process::StandardErrIsDisplayed()),
      begin(Clock::now()) {}

double Progress::getTotal() const { return secondsSince(begin); }

Progress::Step::Step(Progress &progress, StringRef name)
    : progress(progress), name(name), begin(Clock::now()) {
  if (progress.onTerminal)
    llvm::errs() << llvm::format("%-20s", this->name.c_str());
}

Progress::Step::~Step() {
  double seconds = secondsSince(begin);
  progress.steps.push_back({name, seconds});
  if (progress.onTerminal)
    llvm::errs() << llvm::format("%8.0f ms\n", seconds * 1e3);
}

LoopProgress::LoopProgress(StringRef what, int64_t total)
    : what(what), total(total),
      onTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      begin(Clock::now()), last(begin) {}

LoopProgress::~LoopProgress() {
  if (onTerminal)
    llvm::errs() << "\r\033[K";
}

void LoopProgress::tick() {
  ++done;
  auto now = Clock::now();
  if (!onTerminal || now - last < std::chrono::milliseconds(200))
    return;
  last = now;
  double spent = secondsSince(begin);
  llvm::errs() << "\r\033[K" << what << " " << done * 100 / total << " %, "
               << llvm::format("%.0f", spent / done * (total - done))
               << " s left";
}
