//===-- GraphRare.cpp - What random steps meet too rarely -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs of their own, from arguments to a result: channels, groups and
// matrices of unknown sizes, odd operands of epilogues, weights and planes that
// are larger than what is cut or copied.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

Tensor Graph::rareForm() {
  switch (random.range(0, 8)) {
  case 0:
  case 1:
    return unknownChannels();
  case 2:
    return unknownMatrix();
  case 3:
    return rowOfMatrix();
  case 4:
    return oddOperand();
  case 5:
    return sharedWeights();
  case 6:
    return tallPlane();
  case 7:
    return deepProduct();
  default:
    return tableOfResults();
  }
}

/// An argument of any values.
Tensor Graph::leaf(ArrayRef<int64_t> shape, Type elementType,
                   ArrayRef<bool> dynamic) {
  return argument(shape, elementType, pickKind(), dynamic);
}

//===----------------------------------------------------------------------===//
// Unknown sizes
//===----------------------------------------------------------------------===//

namespace {
/// A loop, and which operands have a dim for it.
struct Loop {
  int64_t size;
  bool inLeft, inRight, inOut, isHidden;
};

/// Dims of an operand or a result.
struct Dims {
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  SmallVector<bool> hidden;

  void add(AffineExpr expr, int64_t size, bool isHidden) {
    exprs.push_back(expr);
    shape.push_back(size);
    hidden.push_back(isHidden);
  }
};
} // namespace

/// Groups, or several dims of channels, whose sizes nobody states.
Tensor Graph::unknownChannels() {
  int64_t form = random.range(0, 3), spatial = random.range(1, 2);
  auto some = [&] { return random.range(1, 4); };
  SmallVector<Loop> channels;
  if (form == 0)
    channels = {{2 * some(), true, true, true, true}};
  else if (form == 1)
    channels = {{some(), true, true, true, true},
                {some(), true, true, false, false},
                {some(), false, true, true, false}};
  else if (form == 2)
    channels = {{some(), true, true, false, false},
                {some(), false, true, true, true},
                {some(), false, true, true, true}};
  else
    channels = {{some(), true, false, true, true},
                {some(), true, false, true, true}};
  Dims image, filter, out;
  SmallVector<int64_t> sizes;
  SmallVector<OpFoldResult> stated;
  SmallVector<bool> isReduction;
  auto addLoop = [&](int64_t size, bool isHidden, bool isReduced) {
    sizes.push_back(size);
    stated.push_back(isHidden ? OpFoldResult(unknownSize(size))
                              : OpFoldResult(b.getIndexAttr(size)));
    isReduction.push_back(isReduced);
    return b.getAffineDimExpr(unsigned(sizes.size()) - 1);
  };
  int64_t batch = random.range(1, 2);
  AffineExpr batchLoop = addLoop(batch, false, false);
  image.add(batchLoop, batch, false);
  out.add(batchLoop, batch, false);
  auto addChannels = [&] {
    for (const Loop &loop : channels) {
      AffineExpr expr = addLoop(loop.size, loop.isHidden, !loop.inOut);
      if (loop.inLeft)
        image.add(expr, loop.size, loop.isHidden);
      if (loop.inRight)
        filter.add(expr, loop.size, loop.isHidden);
      if (loop.inOut)
        out.add(expr, loop.size, loop.isHidden);
    }
  };
  bool isFirst = random.chance(30);
  if (isFirst)
    addChannels();
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t count = random.range(2, 6), kernel = random.range(1, 3),
            stride = random.range(1, 2);
    AffineExpr place = addLoop(count, false, false);
    AffineExpr step = addLoop(kernel, false, true);
    image.add(place * stride + step, (count - 1) * stride + kernel, false);
    filter.add(step, kernel, false);
    out.add(place, count, false);
  }
  if (!isFirst)
    addChannels();
  Tensor x = leaf(image.shape, type, image.hidden);
  Tensor w =
      form == 3
          ? empty(filter.shape,
                  getAsIndexOpFoldResult(b.getContext(), filter.shape), type)
          : leaf(filter.shape, type, filter.hidden);
  Tensor y = reduction({x, w}, {image.exprs, filter.exprs}, out.exprs, sizes,
                       stated, isReduction);
  return y ? y : x;
}

