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

/// A tensor of as many false as dims `dims` of `like` have elements.
static Value addFalse(OpBuilder &builder, Location loc, Value like,
                      ArrayRef<int64_t> dims) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(tensor::getMixedSize(builder, loc, like, dim));
  Value no =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI1Type());
  return linalg::FillOp::create(builder, loc, no, empty).getResult(0);
}

/// Which filter positions of a result channel, [O, KH, KW], hold a NaN or an
/// infinity.
static Value findSpecials(OpBuilder &builder, Location loc, Value filter) {
  auto element = cast<FloatType>(getElementTypeOrSelf(filter));
  AffineMap all = builder.getMultiDimIdentityMap(4);
  return addGeneric(
      builder, loc, filter, addFalse(builder, loc, filter, {0, 1, 2}),
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

/// Whether an element of the image meets filter position `tap` at `place` of
/// the result; both are of dim `dim` of the images.
static Value addIsMet(OpBuilder &builder, tosa::TransposeConv2DOp op,
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
  return isMet;
}

void fuzz::openGaps(tosa::TransposeConv2DOp op) {
  if (!isa<RankedTensorType>(op.getType()) ||
      !isa<FloatType>(getElementTypeOrSelf(op.getWeight())))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  Value result = op.getResult(), sizes[3];
  for (int64_t dim : {1, 2})
    sizes[dim] = builder.createOrFold<tensor::DimOp>(loc, op.getInput(), dim);
  AffineExpr y, x, channel, ky, kx;
  bindDims(op->getContext(), y, x, channel, ky, kx);
  auto getMap = [&](unsigned loops, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, op->getContext());
  };
  Value isOpen = addGeneric(
      builder, loc, findSpecials(builder, loc, op.getWeight()),
      addFalse(builder, loc, result, {1, 2, 3}),
      {getMap(5, {channel, ky, kx}), getMap(5, {y, x, channel})}, "ppprr",
      [&](OpBuilder &inner, ValueRange arguments) -> Value {
        Value index[5];
        for (int64_t loop = 0; loop < 5; ++loop)
          index[loop] = linalg::IndexOp::create(inner, loc, loop);
        Value yes =
            arith::ConstantOp::create(inner, loc, inner.getBoolAttr(true));
        Value isMet = yes;
        for (int64_t dim : {1, 2})
          isMet =
              arith::AndIOp::create(inner, loc, isMet,
                                    addIsMet(inner, op, dim, sizes[dim],
                                             index[dim - 1], index[dim + 2]));
        Value isGap = arith::XOrIOp::create(inner, loc, isMet, yes);
        Value more = arith::AndIOp::create(inner, loc, arguments[0], isGap);
        return arith::OrIOp::create(inner, loc, arguments[1], more);
      });
  Value anything = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, result),
      getElementTypeOrSelf(result));
  AffineMap all = builder.getMultiDimIdentityMap(4);
  Value opened =
      addGeneric(builder, loc, {isOpen, anything, result}, anything,
                 {all.getMinorSubMap(3), all, all, all}, "pppp",
                 [&](OpBuilder &inner, ValueRange arguments) -> Value {
                   return arith::SelectOp::create(inner, loc, arguments[0],
                                                  arguments[1], arguments[2]);
                 });
  SmallPtrSet<Operation *, 16> added;
  for (Operation *i = op->getNextNode();; i = i->getNextNode()) {
    added.insert(i);
    if (i == opened.getDefiningOp())
      break;
  }
  op.getResult().replaceAllUsesExcept(opened, added);
}
