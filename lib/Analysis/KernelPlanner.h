//===-- KernelPlanner.h - One plan while it is made -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to KernelPlan.cpp (what is supported), KernelStrides.cpp (what each
// root's operands are in a plan), KernelCut.cpp (tiles and their order) and
// KernelPlanes.cpp (both, for planes).
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H
#define FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H

#include "FusionDialect/Analysis/KernelPlan.h"

namespace mlir::fusion {

/// Fills in one plan; each step returns false after it has set the reason.
class KernelPlanner {
public:
  KernelPlanner(FusionRootOpInterface root, const TargetInfo &target,
                std::string *reason)
      : root(root), target(target), reason(reason),
        resultSizes(getOwnSizes(*root.getDpsInitOperand(0))),
        laneDim(root.getChannelDim()) {}

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

  // KernelCut.cpp
  void halveVectors();
  int64_t getMaxHeight() const;
  void mergeRows(int64_t maxHeight);
  bool isInWindow(int64_t rowDim) const;
  bool canSkipPadding() const;
  bool canSkipDepthwise() const;
  bool checkPadding();
  void cutRows(int64_t maxHeight);
  void cutPixels();
  void evenStretches();
  void orderUnits();

  // KernelPlanes.cpp
  bool planPlanes(ConvOp op);
  void cutPlanes();

  // KernelStrides.cpp
  bool planConv(ConvOp op);
  bool planDepthwise(ConvOp op);
  bool planMatmul(MatmulOp op);
  bool planPool(PoolOp op);
  bool planInit();
  /// The panel of weights that are packed in blocks of `block` channels.
  bool planBlock(int64_t block);
  /// The channels of a panel of weights that are not packed.
  int64_t getPlainBlock(ShapedType weights);
  /// Weights that are packed already, or will be because they are constant.
  bool isOrWillBePacked(Value weights, bool packed);
  bool hasUnitChannelStride(OpOperand &operand, StringRef name);
  /// Adds the reduction loop over the window along spatial dim `dim`.
  template <typename OpTy>
  void addWindow(OpTy op, int64_t dim, int64_t size, Extent weightsStride);

  /// States that dim `dim` of `operand` is as large as dim `resultDim` of the
  /// result. Stated before sizes or strides are asked for.
  void relate(OpOperand &operand, int64_t dim, int64_t resultDim);
  void relateEpilogue();
  /// Relates the batch and what windows leave as it is.
  void relateImage(OpOperand &input);
  SmallVector<Extent> getSizes(OpOperand &operand);
  /// A tensor counts as row-major.
  SmallVector<Extent> getStrides(OpOperand &operand);
  static SmallVector<Extent> getOwnSizes(OpOperand &operand);

  FusionRootOpInterface root;
  const TargetInfo &target;
  std::string *reason;
  KernelPlan plan;
  SmallVector<Extent> resultSizes;
  /// The result dim that vectors run along; the others are rows.
  int64_t laneDim;
  /// For (operand, dim) the result dim of the same size.
  DenseMap<std::pair<unsigned, unsigned>, int64_t> relations;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_ANALYSIS_KERNELPLANNER_H