/// A product of a matrix whose columns or rows are several dims.
Tensor Graph::unknownMatrix() {
  SmallVector<Loop> loops{{random.range(1, 5), true, false, true, true},
                          {random.range(1, 9), true, true, false, false},
                          {random.range(1, 4), false, true, true, true},
                          {random.range(1, 4), false, true, true, true}};
  if (random.chance(40))
    loops.insert(loops.begin(), {random.range(1, 3), true, false, true, true});
  Dims left, right, out;
  SmallVector<int64_t> sizes;
  SmallVector<OpFoldResult> stated;
  SmallVector<bool> isReduction;
  for (auto [index, loop] : llvm::enumerate(loops)) {
    AffineExpr expr = b.getAffineDimExpr(unsigned(index));
    sizes.push_back(loop.size);
    stated.push_back(loop.isHidden ? OpFoldResult(unknownSize(loop.size))
                                   : OpFoldResult(b.getIndexAttr(loop.size)));
    isReduction.push_back(!loop.inOut);
    if (loop.inLeft)
      left.add(expr, loop.size, loop.isHidden);
    if (loop.inRight)
      right.add(expr, loop.size, loop.isHidden);
    if (loop.inOut)
      out.add(expr, loop.size, loop.isHidden);
  }
  Tensor x = leaf(left.shape, type, left.hidden);
  Tensor w = leaf(right.shape, type, right.hidden);
  Tensor y = reduction({x, w}, {left.exprs, right.exprs}, out.exprs, sizes,
                       stated, isReduction);
  return y ? y : x;
}

