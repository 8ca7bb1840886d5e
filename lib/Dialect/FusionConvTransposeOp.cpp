//===-- FusionConvTransposeOp.cpp - fusion.conv_transpose -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations, meaning and tiles of the transposed convolution.
//
//===----------------------------------------------------------------------===//

#include "FusionConvolution.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

void ConvTransposeOp::build(OpBuilder &builder, OperationState &state,
                            Value input, Value filter, Value init,
                            ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations,
                            ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh,
                            ArrayRef<int64_t> outputPadding, int64_t groups,
                            ImageLayout layout, FilterLayout filterLayout) {
  int64_t spatial = cast<ShapedType>(input.getType()).getRank() - 2;
  build(builder, state, roots::getResultTypes(init), input, filter,
        /*epilogue=*/ValueRange{}, init,
        /*range=*/ValueRange{}, roots::orDefault(strides, spatial, 1),
        roots::orDefault(dilations, spatial, 1),
        roots::orDefault(padLow, spatial, 0),
        roots::orDefault(padHigh, spatial, 0),
        roots::orDefault(outputPadding, spatial, 0), groups, layout, layout,
        filterLayout, builder.getArrayAttr({}));
  roots::addIdentityEpilogue(builder, state,
                             getElementTypeOrScalar(init.getType()));
}

ParseResult ConvTransposeOp::parse(OpAsmParser &parser,
                                   OperationState &result) {
  return roots::parseRoot(parser, result, /*numInputs=*/2, /*hasKind=*/false);
}

//===-- Names of dims -----------------------------------------------------===//

FilterDims ConvTransposeOp::getFilterDims() {
  return roots::getFilterDims(getFilterLayout(),
                              getFilter().getType().getRank());
}

int64_t ConvTransposeOp::getInputChannels() {
  return roots::getInputChannels(*this);
}

int64_t ConvTransposeOp::getOutputChannels() {
  return getInit().getType().getDimSize(getChannelDim());
}

SmallVector<int64_t> ConvTransposeOp::getKernelSizes() {
  return roots::getKernelSizes(*this);
}

bool ConvTransposeOp::isDepthwise() { return roots::isDepthwise(*this); }

//===-- FusionRootOpInterface ---------------------------------------------===//

int64_t ConvTransposeOp::getChannelDim() {
  return roots::getImageChannelDim(getOutputLayout(),
                                   getInit().getType().getRank());
}

OpOperand *ConvTransposeOp::getWeights() { return &getFilterMutable(); }

int64_t ConvTransposeOp::getWeightsChannelDim() { return getFilterDims().out; }

// Its pads cut the result.
OpOperand *ConvTransposeOp::getPaddedInput() { return nullptr; }

SmallVector<int64_t> ConvTransposeOp::getSpatialDims() { return {}; }

TypedAttr ConvTransposeOp::getPaddingValue() { return {}; }

void ConvTransposeOp::addPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {}

//===-- Verification ------------------------------------------------------===//

/// The size of result dim `dim`; dynamic sizes are accepted.
static LogicalResult verifyTransposedSize(Operation *op, int64_t dim,
                                          int64_t input, int64_t window,
                                          int64_t stride, int64_t dilation,
                                          int64_t low, int64_t high,
                                          int64_t more, int64_t output) {
  if (ShapedType::isDynamic(window))
    return success();
  if (window < 1)
    return op->emitOpError("expected a window of at least 1, got ") << window;
  bool isDynamic = ShapedType::isDynamic(input);
  if (!isDynamic && input < 1)
    return op->emitOpError("expected an input of at least 1 element for "
                           "result dim ")
           << dim << ", got " << input;
  int64_t span, steps, cut, size;
  if (llvm::MulOverflow(dilation, window - 1, span) ||
      llvm::MulOverflow(isDynamic ? 0 : input - 1, stride, steps) ||
      llvm::AddOverflow(span, steps, size) ||
      llvm::AddOverflow(size, int64_t(1), size) ||
      llvm::AddOverflow(size, more, size) || llvm::AddOverflow(low, high, cut))
    return op->emitOpError("expected sizes that fit in 64 bits in dim ") << dim;
  if (isDynamic)
    return success();
  size -= cut;
  if (size < 1)
    return op->emitOpError("expected pads that leave a result in dim ")
           << dim << ", got size " << size;
  if (!ShapedType::isDynamic(output) && size != output)
    return op->emitOpError("expected result size ")
           << size << " in dim " << dim << ", got " << output;
  return success();
}

