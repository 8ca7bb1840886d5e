//===-- KernelPlanner.h - One plan while it is made -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to KernelPlan.cpp (what is supported, tiles, order) and
// KernelStrides.cpp (what each root's operands are in a plan).
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H
#define FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H

#include "FusionDialect/Analysis/KernelPlan.h"

namespace mlir::fusion {

/// Strides of a type that has them all static; a tensor counts as row-major.
std::optional<SmallVector<int64_t>> getStaticStrides(Type type);

/// Fills in one plan; each step returns false after it has set the reason.
class KernelPlanner {
public:
  KernelPlanner(FusionRootOpInterface root, const TargetInfo &target,
                std::string *reason)
      : root(root), target(target), reason(reason) {}

  FailureOr<KernelPlan> run();

private:
  bool refuse(StringRef code, const Twine &sentence) {
    if (reason)
      *reason = (code + ": " + sentence).str();
    return false;
  }
  // KernelPlan.cpp
  bool checkTypes();
  bool checkEpilogue();
  bool checkWeights();
  void mergeRows();
  void mergeReductions();
  void cutRows(int64_t maxHeight);
  void orderUnits();

  // KernelStrides.cpp
  bool planConv(ConvOp op);
  bool planDepthwise(ConvOp op);
  bool planMatmul(MatmulOp op);
  bool planPool(PoolOp op);
  bool planInit();
  /// The panel of weights that are packed in blocks of `block` channels.
  bool planBlock(int64_t block);
  /// Weights that are packed already, or will be because they are constant.
  bool isOrWillBePacked(Value weights, bool packed);
  bool hasUnitChannelStride(Value operand, StringRef name);

  FusionRootOpInterface root;
  const TargetInfo &target;
  std::string *reason;
  KernelPlan plan;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H
