//===-- RaiseConvTranspose.cpp - Zero insertion to fusion.conv_transpose --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers state a transposed convolution as a convolution of an image with
// zeros between its elements and a flipped filter. The rule reads both back
// from a fusion.conv, so it sees every form that is raised to one.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FlippedFilter.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kLabel = "raise-conv-transpose";

static bool isZero(TypedAttr constant) {
  if (auto number = dyn_cast_or_null<FloatAttr>(constant))
    return number.getValue().isZero();
  auto number = dyn_cast_or_null<IntegerAttr>(constant);
  return number && number.getValue().isZero();
}

static bool isZeroTensor(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return isZero(getConstantElement(value));
}

//===-- The image ---------------------------------------------------------===//

namespace {
/// What a convolution's image is: `source` with stride - 1 zeros between
/// neighbours, `low` zeros before the first and `high` after the last; fewer
/// than none are elements that are cut off.
struct ZeroInserted {
  Value source;
  SmallVector<int64_t> strides, low, high;
};
} // namespace

/// `size(value, dim) - factor * size(other, otherDim)`, if it is known.
static std::optional<int64_t> getDifference(Value value, int64_t dim,
                                            Value other, int64_t otherDim,
                                            int64_t factor = 1) {
  MLIRContext *context = value.getContext();
  AffineExpr d0 = getAffineDimExpr(0, context),
             d1 = getAffineDimExpr(1, context);
  ValueBoundsConstraintSet::Variable first(value, dim), second(other, otherDim);
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::EQ,
      {AffineMap::get(2, 0, d0 - d1 * factor, context), {first, second}});
  if (failed(bound))
    return std::nullopt;
  return *bound;
}

/// The insertion behind `conv`'s image; slices and pads between them count.
static FailureOr<ZeroInserted> getZeroInserted(ConvOp conv,
                                               std::string &reason) {
  ZeroInserted result;
  result.low.assign(conv.getPadLow().begin(), conv.getPadLow().end());
  result.high.assign(conv.getPadHigh().begin(), conv.getPadHigh().end());
  SmallVector<int64_t> spatial = conv.getSpatialDims();
  auto isSpatial = [&](int64_t dim) {
    return llvm::is_contained(spatial, dim);
  };
  Value image = conv.getInput();
  while (auto slice = image.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (slice.getType().getRank() != slice.getSourceType().getRank() ||
        !slice.hasUnitStride())
      return failure();
    for (auto [dim, offset] : llvm::enumerate(slice.getStaticOffsets())) {
      if (ShapedType::isDynamic(offset))
        return refuse(reason, "dynamic-shape: an offset is not known");
      std::optional<int64_t> less =
          getDifference(slice.getSource(), dim, slice.getResult(), dim);
      if (!less)
        return refuse(reason, "dynamic-shape: a size is not known");
      if (!isSpatial(dim)) {
        if (*less != 0)
          return failure();
        continue;
      }
      int64_t i = dim - spatial.front();
      result.low[i] -= offset;
      result.high[i] -= *less - offset;
    }
    image = slice.getSource();
  }
  auto insertion = image.getDefiningOp<tensor::InsertSliceOp>();
  if (!insertion || !isZeroTensor(insertion.getDest()) ||
      insertion.getSourceType().getRank() != insertion.getType().getRank())
    return failure();
  result.source = insertion.getSource();
  for (auto [dim, offset, stride] : llvm::enumerate(
           insertion.getStaticOffsets(), insertion.getStaticStrides())) {
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(stride))
      return refuse(reason, "dynamic-shape: an offset or stride is not known");
    if (insertion.getSourceType().getDimSize(dim) == 0)
      return failure();
    std::optional<int64_t> rest =
        getDifference(insertion.getResult(), dim, result.source, dim, stride);
    if (!rest)
      return refuse(reason, "dynamic-shape: a size is not known");
    // The image's size is offset + (size - 1) * stride + 1 + high.
    int64_t high = *rest + stride - 1 - offset;
    if (!isSpatial(dim)) {
      if (offset != 0 || stride != 1 || high != 0)
        return failure();
      continue;
    }
    int64_t i = dim - spatial.front();
    result.low[i] += offset;
    result.high[i] += high;
    // A slice that cuts elements of the source, not only zeros, is undone by
    // no padding: it puts zeros in their place.
    auto replacesElements = [](int64_t margin, int64_t pad) {
      return margin < pad && pad > 0;
    };
    if (replacesElements(result.low[i], conv.getPadLow()[i]) ||
        replacesElements(result.high[i], conv.getPadHigh()[i]))
      return refuse(reason, "map-mismatch: padding replaces elements that a "
                            "slice cuts");
    result.strides.push_back(stride);
  }
  return result;
}

//===-- The rule ----------------------------------------------------------===//

