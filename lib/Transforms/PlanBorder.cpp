//===-- PlanBorder.cpp - Kernels at a network's border --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of fusion-assign-layout for the transposes that are left when all have
// moved: a kernel reads or writes the other order itself, which saves a pass
// over memory.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/RegisterTile.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "PlanLayout.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

namespace {
/// True if a result and its epilogue operands may become channels-first by the
/// transpose `op` alone.
bool canBeChannelsFirst(linalg::TransposeOp op, ConvOp conv) {
  auto root = cast<FusionRootOpInterface>(conv.getOperation());
  SmallVector<int64_t> newDim = invert(op.getPermutation());
  if (!conv->hasOneUse() || conv.readsInit())
    return false;
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    SmallVector<int64_t> order =
        getAscendingOrder(permute(newDim, root.getEpilogueOperandDims(i)));
    if (!llvm::is_sorted(order) &&
        !isFreeToPermute(root.getEpilogueOperand(i), order))
      return false;
  }
  return true;
}

/// `conv` takes the place of `op`.
void makeResultChannelsFirst(PatternRewriter &rewriter, linalg::TransposeOp op,
                             ConvOp conv) {
  rewriter.setInsertionPoint(conv);
  Value init = createPermutedEmpty(rewriter, conv.getLoc(), conv.getInit(),
                                   op.getPermutation());
  rewriter.modifyOpInPlace(conv, [&] {
    orderEpilogueOperands(rewriter, conv, invert(op.getPermutation()));
    conv.setOutputLayout(ImageLayout::ChannelsFirst);
    conv.getInitMutable().assign(init);
    conv->getResult(0).setType(cast<RankedTensorType>(init.getType()));
  });
  rewriter.replaceOp(op, conv->getResult(0));
}

/// transpose(conv(transpose(x)) {channels_last}) -> conv(x) {channels_first}
/// where each channel has its own filter: both transposes take longer than the
/// convolution, whose kernel goes through one plane after the other.
struct KeepChannelsFirst final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    // A vector of a narrower row is mostly empty.
    constexpr int64_t kMinWidth = 7;
    auto conv = op.getInput().getDefiningOp<ConvOp>();
    if (!op.hasPureTensorSemantics() || !isToChannelsFirst(op) || !conv ||
        conv.getInputLayout() != ImageLayout::ChannelsLast ||
        conv.getOutputLayout() != ImageLayout::ChannelsLast ||
        !canBePlanar(conv) ||
        cast<ShapedType>(op.getInit().getType()).getShape().back() < kMinWidth)
      return rewriter.notifyMatchFailure(
          op, "expected a channels-last depthwise convolution of wide rows, "
              "made channels-first");
    Value image = getChannelsFirstSource(conv.getInput());
    if (!image ||
        !llvm::all_of(conv.getInput().getUsers(), [&](Operation *user) {
          return user == conv.getOperation();
        }))
      return rewriter.notifyMatchFailure(
          op,
          "expected an input that was channels-first and is read only here");
    if (!canBeChannelsFirst(op, conv))
      return rewriter.notifyMatchFailure(
          op, "expected a result and epilogue operands that nobody wants "
              "channels-last");
    rewriter.modifyOpInPlace(conv, [&] {
      conv.getInputMutable().assign(image);
      conv.setInputLayout(ImageLayout::ChannelsFirst);
    });
    makeResultChannelsFirst(rewriter, op, conv);
    return success();
  }
};

/// transpose(conv {output channels_last}) -> conv {output channels_first}: the
/// kernel turns its tiles while they are in registers.
struct WriteChannelsFirst final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto conv = op.getInput().getDefiningOp<ConvOp>();
    if (!op.hasPureTensorSemantics() || !isToChannelsFirst(op) || !conv ||
        conv.getOutputLayout() != ImageLayout::ChannelsLast)
      return rewriter.notifyMatchFailure(
          op, "expected a channels-last convolution, made channels-first");
    if (!canBeChannelsFirst(op, conv))
      return rewriter.notifyMatchFailure(
          op, "expected a result and epilogue operands that nobody wants "
              "channels-last");
    auto root = cast<FusionRootOpInterface>(conv.getOperation());
    SmallVector<int64_t> newDim = invert(op.getPermutation());
    int64_t last = static_cast<int64_t>(newDim.size()) - 1;
    for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
      // What has channels must be read along them or along the pixels.
      SmallVector<int64_t> dims =
          permute(newDim, root.getEpilogueOperandDims(i));
      llvm::sort(dims);
      if (llvm::is_contained(dims, 1) && dims.back() != 1 &&
          dims.back() != last)
        return rewriter.notifyMatchFailure(
            op, "expected epilogue operands with channels last or pixels last");
    }
    makeResultChannelsFirst(rewriter, op, conv);
    return success();
  }
};

/// conv(transpose(x)) {input channels_last} -> conv(x) {input channels_first}
/// where each element of the result needs one pixel: that x is read once for
/// each panel of channels costs less than to turn it.
struct ReadChannelsFirst final : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto isOne = [](int64_t size) { return size == 1; };
    if (!op.hasPureTensorSemantics() ||
        op.getInputLayout() != ImageLayout::ChannelsLast || op.hasPadding() ||
        op.isDepthwise() || !llvm::all_of(op.getKernelSizes(), isOne) ||
        !llvm::all_of(op.getStrides(), isOne))
      return rewriter.notifyMatchFailure(
          op, "expected a channels-last pointwise convolution");
    Value image = getChannelsFirstSource(op.getInput());
    if (!image || !op.getInput().hasOneUse())
      return rewriter.notifyMatchFailure(
          op,
          "expected an input that was channels-first and is read only here");
    auto type = cast<ShapedType>(image.getType());
    ArrayRef<int64_t> sizes = type.getShape().drop_front(2);
    if (!ShapedType::isDynamicShape(sizes) &&
        shareSets(llvm::product_of(sizes) *
                  getWholeBytes(type.getElementType())))
      return rewriter.notifyMatchFailure(
          op, "expected channels that share no set of the cache");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(image);
      op.setInputLayout(ImageLayout::ChannelsFirst);
    });
    return success();
  }
};
} // namespace

void fusion::populateBorderLayoutPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<KeepChannelsFirst>({"keep-channels-first"}, context,
                                           /*benefit=*/2);
  patterns.addWithLabel<WriteChannelsFirst>({"write-channels-first"}, context);
  patterns.addWithLabel<ReadChannelsFirst>({"read-channels-first"}, context);
  populateBorderProductPatterns(patterns);
}
