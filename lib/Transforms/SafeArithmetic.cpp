//===-- SafeArithmetic.cpp - Arithmetic that may run anywhere -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions do not trap, and what would be poison is some number.
//
//===----------------------------------------------------------------------===//

#include "SafeArithmetic.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Divisions ---------------------------------------------------------===//

static bool isSignedDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
             arith::RemSIOp, index::DivSOp, index::CeilDivSOp,
             index::FloorDivSOp, index::RemSOp>(op);
}

static bool isDivision(Operation *op) {
  return isSignedDivision(op) ||
         isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, index::DivUOp,
             index::CeilDivUOp, index::RemUOp>(op);
}

/// Divides by one where `op` would trap: by zero, and the least number by -1.
static void divideSafely(OpBuilder &builder, Operation *op) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  APInt constant;
  if (matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero() &&
      !constant.isAllOnes())
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Type type = divisor.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto isEqual = [&](Value value, const APInt &to) -> Value {
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, to));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 constant);
  };
  Value traps = isEqual(divisor, APInt::getZero(width));
  // Sizes are not negative, but what is computed of them may be.
  if (isSignedDivision(op)) {
    Value isNegation = isEqual(divisor, APInt::getAllOnes(width));
    Value overflows = arith::AndIOp::create(
        builder, loc, isNegation,
        isEqual(dividend, APInt::getSignedMinValue(width)));
    traps = arith::OrIOp::create(builder, loc, traps, overflows);
  }
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 1));
  op->setOperand(1, arith::SelectOp::create(builder, loc, traps, one, divisor));
}

namespace {
/// Makes the divisors of affine expressions, which are positive where they are
/// meant to be computed, positive everywhere.
class DivisorGuard {
public:
  DivisorGuard(OpBuilder &builder, Location loc, AffineMap map,
               ValueRange operands)
      : builder(builder), loc(loc), map(map), operands(operands) {}

  AffineExpr guard(AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return expr;
    AffineExpr lhs = guard(binary.getLHS()), rhs = guard(binary.getRHS());
    bool divides =
        llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::CeilDiv,
                            AffineExprKind::Mod},
                           expr.getKind());
    if (divides && !isa<AffineConstantExpr>(rhs)) {
      Value divisor =
          affine::AffineApplyOp::create(builder, loc, getMap(rhs), getAll());
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      added.push_back(arith::MaxSIOp::create(builder, loc, divisor, one));
      rhs = builder.getAffineSymbolExpr(map.getNumSymbols() + added.size() - 1);
    }
    return getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
  }

  AffineMap getMap(ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(map.getNumDims(), map.getNumSymbols() + added.size(),
                          exprs, builder.getContext());
  }
  SmallVector<Value> getAll() const {
    SmallVector<Value> all(operands);
    llvm::append_range(all, added);
    return all;
  }

private:
  OpBuilder &builder;
  Location loc;
  AffineMap map;
  ValueRange operands;
  SmallVector<Value> added;
};
} // namespace

template <typename OpTy>
static void guardDivisors(OpBuilder &builder, OpTy op) {
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPoint(op);
  AffineMap map = op.getMap();
  DivisorGuard guard(builder, op.getLoc(), map, op.getOperands());
  auto exprs = llvm::map_to_vector(
      map.getResults(), [&](AffineExpr expr) { return guard.guard(expr); });
  SmallVector<Value> operands = guard.getAll();
  if (operands.size() == op->getNumOperands())
    return;
  op.setMap(guard.getMap(exprs));
  op->setOperands(operands);
}

//===-- Poison ------------------------------------------------------------===//

/// Shifts by nothing where `op` shifts by more than there is.
static void shiftSafely(OpBuilder &builder, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value amount = op->getOperand(1);
  Type type = amount.getType();
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  APInt constant;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (matchPattern(amount, m_ConstantInt(&constant)) && constant.ult(width))
    return;
  // A number of `width` may have no place in its own type: i1, i2.
  Value last = getConstant(width - 1), none = getConstant(0);
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule, amount, last);
  op->setOperand(1,
                 arith::SelectOp::create(builder, loc, isInside, amount, none));
}

/// Converts zero where `op` converts a number that its type does not have.
static void convertSafely(OpBuilder &builder, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto type = cast<FloatType>(x.getType());
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  bool isSigned = isa<arith::FPToSIOp>(op);
  auto getConstant = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  auto isBeside = [&](arith::CmpFPredicate predicate, APFloat bound) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, x,
                                 getConstant(bound));
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // Infinity if the type of floats ends before.
  APFloat end =
      llvm::scalbn(APFloat::getOne(semantics), isSigned ? width - 1 : width,
                   APFloat::rmNearestTiesToEven);
  APFloat begin = isSigned ? -end : APFloat::getOne(semantics, true);
  Value isAbove =
      isBeside(isSigned && end.isFinite() ? arith::CmpFPredicate::OGE
                                          : arith::CmpFPredicate::OGT,
               begin);
  Value isBelow = isBeside(arith::CmpFPredicate::OLT, end);
  Value isInside = arith::AndIOp::create(builder, loc, isAbove, isBelow);
  Value zero = getConstant(APFloat::getZero(semantics));
  op->setOperand(0, arith::SelectOp::create(builder, loc, isInside, x, zero));
}

/// Promises may hold only where the place of `op` is reached.
static void dropPromises(Operation *op) {
  MLIRContext *context = op->getContext();
  if (auto integers = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(integers.getIntegerOverflowAttrName(),
                arith::IntegerOverflowFlagsAttr::get(
                    context, arith::IntegerOverflowFlags::none));
  if (auto floats = dyn_cast<arith::ArithFastMathInterface>(op))
    op->setAttr(
        floats.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::none));
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [](auto exact) { exact.setIsExact(false); });
}

//===-- Interface ---------------------------------------------------------===//

void fusion::makeSafe(OpBuilder &builder, Operation *op) {
  dropPromises(op);
  if (isDivision(op))
    return divideSafely(builder, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, index::ShlOp,
            index::ShrSOp, index::ShrUOp>(
          [&](auto shift) { shiftSafely(builder, shift); })
      .Case<arith::FPToSIOp, arith::FPToUIOp>(
          [&](auto conversion) { convertSafely(builder, conversion); })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto affineOp) { guardDivisors(builder, affineOp); });
}

bool fusion::canRunAnywhere(Operation *op) {
  // Powers of zero with a negative exponent divide by it.
  return isDivision(op) || (isPure(op) && !isa<math::IPowIOp>(op));
}
