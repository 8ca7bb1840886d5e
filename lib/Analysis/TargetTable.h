//===-- TargetTable.h - Numbers of CPUs by name -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to TargetInfo.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_ANALYSIS_TARGETTABLE_H
#define FUSIONDIALECT_LIB_ANALYSIS_TARGETTABLE_H

#include "FusionDialect/Analysis/TargetInfo.h"

namespace mlir::fusion {

/// Sets ports, caches and the like of `info`, whose CPU and vectors are known:
/// those of its CPU or, for one that is not in the table, of its vectors.
void setFactsOfCPU(TargetInfo &info);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_ANALYSIS_TARGETTABLE_H
