//===-- Roots.h - What each root has absorbed -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads fused ops for explain: which source ops went into which root.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_ROOTS_H
#define MLIR_FUSION_ROOTS_H

#include "Remarks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::fusion {

/// Adds to each op's location its number in the function, from 1.
void numberOps(func::FuncOp function);

struct RootInfo {
  /// The source op's number.
  int64_t number = 0;
  /// fusion.conv, …
  std::string op;
  std::string type, location;
  /// Names of the epilogue's ops, in order.
  std::vector<std::string> epilogue;
  /// Labels of the rules that fired on it, in order and with repetition.
  std::vector<std::string> rules;
  /// A shift by channel, and a scale by channel in the epilogue or folded into
  /// the weights.
  bool batchNorm = false;
  /// An operand of the result's whole shape.
  bool residual = false;
  /// A maximum with zero, in any of its forms.
  bool relu = false;
  int64_t flops = 0, constantBytes = 0, resultBytes = 0;
};

/// Finds the root that a source op went into.
class RootFinder {
public:
  /// Of a function with numbers, before fusion: where each op's operands come
  /// from.
  explicit RootFinder(func::FuncOp function);
  /// After fusion.
  void findRoots(func::FuncOp function);
  /// The number of the root that is at `loc` or has absorbed what was. What has
  /// gone without trace (a scale that is in the weights now) went where the ops
  /// that it read from went.
  std::optional<int64_t> find(Location loc) const;

private:
  DenseMap<int64_t, SmallVector<int64_t>> producers;
  DenseMap<int64_t, int64_t> rootOfOp;
};

std::vector<RootInfo> describeRoots(func::FuncOp function, const RemarkLog &log,
                                    const RootFinder &finder);

} // namespace mlir::fusion

#endif // MLIR_FUSION_ROOTS_H
