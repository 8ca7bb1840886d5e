//===-- GraphNearMiss.cpp - Random ops that are almost roots --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions whose maps, bodies and sizes are those of a convolution, a pool or
// a product but for something: what rules have to refuse, or to get right.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// What a random body does: a combiner of the sum and of what is made of its
/// one or two factors.
struct BodyForm {
  enum { Sum, Max, Min } combiner = Sum;
  bool isUnsigned = false, hasZeroPoint = false, isChanged = false;
  /// What the body does not read.
  enum { Nothing, Image, Filter, Both } unread = Nothing;

  BodyForm(Random &random, bool isProduct, bool isFloat) {
    if (!isProduct || random.chance(5))
      combiner = random.pick({Sum, Max, Min});
    isUnsigned = !isFloat && random.chance(15);
    hasZeroPoint = isProduct && random.chance(12);
    isChanged = random.chance(6);
    if (random.chance(7))
      unread = random.pick({Image, Filter, Both});
  }
};
} // namespace

Tensor Graph::reduction(ArrayRef<Tensor> inputs,
                        ArrayRef<SmallVector<AffineExpr>> inputExprs,
                        ArrayRef<AffineExpr> outExprs,
                        ArrayRef<int64_t> loopSizes,
                        ArrayRef<OpFoldResult> loopDims,
                        ArrayRef<bool> isReduction) {
  int64_t points = 1;
  for (int64_t size : loopSizes)
    points *= size;
  budget -= points;
  if (budget < 0)
    return {};
  unsigned numLoops = unsigned(loopSizes.size());
  Type elementType = inputs[0].elementType();
  bool isFloat = isa<FloatType>(elementType);
  bool isProduct = inputs.size() > 1 &&
                   inputs[1].value.getDefiningOp<tensor::EmptyOp>() == nullptr;
  Type sumType = accumulator(elementType);
  if (random.chance(5))
    sumType = isFloat                 ? Type(b.getF16Type())
              : elementType.isIndex() ? elementType
                                      : Type(b.getIntegerType(16));
  BodyForm form(random, isProduct, isFloat);
  // A zero point may be another for each place.
  Tensor zeroPoint;
  SmallVector<Tensor> operands(inputs);
  SmallVector<SmallVector<AffineExpr>> exprs(inputExprs);
  if (form.hasZeroPoint && random.chance(60)) {
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> along;
    for (auto [expr, size] : llvm::zip_equal(inputExprs[1], inputs[1].shape))
      if (isa<AffineDimExpr>(expr) && random.chance(40)) {
        along.push_back(expr);
        shape.push_back(size);
      }
    operands.push_back(parameter(shape, elementType, ValueKind::Whole));
    exprs.push_back(along);
  }
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : outExprs) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    shape.push_back(loopSizes[loop]);
    sizes.push_back(loopDims[loop]);
    // The result may know more or less than the operands.
    if (isa<Value>(sizes.back()) && random.chance(30))
      sizes.back() = b.getIndexAttr(shape.back());
    else if (random.chance(3))
      sizes.back() = unknownSize(shape.back());
  }
  double start = form.combiner == BodyForm::Sum ? 0
                 : isFloat
                     ? (form.combiner == BodyForm::Max ? -HUGE_VAL : HUGE_VAL)
                 : form.combiner == BodyForm::Max ? -128
                                                  : 127;
  Tensor init = random.chance(80) ? filled(shape, sizes, sumType, start)
                                  : initial(shape, sizes, sumType, -1);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (auto [operand, list] : llvm::zip_equal(operands, exprs)) {
    maps.push_back(AffineMap::get(numLoops, 0, list, b.getContext()));
    values.push_back(operand.value);
  }
  maps.push_back(AffineMap::get(numLoops, 0, outExprs, b.getContext()));
  SmallVector<utils::IteratorType> iterators;
  for (bool isReduced : isReduction)
    iterators.push_back(isReduced ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel);
  auto widen = [&](Value value) -> Value {
    if (form.isUnsigned && !sumType.isIndex() && !elementType.isIndex() &&
        value.getType().getIntOrFloatBitWidth() <
            sumType.getIntOrFloatBitWidth())
      return arith::ExtUIOp::create(b, sumType, value);
    return inType(value, sumType);
  };
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, values, ValueRange{init.value}, maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder outer = b;
        b = ImplicitLocOpBuilder(loc, builder);
        Value acc = args.back(), x = widen(args[0]);
        bool readsImage =
            form.unread == BodyForm::Nothing || form.unread == BodyForm::Filter;
        if (!readsImage)
          x = random.chance(50) || form.unread == BodyForm::Image
                  ? scalar(sumType, 2)
                  : position(random.range(0, numLoops - 1), sumType);
        if (form.hasZeroPoint) {
          Value zero = operands.size() > inputs.size()
                           ? inType(args[inputs.size()], sumType)
                           : scalar(sumType, 3);
          x = isFloat ? Value(arith::SubFOp::create(b, x, zero))
                      : Value(arith::SubIOp::create(b, x, zero));
        }
        if (isProduct && (form.unread == BodyForm::Nothing ||
                          form.unread == BodyForm::Image)) {
          Value w = widen(args[1]);
          x = isFloat ? Value(arith::MulFOp::create(b, x, w))
                      : Value(arith::MulIOp::create(b, x, w));
        }
        if (form.isChanged)
          x = isFloat ? Value(math::AbsFOp::create(b, x))
                      : Value(arith::AddIOp::create(b, x, x));
        Value next;
        switch (form.combiner) {
        case BodyForm::Sum:
          next = isFloat ? Value(arith::AddFOp::create(b, acc, x))
                         : Value(arith::AddIOp::create(b, acc, x));
          break;
        case BodyForm::Max:
          next = isFloat ? Value(arith::MaximumFOp::create(b, acc, x))
                 : random.chance(25) ? Value(arith::MaxUIOp::create(b, acc, x))
                                     : Value(arith::MaxSIOp::create(b, acc, x));
          break;
        case BodyForm::Min:
          next = isFloat ? Value(arith::MinimumFOp::create(b, acc, x))
                 : random.chance(25) ? Value(arith::MinUIOp::create(b, acc, x))
                                     : Value(arith::MinSIOp::create(b, acc, x));
          break;
        }
        linalg::YieldOp::create(b, next);
        b = outer;
      });
  return result(op, shape);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Windows along any dims, dims that are summed whole, are read backwards or
