//===-- GraphTensorOps.cpp - Random ops that move elements ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters of slices, packed tensors, elements taken for others of
// as many bits.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Slices at places that a tensor tells
//===----------------------------------------------------------------------===//

static Tensor makeCoordinates(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                              Type type, ArrayRef<int64_t> numbers) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  SmallVector<APInt> elements;
  for (int64_t number : numbers)
    elements.push_back(APInt(width, uint64_t(number)));
  Value value = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(shape, type), elements));
  return {value, SmallVector<int64_t>(shape)};
}

/// Some dims, in ascending order, at least one.
static SmallVector<int64_t> pickDims(Random &random, int64_t rank) {
  SmallVector<int64_t> picked;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (random.chance(40))
      picked.push_back(dim);
  if (picked.empty())
    picked.push_back(random.range(0, rank - 1));
  return picked;
}

/// The rest of a slice's shape, with dims of one element for those that are
/// taken at one place, or without.
static void appendSlice(SmallVectorImpl<int64_t> &shape,
                        ArrayRef<int64_t> whole, ArrayRef<int64_t> taken,
                        bool keepsDims) {
  for (auto [dim, size] : llvm::enumerate(whole)) {
    bool isTaken = llvm::is_contained(taken, int64_t(dim));
    if (!isTaken || keepsDims)
      shape.push_back(isTaken ? 1 : size);
  }
}

Tensor Graph::gatherSlices(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.rank() > 4 || tensor.size() == 0 ||
      tensor.size() > 3000)
    return {};
  SmallVector<int64_t> taken = pickDims(random, tensor.rank()), batch;
  for (int64_t i = random.range(0, 2); i > 0; --i)
    batch.push_back(random.range(1, 4));
  SmallVector<int64_t> shape(batch);
  shape.push_back(int64_t(taken.size()));
  Type type = random.pick<Type>(
      {b.getIndexType(), b.getI32Type(), b.getI64Type(), b.getI8Type()});
  Tensor places;
  if (random.chance(60)) {
    SmallVector<int64_t> numbers;
    for (int64_t i = llvm::product_of(batch); i > 0; --i)
      for (int64_t dim : taken)
        numbers.push_back(
            random.range(0, std::min<int64_t>(tensor.shape[dim], 127) - 1));
    places = makeCoordinates(b, shape, type, numbers);
  } else {
    // Of any integers, those that are places.
    int64_t limit = 127;
    for (int64_t dim : taken)
      limit = std::min(limit, tensor.shape[dim]);
    Tensor integers = parameter(shape, b.getI32Type(), ValueKind::Whole);
    places = map({integers}, {b.getMultiDimIdentityMap(unsigned(shape.size()))},
                 type, [&](ArrayRef<Value> args) -> Value {
                   Value low = scalar(b.getI32Type(), 0),
                         high = scalar(b.getI32Type(), double(limit - 1));
                   Value above = arith::MaxSIOp::create(b, args[0], low);
                   return inType(arith::MinSIOp::create(b, above, high), type);
                 });
  }
  // The last size is how many dims there are to take.
  if (random.chance(15) && !batch.empty())
    places = hideSizes(places, {0});
  bool keepsDims = random.chance(50);
  SmallVector<int64_t> resultShape(batch);
  appendSlice(resultShape, tensor.shape, taken, keepsDims);
  budget -= llvm::product_of(resultShape);
  return result(
      tensor::GatherOp::create(
          b,
          tensor::GatherOp::inferResultType(tensor.type(), places.type(), taken,
                                            /*rankReduced=*/!keepsDims),
          tensor.value, places.value, taken, /*unique=*/false),
      resultShape);
}

