//===-- FusionMatmulOp.cpp - fusion.matmul --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relations, meaning and tiles of the matrix product.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

using utils::IteratorType;

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                     Value rhs, Value init, bool transposeLhs,
                     bool transposeRhs, MatrixLayout rhsLayout) {
  build(builder, state, roots::getResultTypes(init), lhs, rhs,
        /*epilogue=*/ValueRange{}, init,
        /*range=*/ValueRange{}, transposeLhs, transposeRhs, rhsLayout,
        builder.getArrayAttr({}));
  roots::addIdentityEpilogue(builder, state,
                             getElementTypeOrScalar(init.getType()));
}

ParseResult MatmulOp::parse(OpAsmParser &parser, OperationState &result) {
  return roots::parseRoot(parser, result, /*numInputs=*/2,
                          /*hasKind=*/false);
}

/// Size `fromEnd` dims before the end (1 is the last).
static int64_t sizeFromEnd(ShapedType type, int64_t fromEnd) {
  return type.getDimSize(type.getRank() - fromEnd);
}

int64_t MatmulOp::getM() { return sizeFromEnd(getInit().getType(), 2); }
int64_t MatmulOp::getN() { return sizeFromEnd(getInit().getType(), 1); }
int64_t MatmulOp::getK() {
  return sizeFromEnd(getLhs().getType(), getTransposeLhs() ? 2 : 1);
}

//===-- FusionRootOpInterface ---------------------------------------------===//

int64_t MatmulOp::getChannelDim() { return getInit().getType().getRank() - 1; }

OpOperand *MatmulOp::getWeights() { return &getRhsMutable(); }

int64_t MatmulOp::getWeightsChannelDim() {
  if (getRhsLayout() == MatrixLayout::Packed)
    return -1;
  return getRhs().getType().getRank() - (getTransposeRhs() ? 2 : 1);
}

OpOperand *MatmulOp::getPaddedInput() { return nullptr; }
SmallVector<int64_t> MatmulOp::getSpatialDims() { return {}; }
TypedAttr MatmulOp::getPaddingValue() { return {}; }
void MatmulOp::addPadding(ArrayRef<int64_t>, ArrayRef<int64_t>) {
  llvm_unreachable("a matmul takes no padding");
}

//===-- Verification ------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(roots::verifyRoot(*this)))
    return failure();
  ShapedType lhs = getLhs().getType(), rhs = getRhs().getType(),
             init = getInit().getType();
  bool packed = getRhsLayout() == MatrixLayout::Packed;
  if (init.getRank() < 2)
    return emitOpError("expected an init of rank at least 2, got rank ")
           << init.getRank();
  if (lhs.getRank() < 2 || lhs.getRank() > init.getRank())
    return emitOpError("expected a lhs of rank 2 to ")
           << init.getRank() << ", got rank " << lhs.getRank();
  if (packed ? rhs.getRank() != 3
             : rhs.getRank() < 2 || rhs.getRank() > init.getRank())
    return emitOpError("expected a rhs of rank ")
           << (packed ? "3" : "2 to " + Twine(init.getRank())) << ", got rank "
           << rhs.getRank();
  if (packed && getTransposeRhs())
    return emitOpError("expected no transpose_rhs with a packed rhs, got one");

  auto mismatch = [](int64_t want, int64_t got) {
    return !ShapedType::isDynamic(want) && !ShapedType::isDynamic(got) &&
           want != got;
  };
  int64_t m = sizeFromEnd(lhs, getTransposeLhs() ? 1 : 2);
  if (mismatch(getM(), m))
    return emitOpError("expected ") << getM() << " lhs rows, got " << m;
  int64_t k =
      packed ? rhs.getDimSize(1) : sizeFromEnd(rhs, getTransposeRhs() ? 1 : 2);
  if (mismatch(getK(), k))
    return emitOpError("expected ") << getK() << " rhs rows, got " << k;
  if (packed) {
    int64_t block = rhs.getDimSize(2), blocks = rhs.getDimSize(0);
    if (block < 1)
      return emitOpError("expected a static block of columns, got ") << rhs;
    int64_t n = getN();
    if (!ShapedType::isDynamic(n)) {
      int64_t want = llvm::divideCeil(n, block);
      if (mismatch(want, blocks))
        return emitOpError("expected ")
               << want << " blocks of columns, got " << blocks;
    }
  } else if (int64_t n = sizeFromEnd(rhs, getTransposeRhs() ? 2 : 1);
             mismatch(getN(), n)) {
    return emitOpError("expected ") << getN() << " rhs columns, got " << n;
  }

  // A packed rhs has no batch dims.
  for (ShapedType operand : {lhs, packed ? lhs : rhs})
    for (int64_t i = 3; i <= operand.getRank(); ++i) {
      int64_t want = sizeFromEnd(init, i), got = sizeFromEnd(operand, i);
      if (got != 1 && mismatch(want, got))
        return emitOpError("expected batch size ")
               << want << " or 1, got " << got << " in " << operand;
    }
  return success();
}

