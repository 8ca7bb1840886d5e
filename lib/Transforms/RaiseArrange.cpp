//===-- RaiseArrange.cpp - A tensor's dims as a root wants them -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One transpose where the order differs, one collapse_shape, one expand_shape:
// none of them where the dims already are in place.
//
//===----------------------------------------------------------------------===//

#include "RaiseForm.h"
#include "Views.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::fusion;

bool Arrangement::isPermuted() const { return !llvm::is_sorted(order); }

bool Arrangement::isReversible(ShapedType type) const {
  ArrayRef<int64_t> rest = order;
  for (int64_t size : groupSizes) {
    if (llvm::count_if(rest.take_front(size),
                       [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1)
      return false;
    rest = rest.drop_front(size);
  }
  return true;
}

Arrangement fusion::arrangeDims(ArrayRef<int64_t> source,
                                ArrayRef<SmallVector<int64_t>> groups) {
  Arrangement result;
  auto isInGroup = [&](int64_t key) {
    return llvm::any_of(groups, [&](const SmallVector<int64_t> &group) {
      return llvm::is_contained(group, key);
    });
  };
  for (const SmallVector<int64_t> &group : groups) {
    size_t start = result.order.size();
    for (int64_t key : group) {
      int64_t dim = llvm::find(source, key) - source.begin();
      // Dims of one element go with the dim after them.
      int64_t first = dim;
      while (first > 0 && !isInGroup(source[first - 1]))
        --first;
      llvm::append_range(result.order, llvm::seq(first, dim + 1));
    }
    result.groupSizes.push_back(result.order.size() - start);
  }
  // … or, at the end, with the last one.
  size_t arranged = result.order.size();
  for (int64_t dim : llvm::seq<int64_t>(0, source.size()))
    if (!llvm::is_contained(result.order, dim))
      result.order.push_back(dim);
  if (size_t rest = result.order.size() - arranged; rest != 0)
    for (int64_t &size : llvm::reverse(result.groupSizes))
      if (size != 0) {
        size += rest;
        break;
      }
  return result;
}

/// The dims of each group that has any, counted through.
static SmallVector<ReassociationIndices>
getMergedGroups(ArrayRef<int64_t> groupSizes) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t size : groupSizes)
    if (size != 0) {
      groups.emplace_back(llvm::to_vector(llvm::seq(next, next + size)));
      next += size;
    }
  return groups;
}

/// The groups without dims, each beside the one before it or else after it.
static SmallVector<ReassociationIndices>
getAddedGroups(ArrayRef<int64_t> groupSizes) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, size] : llvm::enumerate(groupSizes)) {
    if (size == 0) {
      (groups.empty() ? leading : groups.back()).push_back(position);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(position);
  }
  return groups;
}

static Value transpose(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  applyPermutationToVector(sizes, permutation);
  Value empty = tensor::EmptyOp::create(
      builder, loc, sizes, getElementTypeOrScalar(value.getType()));
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)
      ->getResult(0);
}

static bool mergesDims(const Arrangement &arrangement) {
  return llvm::any_of(arrangement.groupSizes,
                      [](int64_t size) { return size > 1; });
}

static bool addsDims(const Arrangement &arrangement) {
  return llvm::is_contained(arrangement.groupSizes, 0);
}

Value fusion::arrange(OpBuilder &builder, Location loc, Value value,
                      const Arrangement &arrangement) {
  if (arrangement.isPermuted())
    value = transpose(builder, loc, value, arrangement.order);
  if (mergesDims(arrangement))
    value = collapseShape(builder, loc, value,
                          getMergedGroups(arrangement.groupSizes));
  if (!addsDims(arrangement))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  int64_t next = 0;
  for (int64_t size : arrangement.groupSizes)
    shape.push_back(size == 0 ? 1 : type.getDimSize(next++));
  return expandShape(builder, loc, value,
                     RankedTensorType::get(shape, type.getElementType()),
                     getAddedGroups(arrangement.groupSizes));
}

Value fusion::undoArrangement(OpBuilder &builder, Location loc, Value value,
                              RankedTensorType type,
                              const Arrangement &arrangement) {
  if (addsDims(arrangement))
    value = collapseShape(builder, loc, value,
                          getAddedGroups(arrangement.groupSizes));
  SmallVector<int64_t> shape =
      applyPermutation(type.getShape(), arrangement.order);
  if (mergesDims(arrangement))
    value = expandShape(builder, loc, value, type.clone(shape),
                        getMergedGroups(arrangement.groupSizes));
  if (arrangement.isPermuted())
    value = transpose(builder, loc, value,
                      invertPermutationVector(arrangement.order));
  return value;
}

void fusion::replaceByArranged(RewriterBase &rewriter, Operation *op,
                               Value result, const Arrangement &arrangement) {
  if (!arrangement.isPermuted() && !addsDims(arrangement)) {
    // The walk has yet to visit the readers, so they are not erased here.
    SmallVector<ReassociationIndices> groups =
        getMergedGroups(arrangement.groupSizes);
    for (Operation *user : op->getUsers())
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
          collapse && collapse.getType() == result.getType() &&
          llvm::equal(collapse.getReassociationIndices(), groups))
        rewriter.replaceAllUsesWith(collapse, result);
  }
  rewriter.replaceOp(
      op, undoArrangement(rewriter, op->getLoc(), result,
                          cast<RankedTensorType>(op->getResult(0).getType()),
                          arrangement));
}