/// `image` with `low` zeros more before its elements in `dims`.
static Value padLow(RewriterBase &rewriter, Location loc, Value image,
                    ArrayRef<int64_t> dims, ArrayRef<int64_t> low) {
  if (llvm::all_of(low, [](int64_t pad) { return pad == 0; }))
    return image;
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<OpFoldResult> high(type.getRank(), rewriter.getIndexAttr(0)),
      before = high;
  for (auto [dim, pad] : llvm::zip_equal(dims, low))
    before[dim] = rewriter.getIndexAttr(pad);
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(rewriter, loc, Type(), image, before, high,
                               zero);
}

static FailureOr<ZeroInserted> planTranspose(ConvOp conv, std::string &reason) {
  if (!conv.hasPureTensorSemantics() ||
      conv.getFilterLayout() == FilterLayout::Packed ||
      llvm::any_of(conv.getStrides(), [](int64_t s) { return s != 1; }))
    return failure();
  FailureOr<ZeroInserted> image = getZeroInserted(conv, reason);
  if (failed(image))
    return failure();
  if (llvm::any_of(conv.getKernelSizes(), ShapedType::isDynamic))
    return refuse(reason, "dynamic-shape: the filter's sizes are not known");
  // A transposed convolution has all windows that fit, a result of unknown size
  // maybe fewer.
  int64_t resultDim = conv.getChannelDim() == 1 ? 2 : 1;
  for (auto [i, dim] : llvm::enumerate(conv.getSpatialDims())) {
    if (!conv.getInput().getType().isDynamicDim(dim) &&
        !conv.getInit().getType().isDynamicDim(resultDim + i))
      continue;
    int64_t reach =
        getWindowSpan(conv.getKernelSizes()[i], conv.getDilations()[i]) - 1;
    std::optional<int64_t> more =
        getDifference(conv.getInit(), resultDim + i, conv.getInput(), dim);
    if (more != conv.getPadLow()[i] + conv.getPadHigh()[i] - reach)
      return refuse(reason, "dynamic-shape: a size is not known");
  }
  return image;
}

namespace {
/// A convolution of an image with zeros between its elements ->
///   conv(insert_slice(%x, fill 0) strides [2, 2], flip(%w))
///   -> conv_transpose(%x, %w) {strides = [2, 2]}
struct RaiseConvTranspose final : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    std::string reason;
    FailureOr<ZeroInserted> image = planTranspose(op, reason);
    if (failed(image))
      return rewriter.notifyMatchFailure(
          op, reason.empty() ? "expected an image with zeros between its "
                               "elements and strides of 1"
                             : reason);
    FlippedFilter filter = flipFilter(op);
    // Without zeros between, it is a convolution, unless its filter says that
    // it was none.
    if (!filter.isUndone &&
        llvm::all_of(image->strides, [](int64_t s) { return s == 1; }))
      return rewriter.notifyMatchFailure(
          op, "expected zeros between elements or a flipped filter");

    SmallVector<int64_t> more, low, high, outputPadding;
    for (auto [stride, before, after, size, dilation] :
         llvm::zip_equal(image->strides, image->low, image->high,
                         op.getKernelSizes(), op.getDilations())) {
      int64_t reach = getWindowSpan(size, dilation) - 1;
      // Zeros beyond the window's reach come from zeros in front of the input.
      more.push_back(
          llvm::divideCeil(std::max<int64_t>(before - reach, 0), stride));
      low.push_back(reach - before + more.back() * stride);
      high.push_back(std::max<int64_t>(reach - after, 0));
      outputPadding.push_back(std::max<int64_t>(after - reach, 0));
    }
    Location loc = op.getLoc();
    Value input =
        padLow(rewriter, loc, image->source, op.getSpatialDims(), more);
    auto transposed = ConvTransposeOp::create(
        rewriter, loc, input, buildFilter(rewriter, loc, filter), op.getInit(),
        image->strides, op.getDilations(), low, high, outputPadding,
        op.getGroups(), op.getInputLayout(), op.getFilterLayout());
    transposed.setOutputLayout(op.getOutputLayout());
    transposed.getEpilogueMutable().assign(op.getEpilogue());
    transposed.setEpilogueDimsAttr(op.getEpilogueDims());
    Region &region = transposed.getEpilogueRegion();
    rewriter.eraseBlock(&region.front());
    rewriter.inlineRegionBefore(op.getEpilogueRegion(), region, region.end());
    remarkFused(loc, kLabel,
                "a convolution of an image with inserted zeros is a "
                "fusion.conv_transpose");
    rewriter.replaceOp(op, transposed->getResults());
    return success();
  }
};
} // namespace

void fusion::explainRaiseConvTranspose(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  std::string reason;
  if (conv && failed(planTranspose(conv, reason)) && !reason.empty())
    remarkMissed(op->getLoc(), kLabel, reason);
}

void fusion::populateRaiseConvTransposePatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<RaiseConvTranspose>({kLabel, kReordersSums},
                                            patterns.getContext());
}
