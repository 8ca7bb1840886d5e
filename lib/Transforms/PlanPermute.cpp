//===-- PlanPermute.cpp - Values with permuted dims -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place decides what a permuted value is, so that no rule of
// fusion-assign-layout makes a transpose that another would have to remove.
//
//===----------------------------------------------------------------------===//

#include "PlanLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

std::optional<layout::Transposed> layout::getTransposed(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  if (!op || !op.hasPureTensorSemantics())
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getInput().getType());
  if (type.getEncoding())
    return std::nullopt;
  return Transposed{op.getInput(), SmallVector<int64_t>(op.getPermutation())};
}

SmallVector<int64_t> layout::getIdentity(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

SmallVector<int64_t> layout::invert(ArrayRef<int64_t> permutation) {
  return invertPermutationVector(permutation);
}

bool layout::isToChannelsFirst(linalg::TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  return permutation.size() > 2 &&
         invert(permutation) == getToChannelsLast(permutation.size());
}

Value layout::getChannelsFirstSource(Value value) {
  std::optional<Transposed> transposed = getTransposed(value);
  return transposed && transposed->permutation ==
                           getToChannelsLast(transposed->permutation.size())
             ? transposed->source
             : Value();
}

SmallVector<int64_t> layout::getAscendingOrder(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> order = getIdentity(dims.size());
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(dims[a], a) < std::pair(dims[b], b);
  });
  return order;
}

bool layout::movesOnlyUnitDims(RankedTensorType type,
                               ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t dim : permutation) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

/// permutation after `first`: both in linalg.transpose's sense.
static SmallVector<int64_t> compose(ArrayRef<int64_t> first,
                                    ArrayRef<int64_t> permutation) {
  return layout::permute(first, permutation);
}

bool layout::isFreeToPermute(Value value, ArrayRef<int64_t> permutation) {
  if (auto transposed = getTransposed(value))
    return isIdentityPermutation(compose(transposed->permutation, permutation));
  if (matchPattern(value, m_Constant()))
    return true;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(op);
}

Value layout::createPermutedEmpty(OpBuilder &builder, Location loc, Value value,
                                  ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  return tensor::EmptyOp::create(
      builder, loc, permute(ArrayRef<OpFoldResult>(sizes), permutation),
      type.getElementType());
}

/// transpose(collapse_shape(x)) as collapse_shape(transpose(x)) where the
/// collapse only drops dims of one element, or null. Those keep their place, so
/// that the transpose is the one that other readers of x ask for.
static Value createPermutedBeforeCollapse(OpBuilder &builder, Location loc,
                                          tensor::CollapseShapeOp op,
                                          ArrayRef<int64_t> permutation) {
  RankedTensorType type = op.getSrcType();
  // The one dim of each group that stays.
  SmallVector<int64_t> kept;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    auto isUnit = [&](int64_t dim) { return type.getDimSize(dim) == 1; };
    const int64_t *first = llvm::find_if_not(group, isUnit);
    if (first == group.end())
      first = group.begin();
    if (!std::all_of(first + 1, group.end(), isUnit))
      return {};
    kept.push_back(*first);
  }
  SmallVector<int64_t> order, next = layout::permute(kept, permutation);
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t dim = 0, i = 0; dim < type.getRank(); ++dim) {
    if (!llvm::is_contained(kept, dim)) {
      order.push_back(dim);
      (groups.empty() ? leading : groups.back()).push_back(dim);
      continue;
    }
    order.push_back(next[i++]);
    groups.push_back(std::exchange(leading, {}));
    groups.back().push_back(dim);
  }
  Value source = layout::createPermuted(builder, loc, op.getSrc(), order);
  return tensor::CollapseShapeOp::create(builder, loc, source, groups);
}

Value layout::createPermuted(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> permutation) {
  if (auto transposed = getTransposed(value)) {
    SmallVector<int64_t> both = compose(transposed->permutation, permutation);
    return createPermuted(builder, loc, transposed->source, both);
  }
  if (isIdentityPermutation(permutation))
    return value;
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    if (Value permuted =
            createPermutedBeforeCollapse(builder, loc, collapse, permutation))
      return permuted;
  auto type = cast<RankedTensorType>(value.getType());
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(
        builder, loc,
        permute(ArrayRef<OpFoldResult>(empty.getMixedSizes()), permutation),
        type.getElementType());
  if (auto fill = value.getDefiningOp<linalg::FillOp>();
      fill && fill.hasPureTensorSemantics()) {
    Value init =
        createPermutedEmpty(builder, loc, fill.getOutputs()[0], permutation);
    return linalg::FillOp::create(builder, loc, fill.getInputs()[0], init)
        .getResult(0);
  }
  SplatElementsAttr splat;
  if (type.hasStaticShape() && matchPattern(value, m_Constant(&splat)))
    return arith::ConstantOp::create(
        builder, loc,
        splat.resizeSplat(type.clone(permute(type.getShape(), permutation))));
  Value init = createPermutedEmpty(builder, loc, value, permutation);
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)
      ->getResult(0);
}

std::optional<SmallVector<int64_t>>
layout::getCommonPermutation(ArrayRef<Value> values, Operation *op) {
  std::optional<SmallVector<int64_t>> permutation;
  for (Value value : values)
    if (auto transposed = getTransposed(value)) {
      permutation = transposed->permutation;
      break;
    }
  if (!permutation)
    return std::nullopt;
  SmallVector<int64_t> inverse = invert(*permutation);
  int64_t removed = 0, added = 0;
  for (Value value : values)
    if (!isFreeToPermute(value, inverse))
      ++added;
    else if (getTransposed(value))
      ++removed;
  // At a tie the result decides: a terminator needs the old order.
  bool endsHere = llvm::all_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
  if (added > removed || (added != 0 && endsHere))
    return std::nullopt;
  return permutation;
}
