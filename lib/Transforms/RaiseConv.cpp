//===-- RaiseConv.cpp - Named convolutions of linalg to fusion.conv -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of an image's or a filter's dims becomes an attribute; nothing is
// transposed but a filter with its groups inside.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "Views.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// How a named op orders its dims; -1 is none.
struct ConvForm {
  StringLiteral label;
  ImageLayout layout;
  FilterLayout filterLayout;
  /// The filter's first spatial dim.
  int64_t filterSpatialDim;
  /// The filter's dim that counts the groups.
  int64_t filterGroupDim = -1;
  /// Where a depthwise filter gets its one input channel.
  int64_t filterChannelDim = -1;
  /// Dims that fusion.conv has as one with the dim after them.
  struct Merged {
    int64_t input = -1, filter = -1, result = -1;
  } merged = {};
};

constexpr StringLiteral kConv = "raise-conv";
constexpr StringLiteral kDepthwise = "raise-depthwise-conv";
constexpr StringLiteral kGrouped = "raise-grouped-conv";

std::optional<ConvForm> getForm(Operation *op) {
  constexpr ImageLayout first = ImageLayout::ChannelsFirst;
  constexpr ImageLayout last = ImageLayout::ChannelsLast;
  constexpr FilterLayout outIn = FilterLayout::OutInSpatial;
  constexpr FilterLayout inOut = FilterLayout::SpatialInOut;
  constexpr FilterLayout outSpatial = FilterLayout::OutSpatialIn;
  if (isa<linalg::Conv2DNchwFchwOp>(op))
    return ConvForm{kConv, first, outIn, 2};
  if (isa<linalg::Conv2DNhwcHwcfOp>(op))
    return ConvForm{kConv, last, inOut, 0};
  if (isa<linalg::Conv2DNhwcFhwcOp>(op))
    return ConvForm{kConv, last, outSpatial, 1};
  // [C, KH, KW]
  if (isa<linalg::DepthwiseConv2DNchwChwOp>(op))
    return ConvForm{kDepthwise, first, outIn, 1, 0, 1};
  // [KH, KW, C]
  if (isa<linalg::DepthwiseConv2DNhwcHwcOp>(op))
    return ConvForm{kDepthwise, last, inOut, 0, 2, 2};
  // [KH, KW, C, M], result [N, H, W, C, M]
  if (isa<linalg::DepthwiseConv2DNhwcHwcmOp>(op))
    return ConvForm{kDepthwise, last, inOut, 0, 2, 2, {-1, 2, 3}};
  // [G, F, C, KH, KW], images [N, G, C, H, W]
  if (isa<linalg::Conv2DNgchwGfchwOp>(op))
    return ConvForm{kGrouped, first, outIn, 3, 0, -1, {1, 0, 1}};
  // [F, G, C, KH, KW]; the rule puts G first
  if (isa<linalg::Conv2DNgchwFgchwOp>(op))
    return ConvForm{kGrouped, first, outIn, 3, 1, -1, {1, 0, 1}};
  // [G, F, KH, KW, C], images [N, H, W, G, C]
  if (isa<linalg::Conv2DNhwgcGfhwcOp>(op))
    return ConvForm{kGrouped, last, outSpatial, 2, 0, -1, {3, 0, 3}};
  return std::nullopt;
}

/// What the rules need of an op, found before anything is changed.
struct ConvPlan {
  SmallVector<int64_t> strides, dilations;
  int64_t groups;
};

