//===-- FusionPoolOp.cpp - fusion.pool ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations, meaning and tiles of pooling.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

using utils::IteratorType;

void PoolOp::build(OpBuilder &builder, OperationState &state, PoolKind kind,
                   Value input, Value init, ArrayRef<int64_t> window,
                   ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                   ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh,
                   bool countIncludePad, ImageLayout layout) {
  int64_t spatial = window.size();
  build(builder, state, roots::getResultTypes(init), input,
        /*epilogue=*/ValueRange{}, init,
        /*range=*/ValueRange{}, kind, window,
        roots::orDefault(strides, spatial, 1),
        roots::orDefault(dilations, spatial, 1),
        roots::orDefault(padLow, spatial, 0),
        roots::orDefault(padHigh, spatial, 0), countIncludePad, layout,
        builder.getArrayAttr({}));
  roots::addIdentityEpilogue(builder, state,
                             getElementTypeOrScalar(init.getType()));
}

ParseResult PoolOp::parse(OpAsmParser &parser, OperationState &result) {
  return roots::parseRoot(parser, result, /*numInputs=*/1, /*hasKind=*/true);
}

static bool isUnsigned(PoolKind kind) {
  return kind == PoolKind::MaxUnsigned || kind == PoolKind::MinUnsigned;
}

/// What combines two elements of a window.
static arith::AtomicRMWKind getCombiner(PoolKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case PoolKind::Max:
    return isFloat ? arith::AtomicRMWKind::maximumf
                   : arith::AtomicRMWKind::maxs;
  case PoolKind::Min:
    return isFloat ? arith::AtomicRMWKind::minimumf
                   : arith::AtomicRMWKind::mins;
  case PoolKind::MaxUnsigned:
    return arith::AtomicRMWKind::maxu;
  case PoolKind::MinUnsigned:
    return arith::AtomicRMWKind::minu;
  case PoolKind::Sum:
  case PoolKind::Average:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  }
  llvm_unreachable("unknown kind");
}

/// Padding is zero in a sum, the lowest value in a maximum, the highest one in
/// a minimum.
static TypedAttr getNeutral(PoolKind kind, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  bool isFinite =
      floatType && !APFloat::semanticsHasInf(floatType.getFloatSemantics());
  OpBuilder builder(type.getContext());
  return arith::getIdentityValueAttr(getCombiner(kind, type), type, builder,
                                     builder.getUnknownLoc(), isFinite);
}

bool PoolOp::hasPadding() {
  return roots::hasPadding(getPadLow(), getPadHigh());
}

//===-- FusionRootOpInterface ---------------------------------------------===//

int64_t PoolOp::getChannelDim() {
  return roots::getImageChannelDim(getLayout(), getInit().getType().getRank());
}

OpOperand *PoolOp::getWeights() { return nullptr; }
int64_t PoolOp::getWeightsChannelDim() { return -1; }
OpOperand *PoolOp::getPaddedInput() { return &getInputMutable(); }

SmallVector<int64_t> PoolOp::getSpatialDims() {
  return roots::getImageSpatialDims(getLayout(),
                                    getInput().getType().getRank());
}

TypedAttr PoolOp::getPaddingValue() {
  // An explicit pad counts in an average; the root's own need not.
  if (getKind() == PoolKind::Average && !getCountIncludePad())
    return {};
  return getNeutral(getKind(), getInput().getType().getElementType());
}

void PoolOp::addPadding(ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  setPadLow(roots::addPads(getPadLow(), low));
  setPadHigh(roots::addPads(getPadHigh(), high));
}

//===-- Verification ------------------------------------------------------===//