//===-- Meaning -----------------------------------------------------------===//

FailureOr<Value> MatmulOp::buildRoot(OpBuilder &builder) {
  Location loc = getLoc();
  MLIRContext *context = getContext();
  FusionRootOpInterface root = *this;
  int64_t rank = getInit().getType().getRank(), batch = rank - 2;
  Value rhs = getRhs();
  bool packed = getRhsLayout() == MatrixLayout::Packed;
  if (packed) {
    // [P, K, B] -> [K, P, B] -> [K, P * B] -> [K, N]
    auto type = cast<RankedTensorType>(rhs.getType());
    if (!type.hasStaticShape() || ShapedType::isDynamic(getN()))
      return emitOpError("expected a static shape to unpack the rhs"),
             failure();
    int64_t blocks = type.getDimSize(0), depth = type.getDimSize(1),
            block = type.getDimSize(2);
    Type element = type.getElementType();
    Value empty = tensor::EmptyOp::create(
        builder, loc, ArrayRef<int64_t>{depth, blocks, block}, element);
    Value byRow = linalg::TransposeOp::create(builder, loc, rhs, empty,
                                              ArrayRef<int64_t>{1, 0, 2})
                      ->getResult(0);
    Value merged = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get({depth, blocks * block}, element),
        byRow, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
    OpFoldResult zero = builder.getIndexAttr(0);
    rhs = roots::extractSlice(
        builder, loc, merged, {zero, zero},
        {builder.getIndexAttr(depth), builder.getIndexAttr(getN())});
  }

  // Loops: batch…, m, n, k.
  AffineExpr m = getAffineDimExpr(batch, context),
             n = getAffineDimExpr(batch + 1, context),
             k = getAffineDimExpr(batch + 2, context);
  auto map = [&](ShapedType type, bool transpose, AffineExpr row,
                 AffineExpr column) {
    SmallVector<AffineExpr> results;
    int64_t missing = rank - type.getRank();
    for (int64_t i = 0; i < type.getRank() - 2; ++i)
      results.push_back(type.getDimSize(i) == 1
                            ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(missing + i, context));
    if (transpose)
      std::swap(row, column);
    results.append({row, column});
    return AffineMap::get(rank + 1, 0, results, context);
  };
  Value acc = roots::createFilled(
      builder, root, builder.getZeroAttr(root.getAccumulatorType()));
  SmallVector<AffineMap> maps{
      map(getLhs().getType(), getTransposeLhs(), m, k),
      map(cast<ShapedType>(rhs.getType()), getTransposeRhs(), k, n),
      AffineMap::getMultiDimIdentityMap(rank + 1, context)
          .getMajorSubMap(rank)};
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, acc.getType(), ValueRange{getLhs(), rhs}, acc, maps,
             iterators,
             [](OpBuilder &nested, Location bodyLoc, ValueRange args) {
               Value sum = roots::createMultiplyAdd(nested, bodyLoc, args[2],
                                                    args[0], args[1]);
               linalg::YieldOp::create(nested, bodyLoc, sum);
             })
      .getResult(0);
}

//===-- Tiles -------------------------------------------------------------===//

LogicalResult MatmulOp::sliceInputs(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes,
                                    Operation *tile) {
  Location loc = getLoc();
  auto tiled = cast<MatmulOp>(tile);
  int64_t rank = getInit().getType().getRank();
  auto initSizes = tensor::getMixedSizes(builder, loc, getInit());
  auto slice = [&](Value operand, int64_t tiledFromEnd, int64_t initDim) {
    auto type = cast<ShapedType>(operand.getType());
    auto operandSizes = tensor::getMixedSizes(builder, loc, operand);
    SmallVector<OpFoldResult> operandOffsets(operandSizes.size(),
                                             builder.getIndexAttr(0));
    int64_t missing = rank - type.getRank();
    for (int64_t i = 0; i < type.getRank() - 2; ++i)
      if (type.getDimSize(i) != 1) {
        operandOffsets[i] = offsets[missing + i];
        operandSizes[i] = sizes[missing + i];
      }
    operandOffsets[type.getRank() - tiledFromEnd] = offsets[initDim];
    operandSizes[type.getRank() - tiledFromEnd] = sizes[initDim];
    return roots::extractSlice(builder, loc, operand, operandOffsets,
                               operandSizes);
  };
  bool packed = getRhsLayout() == MatrixLayout::Packed;
  // Blocks of packed columns are not cut.
  if (packed &&
      !isEqualConstantIntOrValue(sizes[rank - 1], initSizes[rank - 1]))
    return failure();
  tiled.getLhsMutable().assign(
      slice(getLhs(), getTransposeLhs() ? 1 : 2, rank - 2));
  if (!packed)
    tiled.getRhsMutable().assign(
        slice(getRhs(), getTransposeRhs() ? 2 : 1, rank - 1));
  return success();
}
