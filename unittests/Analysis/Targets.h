//===-- Targets.h - Targets by name for tests -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing in tests depends on the host.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_UNITTESTS_ANALYSIS_TARGETS_H
#define FUSIONDIALECT_UNITTESTS_ANALYSIS_TARGETS_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "gtest/gtest.h"

namespace mlir::fusion {

inline TargetInfo getTarget(StringRef text) {
  std::string error;
  FailureOr<TargetInfo> info = TargetInfo::get(text, error);
  EXPECT_TRUE(succeeded(info)) << error;
  return info.value_or(TargetInfo());
}

} // namespace mlir::fusion

#endif // FUSIONDIALECT_UNITTESTS_ANALYSIS_TARGETS_H
