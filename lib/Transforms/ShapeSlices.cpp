//===-- ShapeSlices.cpp - Sizes that are known before a call --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward slices of scalars that end in sizes of a function's arguments.
//
//===----------------------------------------------------------------------===//

#include "ShapeSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<ArgumentSize> fusion::getDynamicSizes(TypeRange types) {
  SmallVector<ArgumentSize> sizes;
  for (auto [argument, type] : llvm::enumerate(types))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
        if (shaped.isDynamicDim(dim))
          sizes.push_back({static_cast<unsigned>(argument), dim});
  return sizes;
}

Value fusion::getGivenSize(OpBuilder &builder, func::FuncOp entry,
                           ArgumentSize size, ValueRange given) {
  auto type = cast<ShapedType>(entry.getArgumentTypes()[size.argument]);
  if (!type.isDynamicDim(size.dim))
    return arith::ConstantIndexOp::create(builder, entry.getLoc(),
                                          type.getDimSize(size.dim));
  SmallVector<ArgumentSize> sizes = getDynamicSizes(entry.getArgumentTypes());
  return given[llvm::find(sizes, size) - sizes.begin()];
}

std::optional<ArgumentSize> ShapeSlices::getArgumentSize(Value value) const {
  auto op = value.getDefiningOp<ShapedDimOpInterface>();
  if (!op)
    return {};
  auto argument = dyn_cast<BlockArgument>(op.getShapedValue());
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  if (!argument || argument.getOwner() != entry || !dim || *dim < 0 ||
      *dim >= cast<ShapedType>(argument.getType()).getRank())
    return {};
  return ArgumentSize{argument.getArgNumber(), *dim};
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

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

/// Makes `op`, which may have been guarded by its place, safe anywhere.
static void makeSafe(OpBuilder &builder, Operation *op) {
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

/// Whether `op` can run anywhere, if makeSafe had a look at it.
static bool canRunAnywhere(Operation *op) {
  // Powers of zero with a negative exponent divide by it.
  return isDivision(op) || (isPure(op) && !isa<math::IPowIOp>(op));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Value ShapeSlices::findObstacle(Value value) {
  auto [known, isNew] = obstacles.try_emplace(value, value);
  if (!isNew)
    return known->second;
  auto remember = [&](Value obstacle) {
    // The map may have grown.
    obstacles[value] = obstacle;
    return obstacle;
  };
  Operation *op = value.getDefiningOp();
  if (getArgumentSize(value) ||
      (throughLoops && scf::getForInductionVarOwner(value)))
    return remember({});
  if (!op || op->getNumRegions() != 0 || !canRunAnywhere(op))
    return value;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (!llvm::all_of(op->getResultTypes(), isScalar))
    return value;
  for (Value operand : op->getOperands()) {
    if (!isScalar(operand.getType()))
      return value;
    if (Value obstacle = findObstacle(operand))
      return remember(obstacle);
  }
  return remember({});
}

SmallVector<ArgumentSize> ShapeSlices::getSources(Value value) const {
  SmallVector<ArgumentSize> sources;
  SetVector<Value> all;
  all.insert(value);
  for (size_t i = 0; i < all.size(); ++i) {
    if (std::optional<ArgumentSize> size = getArgumentSize(all[i])) {
      if (!llvm::is_contained(sources, *size))
        sources.push_back(*size);
    } else if (Operation *op = all[i].getDefiningOp()) {
      all.insert_range(op->getOperands());
    } else if (scf::ForOp loop = scf::getForInductionVarOwner(all[i])) {
      all.insert(loop.getLowerBound());
      all.insert(loop.getUpperBound());
    }
  }
  return sources;
}

Value SliceCloner::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (std::optional<ArgumentSize> size = slices.getArgumentSize(value)) {
    Value given = getSize(*size);
    mapping.map(value, given);
    return given;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    clone(operand);
  makeSafe(builder, builder.clone(*op, mapping));
  return mapping.lookup(value);
}

std::optional<int64_t>
fusion::evaluateSlice(Value value, const ShapeSlices &slices,
                      llvm::function_ref<int64_t(ArgumentSize)> getSize,
                      DenseMap<Value, Attribute> &known) {
  auto evaluate = [&](auto &&self, Value value) -> Attribute {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Attribute result;
    if (std::optional<ArgumentSize> size = slices.getArgumentSize(value)) {
      result = IntegerAttr::get(value.getType(), getSize(*size));
    } else if (Operation *op = value.getDefiningOp()) {
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands())
        operands.push_back(self(self, operand));
      SmallVector<OpFoldResult> results;
      // Folding in place would change the op.
      OwningOpRef<Operation *> copy = op->clone();
      if (succeeded(copy->fold(operands, results)) && !results.empty()) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        result = dyn_cast<Attribute>(results[number]);
        if (auto same = dyn_cast_if_present<Value>(results[number]))
          result = self(self, same);
      }
    }
    return known[value] = result;
  };
  auto result = dyn_cast_or_null<IntegerAttr>(evaluate(evaluate, value));
  return result ? std::optional<int64_t>(result.getInt()) : std::nullopt;
}
