//===-- GraphReductions.cpp - Random sums of something else ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions whose bodies read some of their inputs, or none: what they combine
// are constants, scalars, positions, or what lies along a part of the loops.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Inside of a linalg op's body.
Value Graph::position(int64_t loop, Type type) {
  Value index = linalg::IndexOp::create(b, loop);
  if (!isa<FloatType>(type))
    return inType(index, type);
  return inType(arith::IndexCastOp::create(b, b.getI32Type(), index), type);
}

/// Of two integers or floats, in any order.
Value Graph::combine(Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    switch (random.range(0, 4)) {
    case 0:
      return arith::MaximumFOp::create(b, x, y);
    case 1:
      return arith::MinimumFOp::create(b, x, y);
    default:
      return arith::AddFOp::create(b, x, y);
    }
  switch (random.range(0, 8)) {
  case 0:
    return arith::MaxSIOp::create(b, x, y);
  case 1:
    return arith::MinUIOp::create(b, x, y);
  case 2:
    return arith::XOrIOp::create(b, x, y);
  case 3:
    return arith::OrIOp::create(b, x, y);
  case 4:
    return arith::MulIOp::create(b, x, y);
  default:
    return arith::AddIOp::create(b, x, y);
  }
}

Tensor Graph::oddReduction(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (rank == 0 || rank > 4 || tensor.size() == 0 || tensor.size() > 3000)
    return {};
  // Loops in any order; one that no tensor but a small one has, now and then.
  SmallVector<int64_t> sizes(tensor.shape), order;
  SmallVector<OpFoldResult> stated = dims(tensor);
  if (random.chance(35)) {
    sizes.push_back(random.range(1, 4));
    stated.push_back(random.chance(80)
                         ? OpFoldResult(b.getIndexAttr(sizes.back()))
                         : OpFoldResult(unknownSize(sizes.back())));
  }
  auto numLoops = int64_t(sizes.size());
  budget -= llvm::product_of(sizes);
  if (budget < 0)
    return {};
  for (int64_t i = 0; i < numLoops; ++i)
    order.insert(order.begin() + random.range(0, i), i);
  auto loop = [&](int64_t dim) {
    return b.getAffineDimExpr(unsigned(order[dim]));
  };
  SmallVector<Tensor> inputs{tensor};
  SmallVector<SmallVector<AffineExpr>> exprs(1);
  for (int64_t dim = 0; dim < rank; ++dim)
    exprs[0].push_back(loop(dim));
  // Broadcast along the other loops.
  bool hasOther = random.chance(60);
  if (hasOther || numLoops > rank) {
    SmallVector<int64_t> shape;
    exprs.emplace_back();
    for (int64_t dim = 0; dim < numLoops; ++dim)
      if (dim >= rank || (hasOther && random.chance(40))) {
        shape.push_back(sizes[dim]);
        exprs.back().push_back(loop(dim));
      }
    inputs.push_back(parameter(shape, tensor.elementType()));
  }
  SmallVector<utils::IteratorType> iterators(size_t(numLoops),
                                             utils::IteratorType::parallel);
  SmallVector<AffineExpr> outExprs;
  SmallVector<OpFoldResult> outSizes;
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < numLoops; ++dim) {
    if (random.chance(55)) {
      iterators[size_t(order[dim])] = utils::IteratorType::reduction;
      continue;
    }
    auto at = size_t(random.range(0, int64_t(shape.size())));
    outExprs.insert(outExprs.begin() + at, loop(dim));
    outSizes.insert(outSizes.begin() + at, stated[dim]);
    shape.insert(shape.begin() + at, sizes[dim]);
  }
  bool isFloat = isa<FloatType>(tensor.elementType());
  Type type = random.chance(25) ? Type(b.getI32Type())
                                : accumulator(tensor.elementType());
  bool readsInputs = isFloat == isa<FloatType>(type);
  Tensor init = initial(shape, outSizes, type, -1);
  Tensor flag;
  if (random.chance(30) && b.getInsertionBlock() == &function.front())
    flag = argument({}, type, ValueKind::Whole);
  Value outer =
      flag ? Value(tensor::ExtractOp::create(b, flag.value, ValueRange()))
           : scalar(type, double(random.range(-2, 3)));
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  exprs.push_back(outExprs);
  for (ArrayRef<AffineExpr> list : exprs)
    maps.push_back(AffineMap::get(unsigned(numLoops), 0, list, b.getContext()));
  for (const Tensor &input : inputs)
    operands.push_back(input.value);
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, operands, ValueRange{init.value},
      maps, iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder surrounding = b;
        b = ImplicitLocOpBuilder(loc, builder);
        Value term = outer;
        if (random.chance(20))
          term = position(random.range(0, numLoops - 1), type);
        else if (readsInputs && random.chance(40))
          term = inType(args[inputs.size() - 1], type);
        else if (random.chance(20))
          term = scalar(type, 2);
        linalg::YieldOp::create(b, combine(args.back(), term));
        b = surrounding;
      });
  return result(op, shape);
}
