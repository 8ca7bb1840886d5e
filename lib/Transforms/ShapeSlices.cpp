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

void fusion::visitPartsFirst(
    Value value,
    llvm::function_ref<void(Value, SmallVectorImpl<Value> &)> addParts,
    llvm::function_ref<void(Value)> visit) {
  DenseSet<Value> met;
  // With whether its parts have been visited.
  SmallVector<std::pair<Value, bool>> stack{{value, false}};
  SmallVector<Value> parts;
  while (!stack.empty()) {
    auto &[current, isReady] = stack.back();
    if (isReady || !met.insert(current).second) {
      Value done = isReady ? current : Value();
      stack.pop_back();
      if (done)
        visit(done);
      continue;
    }
    isReady = true;
    parts.clear();
    addParts(current, parts);
    for (Value part : llvm::reverse(parts))
      stack.push_back({part, false});
  }
}

static bool isScalar(Value value) {
  return value.getType().isIntOrIndexOrFloat();
}

/// True if `value` is computed from scalars by what can run anywhere.
static bool isScalarArithmetic(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && canRunAnywhere(op) &&
         llvm::all_of(op->getResults(), isScalar) &&
         llvm::all_of(op->getOperands(), isScalar);
}

bool ShapeSlices::isSource(Value value) const {
  return getArgumentSize(value) ||
         (throughLoops && scf::getForInductionVarOwner(value));
}

Value ShapeSlices::findObstacle(Value value) {
  auto addParts = [&](Value current, SmallVectorImpl<Value> &parts) {
    if (!obstacles.contains(current) && !isSource(current) &&
        isScalarArithmetic(current))
      llvm::append_range(parts, current.getDefiningOp()->getOperands());
  };
  auto find = [&](Value current) -> Value {
    if (isSource(current))
      return {};
    if (!isScalarArithmetic(current))
      return current;
    for (Value operand : current.getDefiningOp()->getOperands()) {
      // What waits for itself is known to nobody.
      auto known = obstacles.find(operand);
      if (known == obstacles.end() || known->second)
        return known == obstacles.end() ? operand : known->second;
    }
    return {};
  };
  visitPartsFirst(value, addParts, [&](Value current) {
    if (!obstacles.contains(current)) {
      Value obstacle = find(current);
      obstacles[current] = obstacle;
    }
  });
  return obstacles.lookup(value);
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

void SliceCloner::cloneOp(Value value) {
  if (mapping.contains(value))
    return;
  if (std::optional<ArgumentSize> size = slices.getArgumentSize(value))
    return mapping.map(value, getSize(*size));
  makeSafe(builder, builder.clone(*value.getDefiningOp(), mapping));
}

Value SliceCloner::clone(Value value) {
  visitPartsFirst(
      value,
      [&](Value current, SmallVectorImpl<Value> &parts) {
        if (!mapping.contains(current) && !slices.getArgumentSize(current))
          llvm::append_range(parts, current.getDefiningOp()->getOperands());
      },
      [&](Value current) { cloneOp(current); });
  return mapping.lookup(value);
}

/// What the op of `value` folds to if its operands are `known`; null if it does
/// not fold.
static Attribute foldOne(Value value, const DenseMap<Value, Attribute> &known) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return known.lookup(operand); });
  SmallVector<OpFoldResult> results;
  // Folding in place would change the op.
  OwningOpRef<Operation *> copy = op->clone();
  if (failed(copy->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  auto same = dyn_cast<Value>(result);
  return same ? known.lookup(same) : cast<Attribute>(result);
}

std::optional<int64_t>
fusion::evaluateSlice(Value value, const ShapeSlices &slices,
                      llvm::function_ref<int64_t(ArgumentSize)> getSize,
                      DenseMap<Value, Attribute> &known) {
  visitPartsFirst(
      value,
      [&](Value current, SmallVectorImpl<Value> &parts) {
        Operation *op = current.getDefiningOp();
        if (op && !known.contains(current) && !slices.getArgumentSize(current))
          llvm::append_range(parts, op->getOperands());
      },
      [&](Value current) {
        if (known.contains(current))
          return;
        std::optional<ArgumentSize> size = slices.getArgumentSize(current);
        Attribute result =
            size ? IntegerAttr::get(current.getType(), getSize(*size))
                 : foldOne(current, known);
        known[current] = result;
      });
  auto result = dyn_cast_or_null<IntegerAttr>(known.lookup(value));
  return result ? std::optional<int64_t>(result.getInt()) : std::nullopt;
}
