//===-- PlanLayout.h - Values with permuted dims ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rules of fusion-assign-layout share. A permutation is written as
// linalg.transpose writes it: result dim i is source dim permutation[i].
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_PLANLAYOUT_H
#define FUSIONDIALECT_LIB_TRANSFORMS_PLANLAYOUT_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fusion::layout {

/// `value` as a transpose of another: dim i is dim permutation[i] of `source`.
struct Transposed {
  Value source;
  SmallVector<int64_t> permutation;
};

/// What `value` is the linalg.transpose of, on tensors without encoding.
std::optional<Transposed> getTransposed(Value value);

/// [N, C, S…] -> [N, S…, C].
SmallVector<int64_t> getToChannelsLast(int64_t rank);

/// True if the transpose `op` takes [N, S…, C] to [N, C, S…].
bool isToChannelsFirst(linalg::TransposeOp op);

/// The image [N, C, S…] of which `value` is the transpose [N, S…, C]; null if
/// it is none.
Value getChannelsFirstSource(Value value);

/// Gives epilogue operands dims in ascending order after each result dim d has
/// become newDim[d]; transposes those that need it.
void orderEpilogueOperands(RewriterBase &rewriter, FusionRootOpInterface root,
                           ArrayRef<int64_t> newDim);

SmallVector<int64_t> getIdentity(int64_t rank);
SmallVector<int64_t> invert(ArrayRef<int64_t> permutation);
/// The permutation that sorts `dims`.
SmallVector<int64_t> getAscendingOrder(ArrayRef<int64_t> dims);

/// Element permutation[i] of `values` at place i.
template <typename T>
SmallVector<T> permute(ArrayRef<T> values, ArrayRef<int64_t> permutation) {
  SmallVector<T> result;
  for (int64_t dim : permutation)
    result.push_back(values[dim]);
  return result;
}

template <typename T>
SmallVector<T> permute(const SmallVector<T> &values,
                       ArrayRef<int64_t> permutation) {
  return permute(ArrayRef<T>(values), permutation);
}

/// True if `permutation` leaves the order of all dims of other size than 1, so
/// that it only renames elements.
bool movesOnlyUnitDims(RankedTensorType type, ArrayRef<int64_t> permutation);

/// True if `value` with permuted dims costs nothing at run time: the transpose
/// that it is cancels, or it is a constant, a fill or a tensor.empty.
bool isFreeToPermute(Value value, ArrayRef<int64_t> permutation);

/// `value` with permuted dims: the source of a transpose that cancels, a new
/// empty, fill or splat, or one linalg.transpose.
Value createPermuted(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> permutation);

/// A tensor.empty of the permuted shape of `value`.
Value createPermutedEmpty(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> permutation);

/// The permutation of the first transposed value among those that `op` reads,
/// if moving `op` above the transposes of all `values` leaves no more than
/// before.
std::optional<SmallVector<int64_t>> getCommonPermutation(ArrayRef<Value> values,
                                                         Operation *op);

/// Labels sink-through-linalg and sink-transposes.
void populateSinkThroughLinalgPatterns(RewritePatternSet &patterns);
void populateSinkTransposePatterns(RewritePatternSet &patterns);

/// Label multiply-channels-first.
void populateBorderProductPatterns(RewritePatternSet &patterns);

} // namespace mlir::fusion::layout

#endif // FUSIONDIALECT_LIB_TRANSFORMS_PLANLAYOUT_H
