//===-- FusionDecompose.cpp - The meaning of roots in linalg --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A root decomposes into a generic that computes the bare root in the
// accumulator's type (buildRoot, by each op) and one that applies the epilogue.
// Generics rather than named ops: one form for every rank, layout and group.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

Value roots::padInput(OpBuilder &builder, Location loc, Value input,
                      ArrayRef<int64_t> dims, ArrayRef<int64_t> low,
                      ArrayRef<int64_t> high, TypedAttr value) {
  if (!hasPadding(low, high))
    return input;
  int64_t rank = cast<ShapedType>(input.getType()).getRank();
  SmallVector<OpFoldResult> lowPads(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> highPads = lowPads;
  for (auto [dim, lowPad, highPad] : llvm::zip_equal(dims, low, high)) {
    lowPads[dim] = builder.getIndexAttr(lowPad);
    highPads[dim] = builder.getIndexAttr(highPad);
  }
  Value fill = arith::ConstantOp::create(builder, loc, value);
  return tensor::PadOp::create(builder, loc, Type(), input, lowPads, highPads,
                               fill);
}

Value roots::createFilled(OpBuilder &builder, FusionRootOpInterface root,
                          TypedAttr value) {
  Location loc = root.getLoc();
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, root.getInitValue()),
      value.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value roots::createMultiplyAdd(OpBuilder &builder, Location loc, Value acc,
                               Value lhs, Value rhs) {
  Type type = acc.getType();
  lhs = convertScalarToDtype(builder, loc, lhs, type, /*isUnsignedCast=*/false);
  rhs = convertScalarToDtype(builder, loc, rhs, type, /*isUnsignedCast=*/false);
  if (isa<FloatType>(type)) {
    Value product = arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::AddFOp::create(builder, loc, acc, product);
  }
  Value product = arith::MulIOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, acc, product);
}

FailureOr<SmallVector<Value>>
fusion::decomposeRoot(OpBuilder &builder, FusionRootOpInterface root) {
  if (!root.hasPureTensorSemantics())
    return failure();
  FailureOr<Value> bare = root.buildRoot(builder);
  if (failed(bare))
    return failure();
  if (root.hasIdentityEpilogue())
    return SmallVector<Value>{*bare};

  int64_t rank = root.getInitType().getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs{*bare};
  SmallVector<AffineMap> maps{identity};
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    inputs.push_back(root.getEpilogueOperand(i));
    maps.push_back(getEpilogueMap(root, i));
  }
  maps.push_back(identity);
  Value init = root.getInitValue();
  auto epilogue = linalg::GenericOp::create(
      builder, root.getLoc(), init.getType(), inputs, init, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        // The generic's last argument is the init's element, which the epilogue
        // may or may not take.
        ValueRange taken = root.readsInit() ? arguments : arguments.drop_back();
        linalg::YieldOp::create(nested, loc,
                                cloneEpilogue(nested, root, taken));
      });
  return SmallVector<Value>{epilogue.getResult(0)};
}
