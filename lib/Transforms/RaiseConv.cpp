//===-- RaiseConv.cpp - Convolutions of linalg to fusion.conv -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution is found by what its loops index. The order of an image's or a
// filter's dims becomes an attribute where the root has a name for it; only
// where it has none is an operand transposed.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "RaiseForm.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

namespace {
constexpr StringLiteral kConv = "raise-conv";
constexpr StringLiteral kDepthwise = "raise-depthwise-conv";
constexpr StringLiteral kGrouped = "raise-grouped-conv";

/// Dims by key (see arrangeDims), in the order that each role has.
using Keys = SmallVector<int64_t>;

/// What the loops of a convolution are for.
struct ConvLoops {
  Keys batch, group, outChannel, inChannel;
  /// One a spatial dim, in the result's order. A loop that the filter lacks is
  /// a spatial dim whose window has one element.
  SmallVector<WindowExpr> windows;
};

struct ConvPlan {
  StringLiteral label = kConv;
  OpOperand *input = nullptr, *filter = nullptr;
  Arrangement inputDims, filterDims, resultDims;
  ImageLayout inputLayout, resultLayout;
  FilterLayout filterLayout;
  SmallVector<int64_t> strides, dilations;
  int64_t groups = 1;
};

/// The one of `candidates` whose order is that of `source`, or else
/// `otherwise`.
template <typename LayoutTy>
std::pair<LayoutTy, Arrangement>
chooseLayout(ArrayRef<int64_t> source,
             ArrayRef<std::pair<LayoutTy, SmallVector<Keys>>> candidates,
             LayoutTy otherwise) {
  std::pair<LayoutTy, Arrangement> chosen;
  for (const auto &[layout, groups] : candidates) {
    Arrangement arrangement = arrangeDims(source, groups);
    if (!arrangement.isPermuted())
      return {layout, arrangement};
    if (layout == otherwise)
      chosen = {layout, arrangement};
  }
  return chosen;
}

Keys concat(const Keys &first, const Keys &second) {
  Keys keys(first);
  llvm::append_range(keys, second);
  return keys;
}

std::pair<ImageLayout, Arrangement> chooseImageLayout(ArrayRef<int64_t> source,
                                                      const ConvLoops &loops,
                                                      const Keys &channels) {
  SmallVector<Keys> first{loops.batch, channels}, last{loops.batch};
  for (const WindowExpr &window : loops.windows) {
    first.push_back({*window.position});
    last.push_back({*window.position});
  }
  last.push_back(channels);
  // Where it has to be transposed, channels stay on their side of the image.
  auto isWindow = [&](int64_t key) {
    return llvm::any_of(loops.windows, [&](const WindowExpr &window) {
      return window.position == key;
    });
  };
  bool isLast = !channels.empty() && llvm::find(source, channels.front()) >
                                         llvm::find_if(source, isWindow);
  return chooseLayout<ImageLayout>(
      source,
      {{ImageLayout::ChannelsFirst, first}, {ImageLayout::ChannelsLast, last}},
      isLast ? ImageLayout::ChannelsLast : ImageLayout::ChannelsFirst);
}

std::pair<FilterLayout, Arrangement>
chooseFilterLayout(ArrayRef<int64_t> source, const ConvLoops &loops) {
  Keys out = concat(loops.group, loops.outChannel);
  SmallVector<Keys> outIn{out, loops.inChannel}, inOut, outSpatial{out};
  for (const WindowExpr &window : loops.windows) {
    Keys step;
    if (window.step)
      step.push_back(*window.step);
    outIn.push_back(step);
    inOut.push_back(step);
    outSpatial.push_back(step);
  }
  inOut.append({loops.inChannel, out});
  outSpatial.push_back(loops.inChannel);
  return chooseLayout<FilterLayout>(source,
                                    {{FilterLayout::OutInSpatial, outIn},
                                     {FilterLayout::SpatialInOut, inOut},
                                     {FilterLayout::OutSpatialIn, outSpatial}},
                                    FilterLayout::OutInSpatial);
}

/// The dims of the image: a loop, or the position of the window that moves
/// there.
std::optional<Keys> getImageKeys(LinalgOp op, AffineMap map,
                                 SmallVectorImpl<WindowExpr> &windows) {
  Keys keys;
  for (AffineExpr expr : map.getResults()) {
    std::optional<WindowExpr> window = matchWindowExpr(op, expr);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (window ? !window->position.has_value() : !dim)
      return std::nullopt;
    int64_t key = window ? *window->position : dim.getPosition();
    if (llvm::is_contained(keys, key))
      return std::nullopt;
    keys.push_back(key);
    if (window)
      windows.push_back(*window);
  }
  return keys;
}

/// Sorts the loops by the operands that they index.
LogicalResult sortLoops(LinalgOp op, ArrayRef<int64_t> image,
                        ArrayRef<int64_t> filter, ArrayRef<int64_t> result,
                        ArrayRef<WindowExpr> windows, ConvLoops &loops,
                        std::string &reason) {
  auto mismatch = [&] {
    return refuse(reason, "map-mismatch: a loop is neither batch, group, "
                          "channel nor window of a convolution");
  };
  auto has = [](ArrayRef<int64_t> keys, int64_t loop) {
    return llvm::is_contained(keys, loop);
  };
  auto findWindow = [&](int64_t loop) {
    return llvm::find_if(windows, [&](const WindowExpr &window) {
      return window.position == loop;
    });
  };
  for (int64_t loop : result) {
    if (const WindowExpr *window = findWindow(loop); window != windows.end()) {
      if (has(filter, loop))
        return mismatch();
      loops.windows.push_back(*window);
    } else if (has(filter, loop)) {
      (has(image, loop) ? loops.group : loops.outChannel).push_back(loop);
    } else if (!has(image, loop)) {
      return mismatch();
    } else if (loops.batch.size() ==
               static_cast<size_t>(llvm::find(result, loop) - result.begin())) {
      loops.batch.push_back(loop);
    } else {
      WindowExpr window;
      window.position = loop;
      loops.windows.push_back(window);
    }
  }
  for (int64_t loop : image)
    if (!has(result, loop)) {
      if (!has(filter, loop))
        return mismatch();
      loops.inChannel.push_back(loop);
    }
  // What else the filter has are the steps of the windows, each once.
  SmallVector<int64_t> steps;
  for (const WindowExpr &window : windows)
    if (window.step)
      steps.push_back(*window.step);
  for (int64_t loop : filter)
    if (!has(result, loop) && !has(loops.inChannel, loop) &&
        llvm::count(steps, loop) != 1)
      return mismatch();
  for (int64_t step : steps)
    if (!has(filter, step) || has(image, step))
      return mismatch();
  for (const WindowExpr &window : windows)
    if (!has(result, *window.position))
      return mismatch();
  // A loop of another operand would repeat the sum.
  if (loops.inChannel.size() + steps.size() != op.getNumReductionLoops())
    return mismatch();
  return success();
}

FailureOr<ConvPlan> planConv(LinalgOp op, const ReductionBody &body,
                             StringLiteral &label, std::string &reason) {
  label = kConv;
  if (failed(checkOperands(op, reason)) || failed(checkFactors(body, reason)))
    return failure();
  ConvPlan plan;
  plan.input = body.lhs.operand;
  plan.filter = body.rhs->operand;
  // The image is what windows move over.
  SmallVector<WindowExpr> windows;
  std::optional<Keys> image =
      getImageKeys(op, op.getMatchingIndexingMap(plan.input), windows);
  if (windows.empty()) {
    std::swap(plan.input, plan.filter);
    image = getImageKeys(op, op.getMatchingIndexingMap(plan.input), windows);
  }
  std::optional<SmallVector<unsigned>> filterLoops =
      getPlainLoops(op.getMatchingIndexingMap(plan.filter));
  std::optional<SmallVector<unsigned>> resultLoops =
      getPlainLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  if (!image || !filterLoops || !resultLoops || windows.empty())
    return refuse(reason, "map-mismatch: an operand of the convolution is read "
                          "through another map than loops and windows");
  Keys filter(filterLoops->begin(), filterLoops->end());
  Keys result(resultLoops->begin(), resultLoops->end());
  ConvLoops loops;
  if (failed(sortLoops(op, *image, filter, result, windows, loops, reason)))
    return failure();
  if (!loops.group.empty())
    label = loops.inChannel.empty() ? kDepthwise : kGrouped;
  plan.label = label;
  if (loops.windows.size() > 3)
    return refuse(reason, "map-mismatch: the image has more than three dims");

  SmallVector<int64_t> sizes = getLoopSizes(op);
  for (int64_t loop : loops.group) {
    if (ShapedType::isDynamic(sizes[loop]) || sizes[loop] == 0)
      return refuse(reason, "dynamic-shape: the number of groups is not known");
    plan.groups *= sizes[loop];
  }
  SmallVector<int64_t> inputSizes, windowSizes, resultSizes;
  for (const WindowExpr &window : loops.windows) {
    plan.strides.push_back(window.stride);
    plan.dilations.push_back(window.dilation);
    inputSizes.push_back(op.getShape(
        plan.input)[llvm::find(*image, *window.position) - image->begin()]);
    windowSizes.push_back(window.step ? sizes[*window.step] : 1);
    resultSizes.push_back(sizes[*window.position]);
  }
  if (failed(checkWindows(
          {inputSizes, windowSizes, resultSizes, plan.strides, plan.dilations},
          reason)))
    return failure();

  std::tie(plan.inputLayout, plan.inputDims) =
      chooseImageLayout(*image, loops, concat(loops.group, loops.inChannel));
  std::tie(plan.resultLayout, plan.resultDims) =
      chooseImageLayout(result, loops, concat(loops.group, loops.outChannel));
  std::tie(plan.filterLayout, plan.filterDims) =
      chooseFilterLayout(filter, loops);
  if (!plan.resultDims.isReversible(
          cast<ShapedType>(op->getResult(0).getType())))
    return refuse(reason, "dynamic-shape: the result's channels are not known");
  return plan;
}

/// A convolution that accumulates into its init ->
///   fusion.conv outs(%init) epilogue(%acc, init %element) { %acc + %element }
/// Groups become one dim with their channels, missing channels one element:
///   conv_2d_ngchw_gfchw(expand %x, %w : 4x4x4x3x3) -> conv(%x, %w : 16x4x3x3)
///   depthwise_conv_2d_nchw_chw(%x, %w : 8x3x3)     -> conv(%x, %w : 8x1x3x3)
///   conv_1d(%x : 9, %w : 3)               -> conv(%x : 1x1x9, %w : 1x1x3)
struct RaiseConv final : OpInterfaceRewritePattern<LinalgOp> {
  RaiseConv(MLIRContext *context, StringLiteral label)
      : OpInterfaceRewritePattern(context), label(label) {}
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ReductionBody> body = matchReductionBody(op);
    if (!body || getRootFamily(op, *body) != RootFamily::Conv)
      return rewriter.notifyMatchFailure(op, "expected a convolution");
    std::string reason;
    StringLiteral found = kConv;
    FailureOr<ConvPlan> plan = planConv(op, *body, found, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    if (found != label)
      return rewriter.notifyMatchFailure(op, "expected other groups");

    Location loc = op.getLoc();
    Value input = arrange(rewriter, loc, plan->input->get(), plan->inputDims);
    Value filter =
        arrange(rewriter, loc, plan->filter->get(), plan->filterDims);
    Value init = arrange(rewriter, loc, op.getDpsInitOperand(0)->get(),
                         plan->resultDims);
    auto conv = ConvOp::create(
        rewriter, loc, input, filter, init, plan->strides, plan->dilations, {},
        {}, plan->groups, plan->inputLayout, plan->filterLayout);
    conv.setOutputLayout(plan->resultLayout);
    cropImage(rewriter, conv);
    combineWithInit(rewriter, conv, body->combiner);
    remarkFused(loc, label,
                (op->getName().getStringRef() + " is a fusion.conv").str());
    replaceByArranged(rewriter, op, conv->getResult(0), plan->resultDims);
    return success();
  }
  StringLiteral label;
};
} // namespace

void fusion::explainRaiseConv(LinalgOp op, const ReductionBody &body) {
  std::string reason;
  StringLiteral label = kConv;
  if (failed(planConv(op, body, label, reason)))
    remarkMissed(op.getLoc(), label, reason);
}

void fusion::populateRaiseConvPatterns(RewritePatternSet &patterns) {
  for (StringLiteral label : {kConv, kDepthwise, kGrouped})
    patterns.addWithLabel<RaiseConv>({label, kRounds}, patterns.getContext(),
                                     label);
}