/// Merges `dim` and the one after it: {0}, …, {dim, dim + 1}, ….
SmallVector<ReassociationIndices> getGroups(int64_t dim, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    if (dim >= 0 && i == dim + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  return groups;
}

FailureOr<ConvPlan> planConv(linalg::LinalgOp op, const ConvForm &form,
                             std::string &reason) {
  if (failed(checkOperands(op, reason)))
    return failure();
  auto typeOf = [](OpOperand *operand) {
    return cast<RankedTensorType>(operand->get().getType());
  };
  RankedTensorType input = typeOf(op.getDpsInputOperand(0));
  RankedTensorType filter = typeOf(op.getDpsInputOperand(1));
  RankedTensorType result = typeOf(op.getDpsInitOperand(0));
  ConvPlan plan{getWindowAttr(op, "strides"), getWindowAttr(op, "dilations"),
                1};

  bool channelsFirst = form.layout == ImageLayout::ChannelsFirst;
  auto spatialOf = [&](RankedTensorType type) {
    return type.getShape().slice(channelsFirst ? type.getRank() - 2 : 1, 2);
  };
  WindowedSizes sizes{spatialOf(input),
                      filter.getShape().slice(form.filterSpatialDim, 2),
                      spatialOf(result), plan.strides, plan.dilations};
  if (failed(checkWindows(sizes, reason)))
    return failure();
  if (form.label == kConv)
    return plan;

  // The groups of a depthwise convolution are its input's channels.
  int64_t inputDim = form.merged.input;
  if (inputDim < 0)
    inputDim = channelsFirst ? 1 : input.getRank() - 1;
  int64_t resultDim = form.merged.result < 0 ? inputDim : form.merged.result;
  plan.groups = input.getDimSize(inputDim);
  if (ShapedType::isDynamic(plan.groups))
    plan.groups = result.getDimSize(resultDim);
  if (ShapedType::isDynamic(plan.groups))
    plan.groups = filter.getDimSize(form.filterGroupDim);
  if (ShapedType::isDynamic(plan.groups) || plan.groups == 0)
    return refuse(reason, "dynamic-shape: the number of groups is not known");
  if (form.merged.result >= 0 &&
      ShapedType::isDynamic(result.getDimSize(resultDim)) &&
      ShapedType::isDynamic(result.getDimSize(resultDim + 1)))
    return refuse(reason, "dynamic-shape: the result's channels are not known");
  return plan;
}

/// `filter` as fusion.conv has it.
Value convertFilter(OpBuilder &builder, Location loc, Value filter,
                    const ConvForm &form) {
  auto rankOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  if (form.label == kGrouped && form.filterGroupDim == 1) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, filter);
    std::swap(sizes[0], sizes[1]);
    Value empty = tensor::EmptyOp::create(
        builder, loc, sizes, getElementTypeOrScalar(filter.getType()));
    filter = linalg::TransposeOp::create(builder, loc, filter, empty,
                                         ArrayRef<int64_t>{1, 0, 2, 3, 4})
                 ->getResult(0);
  }
  if (form.merged.filter >= 0)
    filter = collapseShape(builder, loc, filter,
                           getGroups(form.merged.filter, rankOf(filter)));
  if (form.filterChannelDim < 0)
    return filter;
  // A unit dim beside the channels, which are the first or the last dim.
  auto type = cast<RankedTensorType>(filter.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + form.filterChannelDim, 1);
  int64_t split = form.filterChannelDim == 1 ? 0 : form.filterChannelDim;
  return expandShape(builder, loc, filter,
                     RankedTensorType::get(shape, type.getElementType()),
                     getGroups(split, shape.size()));
}

/// A named convolution whose result accumulates into its init ->
///   fusion.conv outs(%init) epilogue(%acc, init %element) { %acc + %element }
/// Groups become one dim with their channels:
///   conv_2d_ngchw_gfchw(expand %x, %w : 4x4x4x3x3) -> conv(%x, %w : 16x4x3x3)
///   depthwise_conv_2d_nchw_chw(%x, %w : 8x3x3)     -> conv(%x, %w : 8x1x3x3)
template <typename OpTy>
struct RaiseConv final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    ConvForm form = *getForm(op);
    std::string reason;
    FailureOr<ConvPlan> plan = planConv(op, form, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);

    Location loc = op.getLoc();
    Value input = op.getInputs()[0], init = op.getOutputs()[0];
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<ReassociationIndices> groups =
        getGroups(form.merged.result, type.getRank());
    if (form.merged.input >= 0)
      input =
          collapseShape(rewriter, loc, input, getGroups(form.merged.input, 5));
    if (form.merged.result >= 0)
      init = collapseShape(rewriter, loc, init, groups);
    Value filter = convertFilter(rewriter, loc, op.getInputs()[1], form);
    auto conv = ConvOp::create(rewriter, loc, input, filter, init,
                               plan->strides, plan->dilations, {}, {},
                               plan->groups, form.layout, form.filterLayout);
    combineWithInit(rewriter, conv,
                    isa<FloatType>(type.getElementType())
                        ? arith::AtomicRMWKind::addf
                        : arith::AtomicRMWKind::addi);
    remarkFused(loc, form.label,
                (op->getName().getStringRef() + " is a fusion.conv").str());

    Value result = conv->getResult(0);
    if (form.merged.result >= 0) {
      // Readers that merge the groups again take the result as it is; the walk
      // has yet to visit them, so they are not erased here.
      for (Operation *user : op->getUsers())
        if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
            collapse && collapse.getType() == result.getType() &&
            llvm::equal(collapse.getReassociationIndices(), groups))
          rewriter.replaceAllUsesWith(collapse, result);
      result = expandShape(rewriter, loc, result, type, groups);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void fusion::explainRaiseConv(Operation *op) {
  std::optional<ConvForm> form = getForm(op);
  if (!form)
    return;
  auto conv = cast<linalg::LinalgOp>(op);
  std::string reason;
  if (conv.hasPureTensorSemantics() && failed(planConv(conv, *form, reason)))
    remarkMissed(op->getLoc(), form->label, reason);
}

void fusion::populateRaiseConvPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<RaiseConv<linalg::Conv2DNchwFchwOp>,
                        RaiseConv<linalg::Conv2DNhwcFhwcOp>,
                        RaiseConv<linalg::Conv2DNhwcHwcfOp>>({kConv}, context);
  patterns.addWithLabel<RaiseConv<linalg::DepthwiseConv2DNchwChwOp>,
                        RaiseConv<linalg::DepthwiseConv2DNhwcHwcOp>,
                        RaiseConv<linalg::DepthwiseConv2DNhwcHwcmOp>>(
      {kDepthwise}, context);
  patterns.addWithLabel<RaiseConv<linalg::Conv2DNgchwFgchwOp>,
                        RaiseConv<linalg::Conv2DNgchwGfchwOp>,
                        RaiseConv<linalg::Conv2DNhwgcGfhwcOp>>({kGrouped},
                                                               context);
}
