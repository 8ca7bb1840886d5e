//===-- OpenGaps.cpp - What a transposed convolution leaves open ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a TOSA op that more than one form is right for, as linalg
// beside it.
//
//===----------------------------------------------------------------------===//

#include "OpenGaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

/// A generic that writes `init`, with `iterators` of which `p` is parallel.
static Value addGeneric(OpBuilder &builder, Location loc, ValueRange inputs,
                        Value init, ArrayRef<AffineMap> maps,
                        StringRef iterators,
                        function_ref<Value(OpBuilder &, ValueRange)> body) {
  auto kinds = llvm::map_to_vector(iterators, [](char kind) {
    return kind == 'p' ? utils::IteratorType::parallel
                       : utils::IteratorType::reduction;
  });
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, maps, kinds,
             [&](OpBuilder &inner, Location place, ValueRange arguments) {
               linalg::YieldOp::create(inner, place, body(inner, arguments));
             })
      .getResult(0);
}

/// A tensor of false.
static Value addFalse(OpBuilder &builder, Location loc,
                      ArrayRef<OpFoldResult> sizes) {
  Value no =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI1Type());
  return linalg::FillOp::create(builder, loc, no, empty).getResult(0);
}

/// One of as many as dims `dims` of `like` have elements.
static Value addFalse(OpBuilder &builder, Location loc, Value like,
                      ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(tensor::getMixedSize(builder, loc, like, dim));
  return addFalse(builder, loc, sizes);
}

/// Which positions of a filter's result channel, [O, KH, KW], or of an image,
/// [N, H, W], hold a NaN or an infinity in a channel.
static Value findSpecials(OpBuilder &builder, Location loc, Value tensor) {
  auto element = cast<FloatType>(getElementTypeOrSelf(tensor));
  AffineMap all = builder.getMultiDimIdentityMap(4);
  return addGeneric(
      builder, loc, tensor, addFalse(builder, loc, tensor, {0, 1, 2}),
      {all, all.getMajorSubMap(3)}, "pppr",
      [&](OpBuilder &inner, ValueRange arguments) -> Value {
        Value infinity = arith::ConstantOp::create(
            inner, loc,
            inner.getFloatAttr(element,
                               APFloat::getInf(element.getFloatSemantics())));
        Value size = math::AbsFOp::create(inner, loc, arguments[0]);
        Value isSpecial = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::UEQ, size, infinity);
        return arith::OrIOp::create(inner, loc, arguments[1], isSpecial);
      });
}

namespace {
/// Where filter position `tap` finds the image for `place` of the result.
struct Meeting {
  /// Whether there is an element; its place, or 0.
  Value isMet, element;
};
} // namespace

/// Places are of dim `dim` of the images; the input's has `size`.
static Meeting addMeeting(OpBuilder &builder, tosa::TransposeConv2DOp op,
                          int64_t dim, Value size, Value place, Value tap) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value low = constant(op.getOutPad()[2 * (dim - 1)]);
  Value stride = constant(op.getStride()[dim - 1]);
  Value at = arith::SubIOp::create(builder, loc, place, low);
  at = arith::SubIOp::create(builder, loc, at, tap);
  Value end = arith::MulIOp::create(builder, loc, size, stride);
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  Value rest = arith::RemSIOp::create(builder, loc, at, stride);
  Value zero = constant(0);
  Value isMet = compare(arith::CmpIPredicate::eq, rest, zero);
  for (Value holds : {compare(arith::CmpIPredicate::sge, at, zero),
                      compare(arith::CmpIPredicate::slt, at, end)})
    isMet = arith::AndIOp::create(builder, loc, isMet, holds);
  Value element = arith::DivSIOp::create(builder, loc, at, stride);
  element = arith::SelectOp::create(builder, loc, isMet, element, zero);
  return {isMet, element};
}

namespace {
/// The loops of a result's element and a filter's positions.
struct Gaps {
  Gaps(tosa::TransposeConv2DOp op)
      : op(op), loc(op.getLoc()), builder(op->getContext()) {
    builder.setInsertionPointAfter(op);
    for (int64_t dim : {1, 2})
      sizes[dim - 1] =
          builder.createOrFold<tensor::DimOp>(loc, op.getInput(), dim);
  }
  Value findByFilter();
  Value findByImage();
  AffineMap getMap(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(/*dimCount=*/5, /*symbolCount=*/0, exprs,
                          op->getContext());
  }

  tosa::TransposeConv2DOp op;
  Location loc;
  OpBuilder builder;
  Value sizes[2];
};
} // namespace

