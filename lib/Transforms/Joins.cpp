//===-- Joins.cpp - Tensors put together from slices ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-join-slices: a concatenation in the form in which each part
// can be computed in its place.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"
#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONJOINSLICESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

using tensor::InsertSliceOp;

std::optional<Join> Join::get(Value joined) {
  Join join;
  auto insert = joined.getDefiningOp<InsertSliceOp>();
  while (insert) {
    if (insert.getSourceType().getRank() != insert.getType().getRank() ||
        !insert.hasUnitStride())
      return std::nullopt;
    join.slices.push_back(
        {insert.getSource(), insert.getMixedOffsets(), insert.getMixedSizes()});
    join.inserts.push_back(insert);
    Value below = insert.getDest();
    if (below.getDefiningOp<tensor::EmptyOp>()) {
      std::reverse(join.slices.begin(), join.slices.end());
      std::reverse(join.inserts.begin(), join.inserts.end());
      return join;
    }
    insert = below.getDefiningOp<InsertSliceOp>();
    if (insert && (!below.hasOneUse() ||
                   insert->getBlock() != join.inserts.front()->getBlock()))
      return std::nullopt;
  }
  return std::nullopt;
}

static SmallVector<OpFoldResult> add(OpBuilder &builder, Location loc,
                                     ArrayRef<OpFoldResult> a,
                                     ArrayRef<OpFoldResult> b) {
  AffineMap sum = AffineMap::get(
      2, 0, builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1));
  return llvm::map_to_vector(llvm::zip_equal(a, b), [&](auto pair) {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, sum, {std::get<0>(pair), std::get<1>(pair)});
  });
}

Value fusion::insertSlices(OpBuilder &builder, Location loc,
                           ArrayRef<JoinedSlice> slices, Value destination,
                           ArrayRef<OpFoldResult> offsets) {
  for (const JoinedSlice &slice : slices) {
    SmallVector<OpFoldResult> strides(slice.offsets.size(),
                                      builder.getIndexAttr(1));
    destination = InsertSliceOp::create(
        builder, loc, slice.source, destination,
        add(builder, loc, slice.offsets, offsets), slice.sizes, strides);
  }
  return destination;
}

/// The slices of joins that are slices of `join`, in place of them.
static SmallVector<JoinedSlice> flatten(OpBuilder &builder, Location loc,
                                        const Join &join) {
  SmallVector<JoinedSlice> flat;
  SmallVector<JoinedSlice> worklist(llvm::reverse(join.slices));
  while (!worklist.empty()) {
    JoinedSlice slice = worklist.pop_back_val();
    std::optional<Join> inner = slice.source.hasOneUse()
                                    ? Join::get(slice.source)
                                    : std::optional<Join>();
    if (!inner) {
      flat.push_back(std::move(slice));
      continue;
    }
    for (JoinedSlice &part : llvm::reverse(inner->slices)) {
      part.offsets = add(builder, loc, part.offsets, slice.offsets);
      worklist.push_back(std::move(part));
    }
  }
  return flat;
}

/// True if the slices lie one after the other along `dim`.
static bool areInARow(ArrayRef<JoinedSlice> slices, int64_t dim) {
  SmallVector<std::pair<int64_t, int64_t>> parts;
  for (const JoinedSlice &slice : slices) {
    std::optional<int64_t> offset = getConstantIntValue(slice.offsets[dim]);
    std::optional<int64_t> size = getConstantIntValue(slice.sizes[dim]);
    if (!offset || !size)
      return false;
    parts.push_back({*offset, *size});
  }
  llvm::sort(parts);
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i - 1].first + parts[i - 1].second > parts[i].first)
      return false;
  return true;
}

/// Slices beyond which not every pair is compared.
static constexpr size_t kMaxCompared = 16;

