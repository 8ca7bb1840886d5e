//===-- FusionConvOp.cpp - fusion.conv ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations, meaning and tiles of the convolution.
//
//===----------------------------------------------------------------------===//

#include "FusionConvolution.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A packed filter [G * P, K…, C/G, B] as [O, K…, C/G].
Value unpackFilter(OpBuilder &builder, ConvOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getFilter().getType());
  int64_t rank = type.getRank(), groups = op.getGroups();
  int64_t blocks = type.getDimSize(0), block = type.getDimSize(rank - 1);
  int64_t channels = op.getOutputChannels();
  if (!type.hasStaticShape() || ShapedType::isDynamic(channels))
    return {};
  // [G * P, K…, C, B] -> [G * P, B, K…, C]
  SmallVector<int64_t> permutation{0, rank - 1};
  for (int64_t i = 1; i < rank - 1; ++i)
    permutation.push_back(i);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  Value transposed = linalg::TransposeOp::create(builder, loc, op.getFilter(),
                                                 empty, permutation)
                         ->getResult(0);
  // -> [G, P * B, K…, C] -> [G, O/G, K…, C] -> [O, K…, C]
  SmallVector<ReassociationIndices> merge{{0, 1}}, split{{0, 1}};
  SmallVector<int64_t> grouped{groups, blocks / groups * block};
  for (int64_t i = 1; i < rank - 1; ++i) {
    merge.push_back({i + 1});
    split.push_back({i + 1});
    grouped.push_back(type.getDimSize(i));
  }
  SmallVector<int64_t> flat(grouped);
  flat.erase(flat.begin());
  flat[0] = blocks * block;
  Type element = type.getElementType();
  Value merged = tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(flat, element), transposed, merge);
  Value byGroup = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(grouped, element), merged, split);
  SmallVector<OpFoldResult> offsets(grouped.size(), builder.getIndexAttr(0));
  grouped[1] = channels / groups;
  Value cut = roots::extractSlice(
      builder, loc, byGroup, offsets,
      getAsIndexOpFoldResult(builder.getContext(), grouped));
  flat[0] = channels;
  return tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(flat, element), cut, merge);
}
} // namespace

void ConvOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Value filter, Value init, ArrayRef<int64_t> strides,
                   ArrayRef<int64_t> dilations, ArrayRef<int64_t> padLow,
                   ArrayRef<int64_t> padHigh, int64_t groups,
                   ImageLayout layout, FilterLayout filterLayout) {
  int64_t spatial = cast<ShapedType>(input.getType()).getRank() - 2;
  build(builder, state, roots::getResultTypes(init), input, filter,
        /*epilogue=*/ValueRange{}, init,
        /*range=*/ValueRange{}, roots::orDefault(strides, spatial, 1),
        roots::orDefault(dilations, spatial, 1),
        roots::orDefault(padLow, spatial, 0),
        roots::orDefault(padHigh, spatial, 0), groups, layout, layout,
        filterLayout,
        /*algorithm=*/AlgorithmAttr{}, builder.getArrayAttr({}));
  roots::addIdentityEpilogue(builder, state,
                             getElementTypeOrScalar(init.getType()));
}

ParseResult ConvOp::parse(OpAsmParser &parser, OperationState &result) {
  return roots::parseRoot(parser, result, /*numInputs=*/2, /*hasKind=*/false);
}

//===-- Names of dims -----------------------------------------------------===//

FilterDims ConvOp::getFilterDims() {
  return roots::getFilterDims(getFilterLayout(),
                              getFilter().getType().getRank());
}

int64_t ConvOp::getInputChannels() { return roots::getInputChannels(*this); }

int64_t ConvOp::getOutputChannels() {
  return getInit().getType().getDimSize(getChannelDim());
}

SmallVector<int64_t> ConvOp::getKernelSizes() {
  return roots::getKernelSizes(*this);
}

bool ConvOp::hasPadding() {
  return roots::hasPadding(getPadLow(), getPadHigh());
}

bool ConvOp::isDepthwise() { return roots::isDepthwise(*this); }

bool ConvOp::isPointwise() {
  return roots::allEqual(getKernelSizes(), 1) &&
         roots::allEqual(getStrides(), 1) && !hasPadding() && getGroups() == 1;
}

//===-- FusionRootOpInterface ---------------------------------------------===//

int64_t ConvOp::getChannelDim() {
  return roots::getImageChannelDim(getOutputLayout(),
                                   getInit().getType().getRank());
}

OpOperand *ConvOp::getWeights() { return &getFilterMutable(); }

int64_t ConvOp::getWeightsChannelDim() { return getFilterDims().out; }

OpOperand *ConvOp::getPaddedInput() { return &getInputMutable(); }

