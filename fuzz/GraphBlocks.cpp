//===-- GraphBlocks.cpp - Random groups of ops ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of several ops that random steps would meet too rarely: residual
// blocks, products between channels-first borders, masks, ops with two results,
// loads inside bodies, detours through other types.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Roots that meet
//===----------------------------------------------------------------------===//

/// A convolution whose result has its image's shape.
Tensor Graph::sameConv(Tensor image, Layout layout) {
  int64_t channel = layout.channel();
  if (image.type().isDynamicDim(unsigned(channel)) ||
      image.shape[channel] == 0 || image.size() == 0)
    return {};
  Window window;
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t half = random.range(0, 1);
    window.kernel.push_back(2 * half + 1);
    window.strides.push_back(1);
    window.dilations.push_back(1);
    window.low.push_back(half);
    window.high.push_back(half);
  }
  return convWith(image, layout, window, image.shape[channel]);
}

/// A root's result that another root reads, and that is added to what comes of
/// it: where nobody else reads the first, the second may overwrite it.
Tensor Graph::residualBlock(Tensor tensor, Layout layout) {
  bool isImage = tensor.rank() >= 3 && tensor.rank() <= 5 && tensor.size() > 0;
  Tensor first;
  if (!isImage)
    first = tensor.rank() == 2 && tensor.size() > 0 ? matmul(tensor) : Tensor();
  else if (random.chance(60))
    first = conv(tensor, layout);
  else
    first =
        random.chance(50) ? depthwise(tensor, layout) : pool(tensor, layout);
  if (!first || first.rank() != tensor.rank())
    return first;
  Tensor second = isImage ? sameConv(first, layout)
                          : matmul(first, /*columns=*/first.shape.back());
  if (!second || second.value.getType() != first.value.getType() ||
      second.shape != first.shape)
    return second ? second : first;
  if (random.chance(15))
    tensors.push_back(first);
  if (random.chance(40))
    second = random.chance(50)
                 ? activation(second)
                 : elementwise(second, isImage ? layout.channel() : 1);
  return addTensors(second, first, random.chance(50));
}

/// A pointwise or depthwise convolution of a channels-first argument whose
/// channels-first result is returned, with operands along any dims.
Tensor Graph::borderProduct() {
  hasDynamic = random.chance(20);
  int64_t batch = random.pick<int64_t>({1, 1, 2}),
          channels = random.pick<int64_t>({1, 3, 8, 16});
  SmallVector<int64_t> shape{batch, channels};
  if (random.chance(80))
    shape.append({random.pick<int64_t>({2, 4, 4, 5, 8, 40}),
                  random.pick<int64_t>({3, 4, 4, 8, 18})});
  else
    shape.push_back(random.pick<int64_t>({7, 16, 32}));
  SmallVector<bool> dynamic;
  for (size_t dim = 0; hasDynamic && dim < shape.size(); ++dim)
    dynamic.push_back(random.chance(35) && dim != 1);
  Type elementType =
      random.pick<Type>({type, type, type, b.getF16Type(), b.getBF16Type(),
                         b.getF64Type(), b.getI8Type(), b.getI32Type()});
  Tensor image = argument(shape, elementType, pickKind(), dynamic);
  Layout layout{/*channelsLast=*/false, image.rank()};
  SmallVector<int64_t> ones(size_t(layout.numSpatial()), 1),
      zeros(size_t(layout.numSpatial()), 0);
  Tensor output =
      random.chance(45)
          ? depthwise(image, layout)
          : convWith(image, layout, {ones, ones, ones, zeros, zeros},
                     random.pick<int64_t>({1, 8, 16, 17}));
  if (!output)
    return image;
  for (int64_t i = random.range(0, 2); i > 0; --i)
    output = random.chance(25)   ? activation(output)
             : random.chance(30) ? residual(output)
                                 : elementwise(output, 1);
  return output;
}

//===----------------------------------------------------------------------===//
// Elementwise ops of other forms
//===----------------------------------------------------------------------===//

