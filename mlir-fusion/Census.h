//===-- Census.h - What a model is made of ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts a function's ops, arithmetic and bytes, for explain and reports.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_CENSUS_H
#define MLIR_FUSION_CENSUS_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <string>

namespace mlir::fusion {

struct Census {
  /// Ops by name; not those that only state a value, a shape or an end.
  std::map<std::string, int64_t> ops;
  /// Scalar arithmetic operations: those of static shape.
  int64_t flops = 0;
  /// Bytes of distinct constants.
  int64_t constantBytes = 0;
  /// Bytes of all results that an op must store: each has a buffer of its own
  /// if nothing is reused.
  int64_t activationBytes = 0;
  /// Whether an op's result has a dynamic size: its arithmetic and bytes are
  /// not counted.
  bool isDynamic = false;
  /// Whether there are ops whose arithmetic nobody counts: TOSA's.
  bool isUncounted = false;
};

/// Of a function on tensors.
Census takeCensus(func::FuncOp function);

/// Arithmetic of one root with its epilogue; 0 if its shape is dynamic.
int64_t countFlops(FusionRootOpInterface root);

} // namespace mlir::fusion

#endif // MLIR_FUSION_CENSUS_H