/// A product with the first of several matrices, or with dims that are not
/// those of its rows and columns.
Tensor Graph::rowOfMatrix() {
  SmallVector<int64_t> sizes{random.range(2, 6), random.range(2, 9),
                             random.range(2, 9)};
  SmallVector<OpFoldResult> stated =
      getAsIndexOpFoldResult(b.getContext(), sizes);
  AffineExpr row = b.getAffineDimExpr(0), column = b.getAffineDimExpr(1),
             sum = b.getAffineDimExpr(2), first = b.getAffineConstantExpr(0);
  bool isRight = random.chance(50);
  SmallVector<int64_t> left{sizes[0], sizes[2]}, right{sizes[2], sizes[1]};
  SmallVector<AffineExpr> leftExprs{row, sum}, rightExprs{sum, column};
  (isRight ? right : left).insert((isRight ? right : left).begin(), 2);
  (isRight ? rightExprs : leftExprs)
      .insert((isRight ? rightExprs : leftExprs).begin(), first);
  Tensor x = leaf(left, type);
  Tensor w = parameter(right, type);
  Tensor y = reduction({x, w}, {leftExprs, rightExprs}, {row, column}, sizes,
                       stated, {false, false, true});
  return y ? y : x;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// A root and an operand along some of its result's dims, in any order.
Tensor Graph::oddOperand() {
  Tensor root;
  if (random.chance(30)) {
    root = matmul(leaf({random.range(2, 6), random.range(2, 9)}, type));
  } else {
    Layout layout{random.chance(40), 4};
    SmallVector<int64_t> shape{1, 4, 4, 8};
    if (!layout.channelsLast)
      shape = {1, 8, random.pick<int64_t>({4, 5}), 4};
    Tensor image = leaf(shape, type);
    SmallVector<int64_t> ones{1, 1}, zeros{0, 0};
    root = random.chance(70)
               ? convWith(image, layout, {ones, ones, ones, zeros, zeros},
                          random.pick<int64_t>({8, 16}))
               : conv(image, layout);
  }
  if (!root)
    return leaf({1}, type);
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  // All but the last dim, or some in any order.
  bool isRow = random.chance(40);
  for (int64_t dim = 0; dim < root.rank(); ++dim) {
    if (isRow ? dim + 1 == root.rank() : random.chance(30))
      continue;
    int64_t size = int64_t(shape.size());
    int64_t at = isRow ? size : random.range(0, size);
    exprs.insert(exprs.begin() + at, b.getAffineDimExpr(unsigned(dim)));
    shape.insert(shape.begin() + at, root.shape[dim]);
  }
  Type elementType = root.elementType();
  Tensor operand = random.chance(50) ? leaf(shape, elementType)
                                     : parameter(shape, elementType);
  unsigned rank = unsigned(root.rank());
  return map({root, operand},
             {b.getMultiDimIdentityMap(rank),
              AffineMap::get(rank, 0, exprs, b.getContext())},
             elementType, [&](ArrayRef<Value> args) -> Value {
               Value sum = arith::AddFOp::create(b, args[0], args[1]);
               return random.chance(50) ? applyActivation(sum) : sum;
             });
}

/// A product whose elements are places of a table.
Tensor Graph::tableOfResults() {
  Type elementType = random.pick<Type>({b.getI8Type(), b.getI32Type()});
  Tensor places = leaf({random.range(2, 6), random.range(2, 9)}, elementType);
  int64_t size = random.range(1, 5);
  places = matmul(places, /*columns=*/1);
  places = map({places}, {b.getMultiDimIdentityMap(2)}, b.getIndexType(),
               [&](ArrayRef<Value> args) -> Value {
                 Type from = args[0].getType();
                 Value low = scalar(from, 0),
                       high = scalar(from, double(size - 1));
                 Value above = arith::MaxSIOp::create(b, args[0], low);
                 Value place = arith::MinSIOp::create(b, above, high);
                 return inType(place, b.getIndexType());
               });
  Tensor table = parameter({size, random.range(1, 4)}, type);
  SmallVector<int64_t> taken{0}, shape{places.shape[0], table.shape[1]};
  return result(
      tensor::GatherOp::create(
          b,
          tensor::GatherOp::inferResultType(table.type(), places.type(), taken,
                                            /*rankReduced=*/true),
          table.value, places.value, taken, /*unique=*/false),
      shape);
}

//===----------------------------------------------------------------------===//
// Large ones
//===----------------------------------------------------------------------===//

/// Two products with the same weights, each scaled by its own vector.
Tensor Graph::sharedWeights() {
  int64_t depth = random.range(32, 48), columns = random.range(32, 48);
  Tensor weights = constant({depth, columns}, type, ValueKind::Normal);
  AffineMap identity = b.getMultiDimIdentityMap(2),
            along =
                AffineMap::get(2, 0, {b.getAffineDimExpr(1)}, b.getContext());
  auto multiply = [&]() {
    SmallVector<int64_t> shape{random.range(1, 4), columns};
    Tensor x = argument({shape[0], depth}, type, ValueKind::Normal);
    Tensor init =
        filled(shape, getAsIndexOpFoldResult(b.getContext(), shape), type, 0);
    Tensor product =
        result(linalg::MatmulOp::create(b, TypeRange{init.value.getType()},
                                        ValueRange{x.value, weights.value},
                                        ValueRange{init.value}),
               shape);
    Tensor scale = constant({columns}, type, ValueKind::Positive);
    return map({product, scale}, {identity, along}, type,
               [&](ArrayRef<Value> args) -> Value {
                 return arith::MulFOp::create(b, args[0], args[1]);
               });
  };
  ends.push_back(multiply());
  return multiply();
}

/// A depthwise convolution of planes whose rows do not all fit into a cache.
Tensor Graph::tallPlane() {
  SmallVector<int64_t> shape{1, 1, random.range(9, 14), random.range(590, 640)};
  Tensor image = leaf(shape, random.chance(70) ? Type(b.getF32Type())
                                               : Type(b.getF64Type()));
  int64_t high = random.range(1, 3), wide = random.range(1, 2), low = high / 2;
  Tensor output = depthwiseWith(
      image, {/*channelsLast=*/false, 4},
      {{high, wide}, {1, 1}, {1, 1}, {low, 0}, {high - 1 - low, 0}});
  return output ? output : image;
}

/// A product of unknown rows, each as long as all ways of a small cache.
Tensor Graph::deepProduct() {
  int64_t depth = 4096 / (type.getIntOrFloatBitWidth() / 8);
  Tensor rows = leaf({random.range(1, 5), depth}, type, {true, false});
  Tensor output = matmul(rows, random.pick<int64_t>({1, 4, 8}));
  return output ? output : rows;
}