/// The elements of the result, [OH, OW, O], for which a NaN or an infinity of
/// the filter meets no element of the image.
Value Gaps::findByFilter() {
  AffineExpr y, x, channel, ky, kx;
  bindDims(op->getContext(), y, x, channel, ky, kx);
  Value specials = findSpecials(builder, loc, op.getWeight());
  Value none = addFalse(builder, loc, op.getResult(), {1, 2, 3});
  return addGeneric(
      builder, loc, specials, none,
      {getMap({channel, ky, kx}), getMap({y, x, channel})}, "ppprr",
      [&](OpBuilder &inner, ValueRange arguments) -> Value {
        Value index[5];
        for (int64_t loop = 0; loop < 5; ++loop)
          index[loop] = linalg::IndexOp::create(inner, loc, loop);
        Value yes =
            arith::ConstantOp::create(inner, loc, inner.getBoolAttr(true));
        Value isMet = yes;
        for (int64_t dim : {1, 2}) {
          Meeting meeting = addMeeting(inner, op, dim, sizes[dim - 1],
                                       index[dim - 1], index[dim + 2]);
          isMet = arith::AndIOp::create(inner, loc, isMet, meeting.isMet);
        }
        Value isGap = arith::XOrIOp::create(inner, loc, isMet, yes);
        Value more = arith::AndIOp::create(inner, loc, arguments[0], isGap);
        return arith::OrIOp::create(inner, loc, arguments[1], more);
      });
}

/// The elements of the result, [N, OH, OW], for which a NaN or an infinity of
/// the image meets a position behind the filter's end: upstream's form has a
/// filter of whole strides, with zeros behind.
Value Gaps::findByImage() {
  Value kernel[2];
  SmallVector<OpFoldResult> wholeSizes;
  for (int64_t dim : {1, 2}) {
    Value stride =
        arith::ConstantIndexOp::create(builder, loc, op.getStride()[dim - 1]);
    Value size = builder.createOrFold<tensor::DimOp>(loc, op.getWeight(), dim);
    Value count = builder.createOrFold<arith::CeilDivSIOp>(loc, size, stride);
    kernel[dim - 1] = size;
    Value whole = builder.createOrFold<arith::MulIOp>(loc, count, stride);
    wholeSizes.push_back(getAsOpFoldResult(whole));
  }
  // Read for its sizes.
  Value taps = addFalse(builder, loc, wholeSizes);
  Value specials = findSpecials(builder, loc, op.getInput());
  AffineExpr n, y, x, ky, kx;
  bindDims(op->getContext(), n, y, x, ky, kx);
  return addGeneric(
      builder, loc, taps, addFalse(builder, loc, op.getResult(), {0, 1, 2}),
      {getMap({ky, kx}), getMap({n, y, x})}, "ppprr",
      [&](OpBuilder &inner, ValueRange arguments) -> Value {
        Value at[3], isBehind = arguments[0];
        Value isMet =
            arith::ConstantOp::create(inner, loc, inner.getBoolAttr(true));
        at[0] = linalg::IndexOp::create(inner, loc, 0);
        for (int64_t dim : {1, 2}) {
          Value place = linalg::IndexOp::create(inner, loc, dim);
          Value tap = linalg::IndexOp::create(inner, loc, dim + 2);
          Meeting meeting =
              addMeeting(inner, op, dim, sizes[dim - 1], place, tap);
          at[dim] = meeting.element;
          isMet = arith::AndIOp::create(inner, loc, isMet, meeting.isMet);
          Value isOver = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::sge, tap, kernel[dim - 1]);
          isBehind = arith::OrIOp::create(inner, loc, isBehind, isOver);
        }
        Value isSpecial = tensor::ExtractOp::create(inner, loc, specials, at);
        Value more = arith::AndIOp::create(inner, loc, isMet, isBehind);
        more = arith::AndIOp::create(inner, loc, more, isSpecial);
        return arith::OrIOp::create(inner, loc, arguments[1], more);
      });
}

void fuzz::openGaps(tosa::TransposeConv2DOp op) {
  if (!isa<RankedTensorType>(op.getType()) ||
      !isa<FloatType>(getElementTypeOrSelf(op.getWeight())))
    return;
  Gaps gaps(op);
  OpBuilder &builder = gaps.builder;
  Location loc = gaps.loc;
  Value byFilter = gaps.findByFilter();
  Value byImage = gaps.findByImage();
  Value result = op.getResult();
  Value anything = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, result),
      getElementTypeOrSelf(result));
  AffineMap all = builder.getMultiDimIdentityMap(4);
  Value opened =
      addGeneric(builder, loc, {byFilter, byImage, anything, result}, anything,
                 {all.getMinorSubMap(3), all.getMajorSubMap(3), all, all, all},
                 "pppp", [&](OpBuilder &inner, ValueRange arguments) -> Value {
                   Value isOpen = arith::OrIOp::create(inner, loc, arguments[0],
                                                       arguments[1]);
                   return arith::SelectOp::create(inner, loc, isOpen,
                                                  arguments[2], arguments[3]);
                 });
  SmallPtrSet<Operation *, 16> added;
  for (Operation *i = op->getNextNode();; i = i->getNextNode()) {
    added.insert(i);
    if (i == opened.getDefiningOp())
      break;
  }
  op.getResult().replaceAllUsesExcept(opened, added);
}