/// x where y is above a limit, else z; the mask is a tensor of its own.
Tensor Graph::mask(Tensor tensor) {
  Type elementType = tensor.elementType();
  AffineMap identity = b.getMultiDimIdentityMap(unsigned(tensor.rank()));
  bool isFloat = isa<FloatType>(elementType);
  Tensor flags = map(
      {tensor}, {identity}, b.getI1Type(), [&](ArrayRef<Value> args) -> Value {
        Value limit = scalar(elementType, 0);
        if (isFloat)
          return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, args[0],
                                       limit);
        return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, args[0],
                                     limit);
      });
  if (random.chance(15) && tensor.rank() > 0 && tensor.isStatic())
    // Whether any is set: a reduction of booleans.
    return countFlags(flags, elementType);
  return map({tensor, flags}, {identity, identity}, elementType,
             [&](ArrayRef<Value> args) -> Value {
               Value other = scalar(elementType, 1);
               return arith::SelectOp::create(b, args[1], args[0], other);
             });
}

Tensor Graph::countFlags(Tensor flags, Type elementType) {
  if (flags.rank() == 2 && random.chance(50))
    return joinFlags(flags, elementType);
  Value none = scalar(b.getI1Type(), 0);
  SmallVector<int64_t> shape = flags.shape;
  int64_t last = int64_t(shape.size()) - 1;
  shape.pop_back();
  Value init = tensor::EmptyOp::create(b, shape, b.getI1Type());
  init = linalg::FillOp::create(b, none, init).getResult(0);
  Tensor any =
      result(linalg::ReduceOp::create(
                 b, flags.value, init, ArrayRef<int64_t>{last},
                 [](OpBuilder &builder, Location loc, ValueRange args) {
                   Value next =
                       arith::OrIOp::create(builder, loc, args[0], args[1]);
                   linalg::YieldOp::create(builder, loc, next);
                 }),
             shape);
  return chooseByFlags(any, elementType);
}

Tensor Graph::chooseByFlags(Tensor flags, Type elementType) {
  return map({flags}, {b.getMultiDimIdentityMap(unsigned(flags.rank()))},
             elementType, [&](ArrayRef<Value> args) -> Value {
               Value yes = scalar(elementType, 3), no = scalar(elementType, -1);
               return arith::SelectOp::create(b, args[0], yes, no);
             });
}

/// A product of matrices of booleans, the second being the first transposed.
Tensor Graph::joinFlags(Tensor flags, Type elementType) {
  Tensor turned = transpose(flags, {1, 0});
  SmallVector<int64_t> shape{flags.shape[0], flags.shape[0]};
  if (flags.size() * shape[0] > 50000)
    return {};
  Tensor init = filled(shape, getAsIndexOpFoldResult(b.getContext(), shape),
                       b.getI1Type(), 0);
  Tensor joined =
      result(linalg::MatmulOp::create(b, TypeRange{init.value.getType()},
                                      ValueRange{flags.value, turned.value},
                                      ValueRange{init.value}),
             shape);
  return chooseByFlags(joined, elementType);
}

/// One op with two results; of the second the last dim may be summed.
Tensor Graph::twoResults(Tensor tensor) {
  unsigned rank = unsigned(tensor.rank());
  if (rank == 0)
    return {};
  Type elementType = tensor.elementType();
  bool isFloat = isa<FloatType>(elementType), isSum = random.chance(50);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  maps.push_back(isSum ? AffineMap::getMultiDimIdentityMap(rank, b.getContext())
                             .dropResult(rank - 1)
                       : maps[0]);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  SmallVector<int64_t> shape = tensor.shape;
  SmallVector<OpFoldResult> sizes = dims(tensor);
  Tensor init = empty(shape, sizes, elementType);
  if (isSum) {
    iterators.back() = utils::IteratorType::reduction;
    shape.pop_back();
    sizes.pop_back();
  }
  Tensor second = filled(shape, sizes, elementType, 0);
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType(), second.value.getType()},
      ValueRange{tensor.value}, ValueRange{init.value, second.value}, maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder outer = b;
        b = ImplicitLocOpBuilder(loc, builder);
        Value changed = applyActivation(args[0]);
        Value other = !isSum ? Value(args[0])
                      : isFloat
                          ? Value(arith::AddFOp::create(b, args[2], args[0]))
                          : Value(arith::AddIOp::create(b, args[2], args[0]));
        linalg::YieldOp::create(b, ValueRange{changed, other});
        b = outer;
      });
  tensors.push_back({op->getResult(1), shape});
  return result(op, tensor.shape);
}