LogicalResult PoolOp::verify() {
  if (failed(roots::verifyRoot(*this)))
    return failure();
  ShapedType input = getInput().getType(), init = getInit().getType();
  int64_t rank = input.getRank();
  if (failed(roots::verifyImageRanks(*this, input, init)))
    return failure();
  int64_t spatial = rank - 2;
  if (failed(roots::verifyWindow(*this, "window", getWindow(), spatial, 1)) ||
      failed(roots::verifyWindows(*this, spatial)))
    return failure();
  if (getCountIncludePad() && getKind() != PoolKind::Average)
    return emitOpError("expected count_include_pad only with average, got ")
           << stringifyPoolKind(getKind());
  if (isUnsigned(getKind())) {
    SmallVector<Type> types{input.getElementType()};
    // Too few arguments are the region verifier's to name.
    if (Region &region = getEpilogueRegion(); region.getNumArguments() != 0)
      types.push_back(region.getArgument(0).getType());
    for (Type type : types)
      if (!isa<IntegerType>(type))
        return emitOpError("expected integers for ")
               << stringifyPoolKind(getKind()) << ", got " << type;
  }
  for (int64_t dim : {int64_t(0), getChannelDim()}) {
    int64_t want = input.getDimSize(dim), got = init.getDimSize(dim);
    if (!ShapedType::isDynamic(want) && !ShapedType::isDynamic(got) &&
        want != got)
      return emitOpError("expected size ")
             << want << " in dim " << dim << ", got " << got;
  }
  for (auto [i, dim] : llvm::enumerate(getSpatialDims()))
    if (failed(roots::verifyWindowedSize(
            *this, dim, input.getDimSize(dim), getWindow()[i], getStrides()[i],
            getDilations()[i], getPadLow()[i], getPadHigh()[i],
            init.getDimSize(dim))))
      return failure();
  return success();
}

//===-- Meaning -----------------------------------------------------------===//

/// The number of elements of the window at `position` that are no padding, in
/// one dim of `size` elements.
static Value countInside(OpBuilder &builder, Location loc, Value position,
                         Value size, int64_t window, int64_t stride,
                         int64_t dilation, int64_t low) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = constant(0), all = constant(window), step = constant(dilation);
  Value scaled =
      arith::MulIOp::create(builder, loc, position, constant(stride));
  Value start = arith::SubIOp::create(builder, loc, scaled, constant(low));
  // First and one past the last filter position inside [0, size).
  Value before = arith::SubIOp::create(builder, loc, zero, start);
  Value first = arith::CeilDivSIOp::create(builder, loc, before, step);
  Value room = arith::SubIOp::create(builder, loc, size, start);
  Value end = arith::CeilDivSIOp::create(builder, loc, room, step);
  first = arith::MaxSIOp::create(builder, loc, first, zero);
  end = arith::MinSIOp::create(builder, loc, end, all);
  Value count = arith::SubIOp::create(builder, loc, end, first);
  return arith::MaxSIOp::create(builder, loc, count, zero);
}

/// `sum` divided by the number of elements in each window.
static Value divideByCount(OpBuilder &builder, PoolOp op, Value sum) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(sum.getType());
  SmallVector<Value> sizes;
  for (int64_t dim : op.getSpatialDims())
    sizes.push_back(tensor::DimOp::create(builder, loc, op.getInput(), dim));
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, sum),
      type.getElementType());
  return linalg::GenericOp::create(
             builder, loc, type, sum, empty,
             ArrayRef<AffineMap>{identity, identity},
             SmallVector<IteratorType>(type.getRank(), IteratorType::parallel),
             [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
               Value count = arith::ConstantIndexOp::create(nested, bodyLoc, 1);
               for (auto [i, dim] : llvm::enumerate(op.getSpatialDims())) {
                 Value inDim;
                 if (op.getCountIncludePad() || !op.hasPadding())
                   inDim = arith::ConstantIndexOp::create(nested, bodyLoc,
                                                          op.getWindow()[i]);
                 else
                   inDim = countInside(
                       nested, bodyLoc,
                       linalg::IndexOp::create(nested, bodyLoc, dim), sizes[i],
                       op.getWindow()[i], op.getStrides()[i],
                       op.getDilations()[i], op.getPadLow()[i]);
                 count = arith::MulIOp::create(nested, bodyLoc, count, inDim);
               }
               Value integer = arith::IndexCastOp::create(
                   nested, bodyLoc, nested.getI64Type(), count);
               Type element = args[0].getType();
               Value result;
               if (isa<FloatType>(element)) {
                 Value divisor =
                     arith::SIToFPOp::create(nested, bodyLoc, element, integer);
                 result =
                     arith::DivFOp::create(nested, bodyLoc, args[0], divisor);
               } else {
                 Value divisor = convertScalarToDtype(
                     nested, bodyLoc, integer, element, /*isUnsigned=*/false);
                 result =
                     arith::DivSIOp::create(nested, bodyLoc, args[0], divisor);
               }
               linalg::YieldOp::create(nested, bodyLoc, result);
             })
      .getResult(0);
}

