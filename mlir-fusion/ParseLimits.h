//===-- ParseLimits.h - Time and memory of MLIR's parsers -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Compilation::parse.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PARSELIMITS_H
#define MLIR_FUSION_PARSELIMITS_H

#include "llvm/ADT/Twine.h"
#include <ctime>
#include <sys/resource.h>

namespace mlir::fusion {

/// Ends the process, whose error has been printed, with the exit code of bad
/// input. Upstream's parsers may have written outside of their tables, or be in
/// the midst of something: nothing is as destructors want it.
[[noreturn]] void endParsing();

/// Ends the process with `message` and the exit code of bad input once this
/// thread has had `seconds` of CPU time, if the deadline still lives then. One
/// at a time.
class ParseDeadline {
public:
  ParseDeadline(unsigned seconds, const llvm::Twine &message);
  ~ParseDeadline();

private:
  timer_t timer = {};
  bool isSet = false;
};

/// Ends the process with `message` and the exit code of bad input once it asks
/// for `bytes` of memory more than it has now, if the limit still lives then.
/// One at a time.
class ParseMemory {
public:
  ParseMemory(uint64_t bytes, const llvm::Twine &message);
  ~ParseMemory();

private:
  rlimit before = {};
  bool isSet = false;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_PARSELIMITS_H
