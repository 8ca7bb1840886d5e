//===-- ParseDeadline.h - MLIR's parsers may not end ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Compilation::parse.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PARSEDEADLINE_H
#define MLIR_FUSION_PARSEDEADLINE_H

#include "llvm/ADT/Twine.h"
#include <ctime>

namespace mlir::fusion {

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

} // namespace mlir::fusion

#endif // MLIR_FUSION_PARSEDEADLINE_H
