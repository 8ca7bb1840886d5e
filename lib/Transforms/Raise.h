//===-- Raise.h - What the rules of phase 1 share ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule that raises keeps linalg's meaning of the destination: the epilogue
// combines the accumulator with the init's element. RaiseInit then finds what
// that element really is. The explain functions are called once, at the end of
// the pass.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_RAISE_H
#define FUSIONDIALECT_LIB_TRANSFORMS_RAISE_H

#include "FusionDialect/Dialect/Fusion.h"
#include "RaiseForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fusion {

/// Keeps `text`, a remark's `code: sentence`, as the reason of a refusal.
inline LogicalResult refuse(std::string &reason, const Twine &text) {
  reason = text.str();
  return failure();
}

/// Refuses types that no root computes with (a boolean accumulator, complex or
/// unsigned elements) and operands whose sizes differ.
LogicalResult checkOperands(linalg::LinalgOp op, std::string &reason);

/// Refuses a product of unsigned elements or with zero points.
LogicalResult checkFactors(const ReductionBody &body, std::string &reason);

/// What the windows of a convolution or a pool have in common.
struct WindowedSizes {
  ArrayRef<int64_t> input, window, result, strides, dilations;
};

/// Refuses windows whose result a root would give another size.
LogicalResult checkWindows(const WindowedSizes &sizes, std::string &reason);

/// Cuts the image of a convolution or a pool that was raised to what its
/// windows reach, where it may be larger: a linalg op's may be, a root's has
/// the size that the result's follows from. Static sizes are checked by
/// `checkWindows`.
void cropImage(RewriterBase &rewriter, FusionRootOpInterface root);

/// An identity epilogue -> one that combines with the init's element by `kind`.
void combineWithInit(RewriterBase &rewriter, FusionRootOpInterface root,
                     arith::AtomicRMWKind kind);

// For what is left of an op that is a candidate of one of a file's rules: a
// missed remark with the reason.
void explainRaiseConv(linalg::LinalgOp op, const ReductionBody &body);
void explainRaiseMatmul(linalg::LinalgOp op, const ReductionBody &body);
void explainZeroPoints(linalg::LinalgOp op, const ReductionBody &body);
void explainRaisePool(linalg::LinalgOp op, const ReductionBody &body);
void explainRaiseConvTranspose(Operation *op);
void explainFoldPad(Operation *op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_RAISE_H