Tensor Graph::scatterSlices(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.rank() > 4 || tensor.size() == 0 ||
      tensor.size() > 3000)
    return {};
  SmallVector<int64_t> taken = pickDims(random, tensor.rank());
  int64_t places = 1;
  for (int64_t dim : taken)
    places *= std::min<int64_t>(tensor.shape[dim], 127);
  // Each place once.
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq(places));
  for (size_t i = all.size(); i-- > 1;)
    std::swap(all[i], all[size_t(random.range(0, int64_t(i)))]);
  int64_t count = random.range(1, std::min<int64_t>(places, 5));
  SmallVector<int64_t> numbers, batch{count};
  for (int64_t place : ArrayRef(all).take_front(size_t(count))) {
    SmallVector<int64_t> at;
    for (int64_t dim : llvm::reverse(taken)) {
      int64_t size = std::min<int64_t>(tensor.shape[dim], 127);
      at.insert(at.begin(), place % size);
      place /= size;
    }
    llvm::append_range(numbers, at);
  }
  if (random.chance(30))
    batch.insert(batch.begin() + random.range(0, 1), 1);
  SmallVector<int64_t> shape(batch), sourceShape(batch);
  shape.push_back(int64_t(taken.size()));
  appendSlice(sourceShape, tensor.shape, taken,
              /*keepsDims=*/random.chance(50));
  Tensor indices = makeCoordinates(
      b, shape, random.pick<Type>({b.getIndexType(), b.getI32Type()}), numbers);
  Tensor source = parameter(sourceShape, tensor.elementType());
  if (!tensor.isStatic() && !source.isStatic())
    return {};
  // Sizes that only one of them knows are no form of this op.
  if (!tensor.isStatic()) {
    auto type = RankedTensorType::get(tensor.shape, tensor.elementType());
    tensor.value = tensor::CastOp::create(b, type, tensor.value);
  }
  if (!source.isStatic())
    return {};
  return result(tensor::ScatterOp::create(b, tensor.value.getType(),
                                          source.value, tensor.value,
                                          indices.value, taken,
                                          /*unique=*/true),
                tensor.shape);
}

//===----------------------------------------------------------------------===//
// Packed tensors
//===----------------------------------------------------------------------===//

/// In tiles, changed there or not, and mostly as it was again.
Tensor Graph::packTiles(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (rank == 0 || rank > 4 || tensor.size() == 0 || tensor.size() > 4000)
    return {};
  SmallVector<int64_t> at = pickDims(random, rank), order;
  if (at.size() > 1 && random.chance(50))
    std::reverse(at.begin(), at.end());
  if (random.chance(50))
    for (int64_t i = 0; i < rank; ++i)
      order.insert(order.begin() + random.range(0, i), i);
  SmallVector<int64_t> shape = tensor.shape, tiles;
  for (int64_t dim : at) {
    tiles.push_back(random.range(1, 4));
    shape[dim] = llvm::divideCeil(shape[dim], tiles.back());
  }
  if (!order.empty()) {
    SmallVector<int64_t> outer = shape;
    for (auto [to, from] : llvm::enumerate(order))
      shape[to] = outer[from];
  }
  llvm::append_range(shape, tiles);
  SmallVector<OpFoldResult> stated =
      getAsIndexOpFoldResult(b.getContext(), tiles);
  Value into = linalg::PackOp::createDestinationTensor(
      b, b.getLoc(), tensor.value, stated, at, order);
  Value filler = scalar(tensor.elementType(), random.chance(50) ? 0 : 1);
  Tensor packed = result(
      linalg::PackOp::create(b, tensor.value, into, at, stated, filler, order),
      shape);
  if (random.chance(50))
    packed = map({packed}, {b.getMultiDimIdentityMap(unsigned(shape.size()))},
                 tensor.elementType(), [&](ArrayRef<Value> args) {
                   return applyActivation(args[0]);
                 });
  if (random.chance(30))
    return packed;
  Tensor whole = empty(tensor.shape, dims(tensor), tensor.elementType());
  return result(
      linalg::UnPackOp::create(b, packed.value, whole.value, at, stated, order),
      tensor.shape);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// As elements of another type; of results, the bits are not what a reference
/// knows.
Tensor Graph::bitcastElements(Tensor tensor) {
  Type from = tensor.elementType();
  if (isa<FloatType>(from) && !isa<BlockArgument>(tensor.value))
    tensor = parameter(tensor.shape, from);
  int64_t width = from.isIndex() ? 0 : from.getIntOrFloatBitWidth();
  Type to = width == 16   ? random.pick<Type>({b.getF16Type(), b.getBF16Type(),
                                               b.getIntegerType(16)})
            : width == 32 ? random.pick<Type>({b.getF32Type(), b.getI32Type()})
            : width == 64 ? random.pick<Type>({b.getF64Type(), b.getI64Type()})
                          : Type();
  if (!to || to == from)
    return {};
  SmallVector<int64_t> sizes(tensor.type().getShape());
  Tensor bits{tensor::BitcastOp::create(b, RankedTensorType::get(sizes, to),
                                        tensor.value),
              tensor.shape};
  if (isa<FloatType>(to))
    return bits;
  // The sign off, and back.
  AffineMap identity = b.getMultiDimIdentityMap(unsigned(tensor.rank()));
  return map({bits}, {identity}, from, [&](ArrayRef<Value> args) -> Value {
    Value mask = arith::ConstantOp::create(
        b, b.getIntegerAttr(to, APInt::getSignedMaxValue(unsigned(width))));
    Value size = arith::AndIOp::create(b, args[0], mask);
    return arith::BitcastOp::create(b, from, size);
  });
}
