//===-- GraphMatmul.cpp - Random products ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named ones, and generic ones with any order of dims.
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
// Named products
//===----------------------------------------------------------------------===//

template <typename Op>
static Operation *createProduct(ImplicitLocOpBuilder &b, ValueRange inputs,
                                Value init) {
  return Op::create(b, TypeRange{init.getType()}, inputs, ValueRange{init});
}

Tensor Graph::matmul(Tensor left, std::optional<int64_t> wanted) {
  Type elementType = left.elementType();
  int64_t rank = left.rank(), inner = left.shape.back();
  int64_t columns =
      wanted ? *wanted : random.pick<int64_t>({1, 2, 3, 8, 16, 17, 32, 48, 64});
  SmallVector<int64_t> rightShape{inner, columns};
  SmallVector<int64_t> shape(left.shape);
  SmallVector<OpFoldResult> sizes = dims(left);
  bool isVector = rank <= 2 && !wanted && random.chance(20);
  if (rank == 3) {
    if (left.type().isDynamicDim(0))
      return genericMatmul(left);
    rightShape.insert(rightShape.begin(), left.shape[0]);
  }
  if (isVector && rank == 2) {
    rightShape.pop_back();
    shape.pop_back();
    sizes.pop_back();
  } else {
    shape.back() = columns;
    sizes.back() = b.getIndexAttr(columns);
  }
  budget -= left.size() * columns;
  if (budget < 0 || rank < 1 || rank > 3)
    return {};
  Tensor right = parameter(rightShape, elementType);
  Tensor init = initial(shape, sizes, accumulator(elementType),
                        int64_t(shape.size()) - 1);
  bool hasZeroPoints =
      elementType.isInteger(8) && rank >= 2 && !isVector && random.chance(40);
  SmallVector<Value> operands{left.value, right.value};
  if (hasZeroPoints)
    for (int i = 0; i < 2; ++i)
      operands.push_back(scalar(b.getI32Type(), double(random.range(-9, 9))));
  auto create =
      rank == 1 ? createProduct<linalg::VecmatOp>
      : rank == 3
          ? (hasZeroPoints ? createProduct<linalg::QuantizedBatchMatmulOp>
                           : createProduct<linalg::BatchMatmulOp>)
      : isVector      ? createProduct<linalg::MatvecOp>
      : hasZeroPoints ? createProduct<linalg::QuantizedMatmulOp>
                      : createProduct<linalg::MatmulOp>;
  return result(create(b, operands, init.value), shape);
}

//===----------------------------------------------------------------------===//
// Generic products
//===----------------------------------------------------------------------===//

/// The last dim of `left`, or any, is summed; the others stay. The right side
/// has some of the batch dims, and its dims and the result's in any order.
Tensor Graph::genericMatmul(Tensor left) {
  int64_t rank = left.rank();
  if (rank < 1 || rank > 4 || left.size() == 0)
    return {};
  Type elementType = left.elementType();
  int64_t columns = random.pick<int64_t>({1, 2, 4, 8, 16, 19, 32});
  budget -= left.size() * columns;
  if (budget < 0)
    return {};
  int64_t inner = random.chance(70) ? rank - 1 : random.range(0, rank - 1);
  if (left.type().isDynamicDim(unsigned(inner)))
    return {};
  // Loops: left's dims, then the columns.
  SmallVector<AffineExpr> leftExprs, rightExprs, outExprs;
  SmallVector<int64_t> loopSizes(left.shape);
  SmallVector<OpFoldResult> loopDims = dims(left);
  loopSizes.push_back(columns);
  loopDims.push_back(b.getIndexAttr(columns));
  for (int64_t dim = 0; dim < rank; ++dim)
    leftExprs.push_back(b.getAffineDimExpr(unsigned(dim)));
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (dim != inner && !left.type().isDynamicDim(unsigned(dim)) &&
        random.chance(40))
      rightExprs.push_back(leftExprs[dim]);
  AffineExpr column = b.getAffineDimExpr(unsigned(rank));
  rightExprs.push_back(leftExprs[inner]);
  rightExprs.push_back(column);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != inner)
      outExprs.push_back(leftExprs[dim]);
  outExprs.push_back(column);
  auto shuffle = [&](SmallVector<AffineExpr> &exprs, int64_t percent) {
    for (size_t i = exprs.size(); i-- > 1;)
      if (random.chance(percent))
        std::swap(exprs[i], exprs[size_t(random.range(0, int64_t(i)))]);
  };
  shuffle(rightExprs, 50);
  shuffle(outExprs, 15);
  SmallVector<int64_t> rightShape, shape;
  SmallVector<OpFoldResult> sizes;
  auto getLoop = [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  };
  for (AffineExpr expr : rightExprs)
    rightShape.push_back(loopSizes[getLoop(expr)]);
  for (AffineExpr expr : outExprs) {
    shape.push_back(loopSizes[getLoop(expr)]);
    sizes.push_back(loopDims[getLoop(expr)]);
  }
  Tensor right = parameter(rightShape, elementType);
  Type sumType = accumulator(elementType);
  Tensor init = initial(shape, sizes, sumType, int64_t(shape.size()) - 1);
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef<AffineExpr>(leftExprs), ArrayRef<AffineExpr>(rightExprs),
        ArrayRef<AffineExpr>(outExprs)})
    maps.push_back(
        AffineMap::get(unsigned(rank) + 1, 0, exprs, b.getContext()));
  SmallVector<utils::IteratorType> iterators(size_t(rank) + 1,
                                             utils::IteratorType::parallel);
  iterators[size_t(inner)] = utils::IteratorType::reduction;
  SmallVector<Value> inputs{left.value, right.value};
  if (random.chance(30)) {
    std::swap(inputs[0], inputs[1]);
    std::swap(maps[0], maps[1]);
  }
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, inputs, ValueRange{init.value}, maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder outer = b;
        b = ImplicitLocOpBuilder(loc, builder);
        Value x = inType(args[0], sumType), y = inType(args[1], sumType), sum;
        if (isa<FloatType>(sumType)) {
          Value product = arith::MulFOp::create(b, x, y);
          sum = arith::AddFOp::create(b, product, args[2]);
        } else {
          Value product = arith::MulIOp::create(b, x, y);
          sum = arith::AddIOp::create(b, product, args[2]);
        }
        linalg::YieldOp::create(b, sum);
        b = outer;
      });
  return result(op, shape);
}
