//===-- Paths.h - The ways that emitted code goes ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists that Coverage.cpp counts by.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_PATHS_H
#define FUZZ_PATHS_H

#include "FusionDialect/Analysis/KernelPlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fusion::fuzz {

/// A way through the code of roots' kernels of some kind.
struct RootPath {
  KernelPlan::Kind kind;
  StringLiteral name;
  bool (*isTaken)(const KernelPlan &plan, FusionRootOpInterface root,
                  const TargetInfo &target);
};

/// The same of ops that are no roots.
struct LoopPath {
  StringLiteral name;
  bool (*isTaken)(linalg::LinalgOp op, const TargetInfo &target);
};

ArrayRef<RootPath> getRootPaths();
ArrayRef<LoopPath> getLoopPaths();

StringRef stringifyKernelKind(KernelPlan::Kind kind);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_PATHS_H
