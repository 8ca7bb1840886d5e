//===-- LoopRequirements.cpp - What loops expect of sizes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of a linalg op agree on trips, and windows stay inside their images.
//
//===----------------------------------------------------------------------===//

#include "RequirementAsserter.h"

using namespace mlir;
using namespace mlir::fusion;

/// Each dim that a loop steps through has the loop's number of trips; what is
/// indexed by an expression has all that it reaches.
void RequirementAsserter::askLoops(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !hasDynamicSize(op))
    return;
  SmallVector<Value> trips(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      Value given = size(operand.get(), dim);
      Value &known = trips[loop.getPosition()];
      if (known)
        requireEqual(known, given);
      else
        known = given;
    }
  }
  for (OpOperand &operand : op->getOpOperands())
    if (!op.isScalar(&operand))
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (!isa<AffineDimExpr>(expr))
          askWindow(op, expr, trips, operand.get(), dim);
}

/// The reach of `expr` if no loop occurs in it twice: then its ends are its
/// parts' ends.
std::optional<Reach> RequirementAsserter::getReach(AffineExpr expr,
                                                   ArrayRef<Value> trips) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    Value place = constant(number.getValue());
    return Reach{place, place, /*isDense=*/true};
  }
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    if (!trips[loop.getPosition()])
      return std::nullopt;
    Value first = constant(0);
    return Reach{first, add(trips[loop.getPosition()], -1), /*isDense=*/true};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  std::optional<Reach> a =
      binary ? getReach(binary.getLHS(), trips) : std::nullopt;
  if (!a)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<Reach> b = getReach(binary.getRHS(), trips);
    if (!b)
      return std::nullopt;
    Value low = add(a->low, b->low);
    return Reach{low, add(a->high, b->high), a->isDense && b->isDense};
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor)
    return std::nullopt;
  Value by = constant(factor.getValue());
  if (expr.getKind() == AffineExprKind::Mul) {
    Value low = multiply(a->low, by), high = multiply(a->high, by);
    if (factor.getValue() < 0)
      std::swap(low, high);
    return Reach{low, high, a->isDense && std::abs(factor.getValue()) <= 1};
  }
  if (factor.getValue() <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    Value low = divide(a->low, by);
    return Reach{low, divide(a->high, by), a->isDense};
  }
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    Value low = builder.createOrFold<arith::CeilDivSIOp>(loc, a->low, by);
    Value high = builder.createOrFold<arith::CeilDivSIOp>(loc, a->high, by);
    return Reach{low, high, a->isDense};
  }
  return getReachOfModulo(*a, factor.getValue());
}

/// What lies in one period keeps its order; what goes on into the next takes
/// the period's last place and its first.
Reach RequirementAsserter::getReachOfModulo(const Reach &reach,
                                            int64_t modulus) {
  Value by = constant(modulus), zero = constant(0);
  if (reach.isDense && matchPattern(reach.low, m_Zero()))
    return {zero, smaller(reach.high, constant(modulus - 1)), true};
  Value period = divide(reach.low, by), lastPeriod = divide(reach.high, by);
  Value low = subtract(reach.low, multiply(period, by));
  if (!reach.isDense) {
    Value high = subtract(reach.high, multiply(lastPeriod, by));
    Value first = smaller(low, high);
    return {first, larger(low, high), false};
  }
  // Without trips, `high` is less than `low`.
  Value distance = subtract(reach.high, reach.low);
  Value high = add(low, distance);
  Value isInOne = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, period, lastPeriod);
  low = builder.createOrFold<arith::SelectOp>(loc, isInOne, low, zero);
  Value most = constant(modulus - 1);
  high = builder.createOrFold<arith::SelectOp>(loc, isInOne, high, most);
  return {low, high, true};
}

void RequirementAsserter::askWindow(linalg::LinalgOp op, AffineExpr expr,
                                    ArrayRef<Value> trips, Value image,
                                    int64_t dim) {
  SmallVector<unsigned> occurrences(op.getNumLoops());
  expr.walk([&](AffineExpr part) {
    if (auto loop = dyn_cast<AffineDimExpr>(part))
      ++occurrences[loop.getPosition()];
  });
  if (llvm::any_of(occurrences, [](unsigned count) { return count > 1; }))
    return;
  std::optional<Reach> reach = getReach(expr, trips);
  if (!reach)
    return;
  StringRef what = "windows inside their image";
  Value room = size(image, dim);
  require(arith::CmpIPredicate::sge, reach->low, constant(0), what);
  Value end = add(reach->high, 1);
  require(arith::CmpIPredicate::sle, end, room, what);
}