/// from some place on; a filter that has any of the loops, or none.
Tensor Graph::windowed(Tensor image) {
  int64_t rank = image.rank();
  if (rank == 0 || image.size() == 0 || image.size() > 3000)
    return {};
  SmallVector<AffineExpr> imageExprs, outExprs, filterExprs;
  SmallVector<int64_t> loopSizes, filterShape;
  SmallVector<OpFoldResult> loopDims;
  SmallVector<bool> isReduction;
  auto addLoop = [&](int64_t size, OpFoldResult stated, bool isReduced) {
    loopSizes.push_back(size);
    loopDims.push_back(stated);
    isReduction.push_back(isReduced);
    return b.getAffineDimExpr(unsigned(loopSizes.size()) - 1);
  };
  auto read = [&](AffineExpr loop) {
    filterExprs.push_back(loop);
    filterShape.push_back(loopSizes[cast<AffineDimExpr>(loop).getPosition()]);
  };
  bool isProduct = random.chance(50), isMany = random.chance(15);
  bool hasWindow = false, isLoose = random.chance(image.isStatic() ? 5 : 15);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = image.shape[dim];
    OpFoldResult stated = this->dim(image, dim);
    bool isSpatial = channelsLast ? dim > 0 && dim + 1 < rank : dim > 1;
    int64_t choice = random.range(0, 99);
    if (size > 1 && (choice < (isMany ? 95 : isSpatial ? 75 : 4))) {
      int64_t kernel = random.range(1, std::min<int64_t>(size, 3)),
              dilation = random.chance(15) ? 2 : 1,
              stride = random.chance(70) ? 1 : 2;
      if ((kernel - 1) * dilation + 1 > size)
        dilation = 1;
      int64_t reach = (kernel - 1) * dilation + 1, count;
      OpFoldResult windows =
          windowCount(stated, size, reach, stride, isLoose, count);
      AffineExpr out = addLoop(count, windows, false);
      AffineExpr step = addLoop(kernel, b.getIndexAttr(kernel), true);
      AffineExpr place = out * stride + step * dilation;
      // A factor below nothing, of what is always nothing.
      if ((count == 1 || kernel == 1) && random.chance(10))
        place =
            count == 1 ? out * -1 + step * dilation : out * stride + step * -1;
      // Backwards, now and then.
      if (random.chance(4))
        place = (out * stride + step * dilation) * -1 + (size - 1);
      imageExprs.push_back(place);
      outExprs.push_back(out);
      read(step);
      hasWindow = true;
    } else if (choice < 85 || !isProduct) {
      if (random.chance(isProduct ? 2 : 6)) {
        AffineExpr reduced = addLoop(size, stated, true);
        imageExprs.push_back(reduced);
        continue;
      }
      AffineExpr out = addLoop(size, stated, false);
      imageExprs.push_back(random.chance(2) ? out * -1 + (size - 1) : out);
      outExprs.push_back(out);
      if (isProduct && random.chance(12))
        read(out);
    } else {
      AffineExpr reduced = addLoop(size, stated, true);
      imageExprs.push_back(reduced);
      if (random.chance(85))
        read(reduced);
    }
  }
  if (isProduct && random.chance(80)) {
    int64_t count = random.pick<int64_t>({1, 4, 8});
    AffineExpr columns = addLoop(count, b.getIndexAttr(count), false);
    read(columns);
    if (channelsLast || outExprs.empty())
      outExprs.push_back(columns);
    else
      outExprs.insert(outExprs.begin() + 1, columns);
  }
  if (outExprs.size() > 1 && random.chance(10))
    std::swap(outExprs.front(), outExprs.back());
  if (!isProduct && !hasWindow)
    return {};
  Tensor filter =
      isProduct ? parameter(filterShape, image.elementType())
                : empty(filterShape,
                        getAsIndexOpFoldResult(b.getContext(), filterShape),
                        image.elementType());
  return reduction({image, filter}, {imageExprs, filterExprs}, outExprs,
                   loopSizes, loopDims, isReduction);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Each of some loops is in any of the operands and the result.