LogicalResult ConvTransposeOp::verify() {
  if (failed(roots::verifyRoot(*this)))
    return failure();
  ShapedType input = getInput().getType(), filter = getFilter().getType(),
             init = getInit().getType();
  if (failed(roots::verifyImageRanks(*this, input, init)))
    return failure();
  int64_t rank = input.getRank(), spatial = rank - 2;
  if (getFilterLayout() == FilterLayout::Packed)
    return emitOpError("expected a filter that is not packed");
  if (filter.getRank() != rank)
    return emitOpError("expected rank ")
           << rank << " filter, got rank " << filter.getRank();
  if (failed(roots::verifyWindows(*this, spatial)) ||
      failed(roots::verifyWindow(*this, "output_padding", getOutputPadding(),
                                 spatial, 0)) ||
      failed(roots::verifyFilterChannels(*this, getFilterLayout(), filter,
                                         getGroups(), getInputChannels(),
                                         getOutputChannels())) ||
      failed(roots::verifyBatch(*this, input, init)))
    return failure();
  int64_t inputStart = roots::getImageSpatialStart(getInputLayout());
  int64_t initStart = roots::getImageSpatialStart(getOutputLayout());
  SmallVector<int64_t> kernel = getKernelSizes();
  for (int64_t i = 0; i < spatial; ++i)
    if (failed(verifyTransposedSize(
            *this, initStart + i, input.getDimSize(inputStart + i), kernel[i],
            getStrides()[i], getDilations()[i], getPadLow()[i], getPadHigh()[i],
            getOutputPadding()[i], init.getDimSize(initStart + i))))
      return failure();
  return success();
}

//===-- Meaning -----------------------------------------------------------===//

/// The input with zeros between and around its elements, so that a convolution
/// with the flipped filter and stride 1 has the op's result. Elements that only
/// meet what the pads cut are left out.
static Value insertZeros(OpBuilder &builder, ConvTransposeOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> from(type.getRank(), zero),
      to = from, steps(type.getRank(), one);
  auto sizes = tensor::getMixedSizes(builder, loc, op.getInput());
  auto initSizes = tensor::getMixedSizes(builder, loc, op.getInit());
  SmallVector<OpFoldResult> imageSizes = sizes;
  SmallVector<int64_t> kernel = op.getKernelSizes();
  int64_t inputStart = roots::getImageSpatialStart(op.getInputLayout());
  int64_t initStart = roots::getImageSpatialStart(op.getOutputLayout());
  AffineExpr d0 = builder.getAffineDimExpr(0);
  AffineExpr none = builder.getAffineConstantExpr(0);
  bool isCut = false, isEmpty = false;
  for (int64_t i = 0, e = op.getNumSpatialDims(); i < e; ++i) {
    int64_t dim = inputStart + i, stride = op.getStrides()[i];
    int64_t reach = getWindowSpan(kernel[i], op.getDilations()[i]) - 1;
    int64_t low = reach - op.getPadLow()[i];
    int64_t high = reach - op.getPadHigh()[i] + op.getOutputPadding()[i];
    int64_t cutLow = llvm::divideCeil(std::max<int64_t>(-low, 0), stride);
    int64_t cutHigh = llvm::divideCeil(std::max<int64_t>(-high, 0), stride);
    imageSizes[dim] = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 + reach, {initSizes[initStart + i]});
    to[dim] = builder.getIndexAttr(low + cutLow * stride);
    steps[dim] = builder.getIndexAttr(stride);
    if (cutLow == 0 && cutHigh == 0)
      continue;
    isCut = true;
    from[dim] = builder.getIndexAttr(cutLow);
    sizes[dim] = affine::makeComposedFoldedAffineMax(
        builder, loc,
        AffineMap::get(1, 0, {d0 - (cutLow + cutHigh), none}, op.getContext()),
        {sizes[dim]});
    isEmpty |= getConstantIntValue(sizes[dim]) == 0;
  }
  Value value = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value image =
      tensor::EmptyOp::create(builder, loc, imageSizes, type.getElementType());
  image = linalg::FillOp::create(builder, loc, value, image).getResult(0);
  if (isEmpty)
    return image;
  Value source = op.getInput();
  if (isCut)
    source = roots::extractSlice(builder, loc, source, from, sizes);
  return tensor::InsertSliceOp::create(builder, loc, source, image, to, sizes,
                                       steps);
}

FailureOr<Value> ConvTransposeOp::buildRoot(OpBuilder &builder) {
  if (llvm::any_of(getKernelSizes(), ShapedType::isDynamic))
    return emitOpError("expected static sizes of the filter to flip it"),
           failure();
  SmallVector<int64_t> ones(getNumSpatialDims(), 1);
  return roots::buildConvolution(
      builder, *this,
      {insertZeros(builder, *this), getFilter(), getFilterDims(),
       static_cast<int64_t>(getGroups()), getInputLayout(), getOutputLayout(),
       ones, llvm::to_vector(getDilations()), /*flipped=*/true});
}

//===-- Tiles -------------------------------------------------------------===//

LogicalResult ConvTransposeOp::sliceInputs(OpBuilder &builder,
                                           ArrayRef<OpFoldResult> offsets,
                                           ArrayRef<OpFoldResult> sizes,
                                           Operation *tile) {
  Location loc = getLoc();
  auto tiled = cast<ConvTransposeOp>(tile);
  auto initSizes = tensor::getMixedSizes(builder, loc, getInit());
  roots::InputSlices<ConvTransposeOp> slices(builder, *this);
  if (failed(slices.cutChannels(tiled, initSizes[getChannelDim()], offsets,
                                sizes)))
    return failure();

  // Pads are attributes, and those of a tile of the image depend on where in a
  // stride it begins.
  for (int64_t dim :
       roots::getImageSpatialDims(getOutputLayout(), initSizes.size()))
    if (!isEqualConstantIntOrValue(sizes[dim], initSizes[dim]))
      return failure();
  slices.assignTo(builder, tiled);
  return success();
}
