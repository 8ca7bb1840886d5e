//===-- RaiseForm.h - What a linalg op computes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named linalg ops and generics have maps and a body alike; the rules of phase
// 1 ask these and never the name. Called by the rules that raise.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_RAISEFORM_H
#define FUSIONDIALECT_LIB_TRANSFORMS_RAISEFORM_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fusion {

//===-- Bodies ------------------------------------------------------------===//

/// An input's element as a body uses it: cast to the accumulator's type, less a
/// zero point.
struct BodyFactor {
  OpOperand *operand = nullptr;
  /// Null if nothing is subtracted.
  Value zeroPoint;
  bool isUnsigned = false;
};

/// A body that stores `combine(accumulator, lhs * rhs)` or, without rhs,
/// `combine(accumulator, lhs)`.
struct ReductionBody {
  arith::AtomicRMWKind combiner;
  BodyFactor lhs;
  std::optional<BodyFactor> rhs;

  bool hasZeroPoints() const {
    return lhs.zeroPoint || (rhs && rhs->zeroPoint);
  }
};

/// What `op`, which has one init and tensors only, sums or selects from its
/// inputs; nothing if its body does anything else.
std::optional<ReductionBody> matchReductionBody(linalg::LinalgOp op);

/// The op of an epilogue or a body that combines two elements, as a kind, or
/// nothing.
std::optional<arith::AtomicRMWKind> getCombinerKind(Operation *op);

//===-- Loops -------------------------------------------------------------===//

/// `position * stride + step * dilation`: where a window lies in one dim of an
/// image. Either loop may be missing.
struct WindowExpr {
  std::optional<unsigned> position, step;
  int64_t stride = 1, dilation = 1;
};

/// `expr` as a window, by the roles of the loops in `op`; nothing if it is a
/// single loop read as it is, or no window.
std::optional<WindowExpr> matchWindowExpr(linalg::LinalgOp op, AffineExpr expr);

/// The loops that the results of `map` are, or nothing if one is anything else
/// or occurs twice.
std::optional<SmallVector<unsigned>> getPlainLoops(AffineMap map);

/// The size of each loop, kDynamic where no operand knows it.
SmallVector<int64_t> getLoopSizes(linalg::LinalgOp op);

/// What an op is a candidate for.
enum class RootFamily { None, Conv, Matmul, Pool };
RootFamily getRootFamily(linalg::LinalgOp op, const ReductionBody &body);

//===-- Arrangements ------------------------------------------------------===//

/// How the dims of a tensor become those of a root's operand: put in another
/// order, then merged where a group has several, and added where it has none.
struct Arrangement {
  /// The tensor's dims in their new order.
  SmallVector<int64_t> order;
  /// How many of them each dim of the operand has.
  SmallVector<int64_t> groupSizes;

  bool isPermuted() const;
  /// False if a merged dim could not be split again.
  bool isReversible(ShapedType type) const;
};

/// Dims that are the same one in `source` and in `groups` have the same key
/// there. Keys that no group has belong to dims of one element.
Arrangement arrangeDims(ArrayRef<int64_t> source,
                        ArrayRef<SmallVector<int64_t>> groups);

/// `value`, arranged.
Value arrange(OpBuilder &builder, Location loc, Value value,
              const Arrangement &arrangement);

/// `value`, which is arranged, as a tensor of `type` again.
Value undoArrangement(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType type, const Arrangement &arrangement);

/// Replaces `op`, whose result was of `arrangement`, by the root's result.
/// Readers that only arrange it again take it as it is.
void replaceByArranged(RewriterBase &rewriter, Operation *op, Value result,
                       const Arrangement &arrangement);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_RAISEFORM_H