Tensor Graph::product(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (tensor.size() == 0 || rank == 0 || rank > 4)
    return {};
  SmallVector<AffineExpr> left, right, out;
  SmallVector<int64_t> loopSizes, rightShape;
  SmallVector<OpFoldResult> loopDims = dims(tensor);
  SmallVector<bool> isReduction;
  for (int64_t dim = 0; dim < rank; ++dim) {
    loopSizes.push_back(tensor.shape[dim]);
    AffineExpr loop = b.getAffineDimExpr(unsigned(dim));
    left.push_back(loop);
    bool isRight = random.chance(50), isOut = random.chance(60);
    if (isRight) {
      right.push_back(loop);
      rightShape.push_back(loopSizes.back());
    }
    if (isOut)
      out.push_back(loop);
    isReduction.push_back(!isOut);
  }
  for (int64_t i = random.range(0, 2); i > 0; --i) {
    AffineExpr loop = b.getAffineDimExpr(unsigned(loopSizes.size()));
    loopSizes.push_back(random.pick<int64_t>({1, 3, 8}));
    loopDims.push_back(b.getIndexAttr(loopSizes.back()));
    right.push_back(loop);
    rightShape.push_back(loopSizes.back());
    bool isOut = random.chance(85);
    if (isOut)
      out.push_back(loop);
    isReduction.push_back(!isOut);
  }
  // One row of a larger matrix.
  if (random.chance(8)) {
    right.push_back(b.getAffineConstantExpr(0));
    rightShape.push_back(random.range(1, 2));
  }
  if (out.size() > 1 && random.chance(30))
    std::swap(out.front(), out.back());
  Tensor other = parameter(rightShape, tensor.elementType());
  return reduction({tensor, other}, {left, right}, out, loopSizes, loopDims,
                   isReduction);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Along any dim, of any value, also less than nothing or of unknown size.
Tensor Graph::oddPad(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.size() == 0 || tensor.size() > 3000)
    return {};
  SmallVector<OpFoldResult> low, high;
  SmallVector<int64_t> shape, types;
  bool isUnknown = random.chance(hasDynamic ? 50 : 15), moves = false;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
    int64_t size = tensor.shape[dim];
    bool isPadded = random.chance(40);
    int64_t first = isPadded ? random.range(-1, 2) : 0,
            last = isPadded ? random.range(-1, 2) : 0;
    if (size + first + last <= 0)
      first = last = 0;
    shape.push_back(size + first + last);
    bool hides = isUnknown && isPadded && random.chance(50);
    moves |= first != 0 || last != 0 || hides;
    // What is below zero only at run time is refused (docs/ABI.md).
    low.push_back(hides && first >= 0 ? OpFoldResult(unknownNumber(first))
                                      : OpFoldResult(b.getIndexAttr(first)));
    high.push_back(hides && random.chance(30) && last >= 0
                       ? OpFoldResult(unknownNumber(last))
                       : OpFoldResult(b.getIndexAttr(last)));
    // The type may know what the amounts do not tell.
    bool isUnknownSize = tensor.type().isDynamicDim(unsigned(dim)) ||
                         isa<Value>(low.back()) || isa<Value>(high.back());
    types.push_back(isUnknownSize && random.chance(70) ? ShapedType::kDynamic
                                                       : shape.back());
  }
  if (!moves)
    return {};
  Value number = scalar(tensor.elementType(), random.chance(70) ? 0 : 1);
  return result(tensor::PadOp::create(
                    b, RankedTensorType::get(types, tensor.elementType()),
                    tensor.value, low, high, number,
                    /*nofold=*/random.chance(30)),
                shape);
}