FailureOr<Value> PoolOp::buildRoot(OpBuilder &builder) {
  Location loc = getLoc();
  MLIRContext *context = getContext();
  FusionRootOpInterface root = *this;
  PoolKind kind = getKind();
  Type type = root.getAccumulatorType();
  Type inputElement = getInput().getType().getElementType();
  Value input =
      roots::padInput(builder, loc, getInput(), getSpatialDims(), getPadLow(),
                      getPadHigh(), getNeutral(kind, inputElement));
  Value acc = roots::createFilled(builder, root, getNeutral(kind, type));

  // Loops: the result's dims, then the window's. The window is an operand of
  // its own, since a generic takes its loop bounds from operands.
  int64_t rank = getInit().getType().getRank(), spatial = rank - 2;
  SmallVector<AffineExpr> inputAt, windowAt;
  for (int64_t i = 0; i < rank; ++i)
    inputAt.push_back(getAffineDimExpr(i, context));
  for (auto [i, dim] : llvm::enumerate(getSpatialDims())) {
    windowAt.push_back(getAffineDimExpr(rank + i, context));
    inputAt[dim] =
        inputAt[dim] * getStrides()[i] + windowAt[i] * getDilations()[i];
  }
  Value window =
      tensor::EmptyOp::create(builder, loc, getWindow(), inputElement);
  unsigned numLoops = rank + spatial;
  SmallVector<AffineMap> maps{
      AffineMap::get(numLoops, 0, inputAt, context),
      AffineMap::get(numLoops, 0, windowAt, context),
      AffineMap::getMultiDimIdentityMap(numLoops, context)
          .getMajorSubMap(rank)};
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(spatial, IteratorType::reduction);
  Value result =
      linalg::GenericOp::create(
          builder, loc, acc.getType(), ValueRange{input, window}, acc, maps,
          iterators,
          [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
            Value element = convertScalarToDtype(nested, bodyLoc, args[0], type,
                                                 isUnsigned(kind));
            Value combined = arith::getReductionOp(
                getCombiner(kind, type), nested, bodyLoc, args[2], element);
            linalg::YieldOp::create(nested, bodyLoc, combined);
          })
          .getResult(0);
  return kind == PoolKind::Average ? divideByCount(builder, *this, result)
                                   : result;
}

//===-- Tiles -------------------------------------------------------------===//

LogicalResult PoolOp::sliceInputs(OpBuilder &builder,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes,
                                  Operation *tile) {
  Location loc = getLoc();
  auto initSizes = tensor::getMixedSizes(builder, loc, getInit());
  SmallVector<OpFoldResult> inputOffsets(offsets), inputSizes(sizes);
  AffineExpr d0 = builder.getAffineDimExpr(0);
  auto allSizes = tensor::getMixedSizes(builder, loc, getInput());
  for (auto [i, dim] : llvm::enumerate(getSpatialDims())) {
    if (isEqualConstantIntOrValue(sizes[dim], initSizes[dim])) {
      inputOffsets[dim] = builder.getIndexAttr(0);
      inputSizes[dim] = allSizes[dim];
      continue;
    }
    if (getPadLow()[i] != 0 || getPadHigh()[i] != 0)
      return failure();
    int64_t stride = getStrides()[i];
    int64_t span = getWindowSpan(getWindow()[i], getDilations()[i]);
    inputOffsets[dim] = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 * stride, {offsets[dim]});
    inputSizes[dim] = affine::makeComposedFoldedAffineApply(
        builder, loc, (d0 - 1) * stride + span, {sizes[dim]});
  }
  cast<PoolOp>(tile).getInputMutable().assign(
      roots::extractSlice(builder, loc, getInput(), inputOffsets, inputSizes));
  return success();
}