SmallVector<int64_t> ConvOp::getSpatialDims() {
  return roots::getImageSpatialDims(getInputLayout(),
                                    getInput().getType().getRank());
}

TypedAttr ConvOp::getPaddingValue() {
  return Builder(getContext())
      .getZeroAttr(getInput().getType().getElementType());
}

void ConvOp::addPadding(ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  setPadLow(roots::addPads(getPadLow(), low));
  setPadHigh(roots::addPads(getPadHigh(), high));
}

//===-- Verification ------------------------------------------------------===//

LogicalResult ConvOp::verify() {
  if (failed(roots::verifyRoot(*this)))
    return failure();
  ShapedType input = getInput().getType(), filter = getFilter().getType(),
             init = getInit().getType();
  int64_t rank = input.getRank();
  if (failed(roots::verifyImageRanks(*this, input, init)))
    return failure();
  bool packed = getFilterLayout() == FilterLayout::Packed;
  if (filter.getRank() != rank + packed)
    return emitOpError("expected rank ")
           << rank + packed << " filter, got rank " << filter.getRank();

  int64_t spatial = rank - 2;
  if (failed(roots::verifyWindows(*this, spatial)))
    return failure();
  if (failed(roots::verifyFilterChannels(*this, getFilterLayout(), filter,
                                         getGroups(), getInputChannels(),
                                         getOutputChannels())) ||
      failed(roots::verifyBatch(*this, input, init)))
    return failure();
  int64_t inputStart = roots::getImageSpatialStart(getInputLayout());
  int64_t initStart = roots::getImageSpatialStart(getOutputLayout());
  SmallVector<int64_t> kernel = getKernelSizes();
  for (int64_t i = 0; i < spatial; ++i)
    if (failed(roots::verifyWindowedSize(
            *this, initStart + i, input.getDimSize(inputStart + i), kernel[i],
            getStrides()[i], getDilations()[i], getPadLow()[i], getPadHigh()[i],
            init.getDimSize(initStart + i))))
      return failure();
  return success();
}

//===-- Meaning -----------------------------------------------------------===//

FailureOr<Value> ConvOp::buildRoot(OpBuilder &builder) {
  Location loc = getLoc();
  FusionRootOpInterface root = *this;
  int64_t spatial = getNumSpatialDims();
  Value input = roots::padInput(builder, loc, getInput(), getSpatialDims(),
                                getPadLow(), getPadHigh(), getPaddingValue());
  Value filter = getFilter();
  FilterDims filterDims = getFilterDims();
  if (getFilterLayout() == FilterLayout::Packed) {
    filter = unpackFilter(builder, *this);
    if (!filter)
      return emitOpError("expected a static shape to unpack the filter"),
             failure();
    filterDims = {0, spatial + 1, 1};
  }
  return roots::buildConvolution(
      builder, root,
      {input, filter, filterDims, static_cast<int64_t>(getGroups()),
       getInputLayout(), getOutputLayout(), llvm::to_vector(getStrides()),
       llvm::to_vector(getDilations()), /*flipped=*/false});
}

//===-- Tiles -------------------------------------------------------------===//

LogicalResult ConvOp::sliceInputs(OpBuilder &builder,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes,
                                  Operation *tile) {
  Location loc = getLoc();
  auto tiled = cast<ConvOp>(tile);
  auto initSizes = tensor::getMixedSizes(builder, loc, getInit());
  roots::InputSlices<ConvOp> slices(builder, *this);
  if (failed(slices.cutChannels(tiled, initSizes[getChannelDim()], offsets,
                                sizes)))
    return failure();

  int64_t inputStart = roots::getImageSpatialStart(getInputLayout());
  int64_t initStart = roots::getImageSpatialStart(getOutputLayout());
  SmallVector<int64_t> kernel = getKernelSizes();
  AffineExpr d0 = builder.getAffineDimExpr(0);
  for (int64_t i = 0, e = getNumSpatialDims(); i < e; ++i) {
    if (isEqualConstantIntOrValue(sizes[initStart + i],
                                  initSizes[initStart + i]))
      continue;
    if (ShapedType::isDynamic(kernel[i]) || getPadLow()[i] != 0 ||
        getPadHigh()[i] != 0)
      return failure();
    int64_t stride = getStrides()[i];
    int64_t span = getWindowSpan(kernel[i], getDilations()[i]);
    slices.offsets[inputStart + i] = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 * stride, {offsets[initStart + i]});
    slices.sizes[inputStart + i] = affine::makeComposedFoldedAffineApply(
        builder, loc, (d0 - 1) * stride + span, {sizes[initStart + i]});
  }
  slices.assignTo(builder, tiled);
  return success();
}
