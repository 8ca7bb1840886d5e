//===-- ExpandPadding.cpp - Padding in place ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-expand-padding: fills of borders, early enough that what is
// padded can be computed in its place.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Joins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONEXPANDPADDINGPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// Fills a part of `tensor`.
static Value fillPart(OpBuilder &builder, Location loc, Value tensor,
                      Value value, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  Value part = tensor::ExtractSliceOp::create(builder, loc, tensor, offsets,
                                              sizes, strides);
  Value filled = linalg::FillOp::create(builder, loc, value, part).getResult(0);
  return tensor::InsertSliceOp::create(builder, loc, filled, tensor, offsets,
                                       sizes, strides);
}

/// `size + more`, folded if `size` is known.
static OpFoldResult add(OpBuilder &builder, Location loc, OpFoldResult size,
                        int64_t more) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(*known + more);
  if (more == 0)
    return size;
  Value constant = arith::ConstantIndexOp::create(builder, loc, more);
  return arith::AddIOp::create(builder, loc, cast<Value>(size), constant)
      .getResult();
}

/// The tensor.empty that the op which makes `source` writes into, if that op
/// may as well write into another tensor of `block`; else null.
static tensor::EmptyOp getReplaceableInit(Value source, Block *block) {
  auto producer = source.getDefiningOp<DestinationStyleOpInterface>();
  if (!producer || producer->getBlock() != block)
    return {};
  OpOperand *init = producer.getTiedOpOperand(cast<OpResult>(source));
  return init->get().getDefiningOp<tensor::EmptyOp>();
}

/// The first op that makes one of `slices` and may write into another tensor,
/// if there is one before `pad`; else `pad`.
static Operation *getFillPoint(tensor::PadOp pad,
                               ArrayRef<JoinedSlice> slices) {
  Operation *point = pad;
  for (const JoinedSlice &slice : slices) {
    Operation *producer = slice.source.getDefiningOp();
    if (getReplaceableInit(slice.source, pad->getBlock()) &&
        producer->isBeforeInBlock(point))
      point = producer;
  }
  return point;
}

namespace {
/// pad(source) -> insert_slice source into border(empty)
/// The border is filled slice by slice: for each padded dim what lies below and
/// above the source.
struct ExpandPadding final : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp pad,
                                PatternRewriter &rewriter) const override {
    auto low = getConstantIntValues(pad.getMixedLowPad());
    auto high = getConstantIntValues(pad.getMixedHighPad());
    // What cuts is left to --fusion-prepare-buffers.
    auto isNegative = [](int64_t amount) { return amount < 0; };
    if (!low || !high || llvm::any_of(*low, isNegative) ||
        llvm::any_of(*high, isNegative))
      return rewriter.notifyMatchFailure(pad, "expected constant padding");
    TypedAttr constant;
    Value padding = pad.getConstantPaddingValue();
    if (!padding || !matchPattern(padding, m_Constant(&constant)))
      return rewriter.notifyMatchFailure(pad, "expected a constant value");

    Location loc = pad.getLoc();
    RankedTensorType type = pad.getResultType();
    // The border is filled before the op that makes the source, if that can
    // write inside it; sizes must then be known before that op as well.
    tensor::EmptyOp init = getReplaceableInit(pad.getSource(), pad->getBlock());
    // What is put together only to be padded is put together there.
    std::optional<Join> join;
    if (pad.getSourceType().hasStaticShape() && pad.getSource().hasOneUse())
      join = Join::get(pad.getSource());
    SmallVector<JoinedSlice> slices{{pad.getSource(), {}, {}}};
    if (join)
      slices = join->slices;
    rewriter.setInsertionPoint(getFillPoint(pad, slices));
    SmallVector<OpFoldResult> kept =
        init ? init.getMixedSizes()
             : tensor::getMixedSizes(rewriter, loc, pad.getSource());
    int64_t rank = kept.size();
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < rank; ++dim)
      sizes.push_back(
          add(rewriter, loc, kept[dim], (*low)[dim] + (*high)[dim]));
    Value value = arith::ConstantOp::create(rewriter, loc, constant);
    Value result =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    SmallVector<OpFoldResult> start(rank, rewriter.getIndexAttr(0));
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t below = (*low)[dim], above = (*high)[dim];
      if (below != 0) {
        sizes[dim] = rewriter.getIndexAttr(below);
        result = fillPart(rewriter, loc, result, value, start, sizes);
      }
      if (above != 0) {
        start[dim] = add(rewriter, loc, kept[dim], below);
        sizes[dim] = rewriter.getIndexAttr(above);
        result = fillPart(rewriter, loc, result, value, start, sizes);
      }
      start[dim] = rewriter.getIndexAttr(below);
      sizes[dim] = kept[dim];
    }

    rewriter.setInsertionPoint(pad);
    if (!join) {
      slices.front().offsets.assign(rank, rewriter.getIndexAttr(0));
      slices.front().sizes = sizes;
    }
    Value padded = insertSlices(rewriter, loc, slices, result, start);
    // A size that the pad does not state may have become known.
    if (padded.getType() != type)
      padded = tensor::CastOp::create(rewriter, loc, type, padded);
    rewriter.replaceOp(pad, padded);
    return success();
  }
};

struct FusionExpandPaddingPass final
    : fusion::impl::FusionExpandPaddingPassBase<FusionExpandPaddingPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateExpandPaddingPatterns(set);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    // Insertions of what is put together in a border are left without readers.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
  FrozenRewritePatternSet patterns;
};
} // namespace

void fusion::populateExpandPaddingPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPadding>(patterns.getContext());
}
