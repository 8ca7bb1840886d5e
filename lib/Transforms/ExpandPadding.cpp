//===-- ExpandPadding.cpp - Padding in place ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-expand-padding: fills of borders, early enough that what is
// padded can be computed in its place.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONEXPANDPADDINGPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// Fills a part of `tensor`.
static Value fillPart(OpBuilder &builder, Location loc, Value tensor,
                      Value value, ArrayRef<int64_t> start,
                      ArrayRef<int64_t> size) {
  auto offsets = getAsIndexOpFoldResult(builder.getContext(), start);
  auto sizes = getAsIndexOpFoldResult(builder.getContext(), size);
  SmallVector<OpFoldResult> strides(start.size(), builder.getIndexAttr(1));
  Value part = tensor::ExtractSliceOp::create(builder, loc, tensor, offsets,
                                              sizes, strides);
  Value filled = linalg::FillOp::create(builder, loc, value, part).getResult(0);
  return tensor::InsertSliceOp::create(builder, loc, filled, tensor, offsets,
                                       sizes, strides);
}

/// Where the border may be filled: before the op that makes `pad`'s source, if
/// that may as well write into another tensor of the same block; else before
/// `pad`.
static Operation *getFillPoint(tensor::PadOp pad) {
  auto producer = pad.getSource().getDefiningOp<DestinationStyleOpInterface>();
  if (!producer || producer->getBlock() != pad->getBlock())
    return pad;
  OpOperand *init = producer.getTiedOpOperand(cast<OpResult>(pad.getSource()));
  return init->get().getDefiningOp<tensor::EmptyOp>() ? producer : pad;
}

namespace {
/// pad(source) -> insert_slice source into border(empty)
/// The border is filled slice by slice: for each padded dim what lies below and
/// above the source.
struct ExpandPadding final : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp pad,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = pad.getResultType();
    RankedTensorType sourceType = pad.getSourceType();
    if (!type.hasStaticShape() || !sourceType.hasStaticShape())
      return rewriter.notifyMatchFailure(pad, "expected static shapes");
    auto low = getConstantIntValues(pad.getMixedLowPad());
    auto high = getConstantIntValues(pad.getMixedHighPad());
    if (!low || !high)
      return rewriter.notifyMatchFailure(pad, "expected constant padding");
    TypedAttr constant;
    Value padding = pad.getConstantPaddingValue();
    if (!padding || !matchPattern(padding, m_Constant(&constant)))
      return rewriter.notifyMatchFailure(pad, "expected a constant value");

    // Negative padding cuts the source.
    SmallVector<int64_t> cut, kept(sourceType.getShape());
    for (auto [size, below, above] : llvm::zip_equal(kept, *low, *high)) {
      cut.push_back(std::max<int64_t>(-below, 0));
      size -= cut.back() + std::max<int64_t>(-above, 0);
      if (size <= 0)
        return rewriter.notifyMatchFailure(pad,
                                           "expected a rest of the source");
      below = std::max<int64_t>(below, 0);
      above = std::max<int64_t>(above, 0);
    }

    Location loc = pad.getLoc();
    rewriter.setInsertionPoint(getFillPoint(pad));
    Value value = arith::ConstantOp::create(rewriter, loc, constant);
    Value result = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                           type.getElementType());
    SmallVector<int64_t> start(type.getRank(), 0), size(type.getShape());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t inner = kept[dim];
      for (auto [from, count] :
           {std::pair<int64_t, int64_t>(0, (*low)[dim]),
            std::pair<int64_t, int64_t>((*low)[dim] + inner, (*high)[dim])}) {
        start[dim] = from;
        size[dim] = count;
        if (count != 0)
          result = fillPart(rewriter, loc, result, value, start, size);
      }
      start[dim] = (*low)[dim];
      size[dim] = inner;
    }

    rewriter.setInsertionPoint(pad);
    SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
    auto sizes = getAsIndexOpFoldResult(getContext(), size);
    Value source = pad.getSource();
    if (kept != sourceType.getShape())
      source = tensor::ExtractSliceOp::create(
          rewriter, loc, source, getAsIndexOpFoldResult(getContext(), cut),
          sizes, strides);
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        pad, source, result, getAsIndexOpFoldResult(getContext(), start), sizes,
        strides);
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
  }
  FrozenRewritePatternSet patterns;
};
} // namespace

void fusion::populateExpandPaddingPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPadding>(patterns.getContext());
}