/// Adds what the body loads from another tensor, or from the same, at a place
/// that it computes; and the position itself, now and then.
Tensor Graph::gather(Tensor tensor) {
  Type elementType = tensor.elementType();
  if (!tensor.isStatic() || tensor.size() == 0 || tensor.rank() == 0)
    return {};
  Tensor other = random.chance(40)
                     ? tensor
                     : parameter(tensor.shape, tensor.elementType());
  bool readsPosition = random.chance(30), isInBody = random.chance(20);
  return map(
      {tensor}, {b.getMultiDimIdentityMap(unsigned(tensor.rank()))},
      elementType, [&](ArrayRef<Value> args) -> Value {
        SmallVector<Value> at;
        for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
          Value index = linalg::IndexOp::create(b, int64_t(dim));
          if (random.chance(20)) {
            Value last = arith::ConstantIndexOp::create(b, size - 1);
            index = arith::SubIOp::create(b, last, index);
          } else if (random.chance(20)) {
            index = arith::ConstantIndexOp::create(b, 0);
          }
          at.push_back(index);
        }
        Value more;
        if (readsPosition) {
          Value wide = arith::IndexCastOp::create(b, b.getI32Type(), at.back());
          more = inType(wide, elementType);
        } else {
          // A constant may be in the body, too.
          Value from =
              isInBody
                  ? constant(tensor.shape, elementType, ValueKind::Whole).value
                  : other.value;
          more = tensor::ExtractOp::create(b, from, at);
        }
        if (isa<FloatType>(elementType))
          return arith::AddFOp::create(b, args[0], more);
        return arith::AddIOp::create(b, args[0], more);
      });
}

/// Through elements of another type, such as 4 bits or indices, and back.
Tensor Graph::throughType(Tensor tensor) {
  Type from = tensor.elementType(), to;
  if (isa<FloatType>(from))
    to = random.pick<Type>({b.getF16Type(), b.getBF16Type(), b.getF64Type(),
                            b.getF32Type(), b.getI32Type(),
                            b.getIntegerType(16), b.getI8Type()});
  else
    to = random.pick<Type>({b.getIntegerType(4), b.getIntegerType(16),
                            b.getI64Type(), b.getIntegerType(7),
                            b.getIndexType()});
  if (to == from)
    return {};
  auto cast = [&](Tensor x, Type element) {
    return map({x}, {b.getMultiDimIdentityMap(unsigned(x.rank()))}, element,
               [&](ArrayRef<Value> args) { return inType(args[0], element); });
  };
  // Floats that fit in the integer.
  if (isa<FloatType>(from) && !isa<FloatType>(to))
    tensor = map({tensor}, {b.getMultiDimIdentityMap(unsigned(tensor.rank()))},
                 from, [&](ArrayRef<Value> args) -> Value {
                   Value low = scalar(from, -99), high = scalar(from, 99);
                   Value above = arith::MaxNumFOp::create(b, args[0], low);
                   return arith::MinNumFOp::create(b, above, high);
                 });
  Tensor inner = cast(tensor, to);
  Layout layout{channelsLast, inner.rank()};
  bool isImage = inner.rank() >= 3 && inner.rank() <= 5 && inner.size() > 0;
  Tensor next =
      random.chance(30)                               ? activation(inner)
      : random.chance(40) && isImage && !to.isIndex() ? pool(inner, layout)
      : random.chance(60)
          ? genericMatmul(inner)
          : elementwise(inner, std::max<int64_t>(inner.rank() - 1, 0));
  return cast(next ? next : inner, from);
}