/// True if it is known that no element is in two slices.
static bool areDisjoint(ArrayRef<JoinedSlice> slices) {
  for (int64_t dim = 0, e = slices.front().offsets.size(); dim < e; ++dim)
    if (areInARow(slices, dim))
      return true;
  if (slices.size() > kMaxCompared)
    return false;
  for (size_t i = 0; i < slices.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
          slices[i].source.getContext(),
          HyperrectangularSlice(slices[i].offsets, slices[i].sizes),
          HyperrectangularSlice(slices[j].offsets, slices[j].sizes));
      if (failed(overlap) || *overlap)
        return false;
    }
  return true;
}

/// The slices in the order in which `block` computes them: what comes from
/// outside of it is first.
static SmallVector<JoinedSlice> sortByOrigin(ArrayRef<JoinedSlice> slices,
                                             Block *block) {
  auto getOrigin = [&](const JoinedSlice &slice) -> Operation * {
    Operation *op = slice.source.getDefiningOp();
    return op && op->getBlock() == block ? op : nullptr;
  };
  SmallVector<std::pair<Operation *, size_t>> order;
  for (auto [i, slice] : llvm::enumerate(slices))
    order.push_back({getOrigin(slice), i});
  llvm::sort(order, [](auto a, auto b) {
    if (a.first == b.first)
      return a.second < b.second;
    if (!a.first || !b.first)
      return !a.first;
    return a.first->isBeforeInBlock(b.first);
  });
  return llvm::map_to_vector(order,
                             [&](auto entry) { return slices[entry.second]; });
}

namespace {
struct FusionJoinSlicesPass final
    : fusion::impl::FusionJoinSlicesPassBase<FusionJoinSlicesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<InsertSliceOp> lasts;
    getOperation()->walk([&](InsertSliceOp op) {
      auto next = op->hasOneUse() ? dyn_cast<InsertSliceOp>(*op->user_begin())
                                  : InsertSliceOp();
      if (!next || next.getDest() != op.getResult())
        lasts.push_back(op);
    });
    // What contains others comes after them, and takes them in.
    for (InsertSliceOp last : llvm::reverse(lasts))
      if (!erased.contains(last))
        if (std::optional<Join> join = Join::get(last.getResult()))
          rebuild(rewriter, *join);
    erased.clear();
  }

private:
  /// An insertion that nothing reads any more and those that only fed it.
  void eraseDead(RewriterBase &rewriter, InsertSliceOp last) {
    SmallVector<Value> worklist{last.getResult()};
    while (!worklist.empty()) {
      auto insert = worklist.pop_back_val().getDefiningOp<InsertSliceOp>();
      if (!insert || !insert->use_empty())
        continue;
      Value feeders[] = {insert.getSource(), insert.getDest()};
      erased.insert(insert);
      rewriter.eraseOp(insert);
      // Both may be the same, of which there is one to erase.
      worklist.push_back(feeders[0]);
      if (feeders[0] != feeders[1])
        worklist.push_back(feeders[1]);
    }
  }

  void rebuild(RewriterBase &rewriter, Join &join) {
    InsertSliceOp last = join.inserts.back();
    Location loc = last.getLoc();
    rewriter.setInsertionPoint(last);
    SmallVector<JoinedSlice> slices = flatten(rewriter, loc, join);
    if (areDisjoint(slices))
      slices = sortByOrigin(slices, last->getBlock());
    auto getSource = [](const JoinedSlice &slice) { return slice.source; };
    if (llvm::equal(llvm::map_range(slices, getSource),
                    llvm::map_range(join.slices, getSource)))
      return;
    SmallVector<OpFoldResult> zeros(last.getType().getRank(),
                                    rewriter.getIndexAttr(0));
    Value destination = join.inserts.front().getDest();
    rewriter.replaceAllUsesWith(
        last.getResult(),
        insertSlices(rewriter, loc, slices, destination, zeros));
    eraseDead(rewriter, last);
  }
  llvm::DenseSet<Operation *> erased;
};
} // namespace
