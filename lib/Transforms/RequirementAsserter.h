//===-- RequirementAsserter.h - Asserts what one op expects --- -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Requirements.cpp and LoopRequirements.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTASSERTER_H
#define FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTASSERTER_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fusion {

/// Two places that an index takes where its loops have trips: the first and the
/// last, but where it skips some between them and a `mod` turns them around.
struct Reach {
  Value low, high;
  /// Whether it takes all places between them.
  bool isDense;
};

class RequirementAsserter {
public:
  explicit RequirementAsserter(Operation *op)
      : name(op->getName().getStringRef()), loc(op->getLoc()), builder(op) {}

  void ask(Operation *op);
  SmallVector<cf::AssertOp> assertions;

private:
  // Requirements.cpp
  void askRoot(FusionRootOpInterface root);
  void askSlice(OffsetSizeAndStrideOpInterface op, Value whole);
  void askInserted(tensor::InsertSliceOp op);
  void askExpansion(tensor::ExpandShapeOp op);
  void askCast(tensor::CastOp op);
  void askIndices(Value tensor, ValueRange indices);

  // LoopRequirements.cpp
  void askLoops(linalg::LinalgOp op);
  /// `expr` indexes dim `dim` of `image`; `trips` are those of the op's loops.
  void askWindow(linalg::LinalgOp op, AffineExpr expr, ArrayRef<Value> trips,
                 Value image, int64_t dim);
  std::optional<Reach> getReach(AffineExpr expr, ArrayRef<Value> trips);
  Reach getReachOfModulo(const Reach &reach, int64_t modulus);

  void askSizes(ValueRange sizes) {
    for (Value size : sizes)
      require(arith::CmpIPredicate::sge, size, constant(0),
              "a size of at least 0");
  }

  void require(arith::CmpIPredicate predicate, Value a, Value b,
               StringRef what) {
    Value holds = builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
    if (matchPattern(holds, m_One()))
      return;
    std::string message = ("expected " + what + " in '" + name + "'").str();
    assertions.push_back(cf::AssertOp::create(builder, loc, holds, message));
  }
  void requireEqual(Value a, Value b) {
    require(arith::CmpIPredicate::eq, a, b, "sizes that agree");
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value size(Value tensor, int64_t dim) {
    return builder.createOrFold<tensor::DimOp>(loc, tensor, dim);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value add(Value a, int64_t b) { return add(a, constant(b)); }
  Value subtract(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value smaller(Value a, Value b) {
    return builder.createOrFold<arith::MinSIOp>(loc, a, b);
  }
  Value larger(Value a, Value b) {
    return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
  }
  Value divide(Value a, Value b) {
    return builder.createOrFold<arith::FloorDivSIOp>(loc, a, b);
  }
  Value value(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }

  StringRef name;
  Location loc;
  OpBuilder builder;
};

inline bool hasDynamicSize(Operation *op) {
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasRank() && !shaped.hasStaticShape();
  };
  return llvm::any_of(op->getOperandTypes(), isDynamic) ||
         llvm::any_of(op->getResultTypes(), isDynamic);
}

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTASSERTER_H
