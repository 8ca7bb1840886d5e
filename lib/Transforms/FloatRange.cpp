//===-- FloatRange.cpp - What a float may be ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals in f64, rounded outwards to the type of the value: rounding is
// monotonic, so that a bound of the exact result is one of the rounded result.
//
//===----------------------------------------------------------------------===//

#include "FloatRange.h"
#include "ConstantData.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

/// How far back it is looked: work stays linear in the number of assertions.
static constexpr unsigned kMaxDepth = 64;

/// Larger constants may be anything: none that an assertion is about is.
static constexpr int64_t kMaxElements = 64 * 1024;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether f64 holds all numbers of `type`, and `type` an infinity: others
/// round to NaN or to their largest number what is larger.
static bool isKnown(Type type) {
  auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return floatType && APFloat::isIEEELikeFP(floatType.getFloatSemantics()) &&
         floatType.getFPMantissaWidth() <= 53 && floatType.getWidth() <= 64;
}

/// `range` in the numbers of `floatType`.
static FloatRange roundTo(FloatRange range, FloatType floatType) {
  auto round = [&](double value, APFloat::roundingMode mode) {
    APFloat number(value);
    bool lost;
    number.convert(floatType.getFloatSemantics(), mode, &lost);
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number.convertToDouble();
  };
  range.low = round(range.low, APFloat::rmTowardNegative);
  range.high = round(range.high, APFloat::rmTowardPositive);
  return range;
}

static FloatRange unite(FloatRange a, FloatRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high),
          a.mayBeNaN || b.mayBeNaN};
}

/// The range of a monotonic function's or a product's corners; a corner that is
/// NaN (infinity minus infinity, infinity by zero) is one that may occur.
static FloatRange fromCorners(ArrayRef<double> corners, bool mayBeNaN) {
  FloatRange range{kInfinity, -kInfinity, mayBeNaN};
  for (double corner : corners) {
    if (std::isnan(corner))
      return FloatRange();
    range.low = std::min(range.low, corner);
    range.high = std::max(range.high, corner);
  }
  return range;
}

static bool writesEachElementOnce(LinalgOp op, OpOperand &init) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(&init).isPermutation();
}

FloatRange FloatRanges::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == kMaxDepth)
    return FloatRange();
  // What leads back to itself (a loop) may be anything.
  known[value] = FloatRange();
  ++depth;
  FloatRange range = compute(value);
  --depth;
  known[value] = range;
  return range;
}

FloatRange FloatRanges::compute(Value value) {
  if (!isKnown(value.getType()))
    return FloatRange();
  if (auto number = dyn_cast_or_null<FloatAttr>(getConstantElement(value))) {
    double constant = number.getValueAsDouble();
    if (std::isnan(constant))
      return FloatRange();
    return {constant, constant, false};
  }
  if (ElementsAttr constant = getConstantTensor(value)) {
    if (constant.getNumElements() > kMaxElements)
      return FloatRange();
    std::optional<SmallVector<double>> elements = getAsDoubles(constant);
    if (!elements || elements->empty())
      return FloatRange();
    return fromCorners(*elements, false);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast_or_null<LinalgOp>(argument.getOwner()->getParentOp());
    if (!op || argument.getOwner() != op.getBlock())
      return FloatRange();
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    // What earlier iterations have written may be anything.
    if (op.isDpsInit(&operand) && !writesEachElementOnce(op, operand))
      return FloatRange();
    return get(operand.get());
  }
  Operation *source = value.getDefiningOp();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp, tensor::ExtractOp>(source))
    return get(source->getOperand(0));
  if (isa<LinalgOp>(source))
    return computeElements(cast<OpResult>(value));
  auto type = dyn_cast<FloatType>(value.getType());
  if (source->getNumResults() != 1 || !type)
    return FloatRange();
  return roundTo(computeOp(source), type);
}

FloatRange FloatRanges::computeElements(OpResult result) {
  auto op = cast<LinalgOp>(result.getOwner());
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  if (writesEachElementOnce(op, *init))
    return get(yielded);
  // Elements that no iteration writes are the init's.
  if (op.getNumParallelLoops() == op.getNumLoops())
    return unite(get(yielded), get(init->get()));
  // A sum of what is not negative, and a maximum, are no less than the start.
  BlockArgument out = op.getRegionOutputArgs()[result.getResultNumber()];
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 ||
      combiner->getOperand(0) == combiner->getOperand(1) ||
      !llvm::is_contained(combiner->getOperands(), out) || !out.hasOneUse())
    return FloatRange();
  FloatRange start = get(init->get());
  FloatRange term =
      get(combiner->getOperand(combiner->getOperand(0) == out ? 1 : 0));
  bool mayBeNaN = start.mayBeNaN || term.mayBeNaN;
  if (isa<arith::AddFOp>(combiner) && start.low >= 0 && term.low >= 0)
    return {start.low, kInfinity, mayBeNaN};
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner))
    return unite(start, term);
  return FloatRange();
}

FloatRange FloatRanges::computeOp(Operation *op) {
  SmallVector<FloatRange, 3> in;
  bool mayBeNaN = false;
  for (Value operand : op->getOperands()) {
    in.push_back(get(operand));
    mayBeNaN |= isa<FloatType>(operand.getType()) && in.back().mayBeNaN;
  }
  // An op that grows with its operand.
  auto grows = [&](double (*function)(double)) -> FloatRange {
    return {function(in[0].low), function(in[0].high), mayBeNaN};
  };
  return llvm::TypeSwitch<Operation *, FloatRange>(op)
      .Case<arith::AddFOp>([&](auto) {
        return fromCorners({in[0].low + in[1].low, in[0].high + in[1].high,
                            in[0].low + in[1].high, in[0].high + in[1].low},
                           mayBeNaN);
      })
      .Case<arith::SubFOp>([&](auto) {
        return fromCorners({in[0].low - in[1].high, in[0].high - in[1].low,
                            in[0].low - in[1].low, in[0].high - in[1].high},
                           mayBeNaN);
      })
      .Case<arith::MulFOp>([&](auto mul) -> FloatRange {
        // A square: no infinity meets a zero.
        if (mul.getLhs() == mul.getRhs()) {
          double low =
              in[0].low <= 0 && in[0].high >= 0
                  ? 0
                  : std::min(std::abs(in[0].low), std::abs(in[0].high));
          double high = std::max(std::abs(in[0].low), std::abs(in[0].high));
          return {low * low, high * high, mayBeNaN};
        }
        // Between finite and infinite corners may lie zero times infinity.
        bool hasInfinity = std::isinf(in[0].low) || std::isinf(in[0].high) ||
                           std::isinf(in[1].low) || std::isinf(in[1].high);
        auto hasZero = [](FloatRange r) { return r.low <= 0 && r.high >= 0; };
        if (hasInfinity && (hasZero(in[0]) || hasZero(in[1])))
          return FloatRange();
        return fromCorners({in[0].low * in[1].low, in[0].low * in[1].high,
                            in[0].high * in[1].low, in[0].high * in[1].high},
                           mayBeNaN);
      })
      .Case<arith::DivFOp>([&](auto) -> FloatRange {
        // Of numbers on one side of zero.
        if (in[1].low <= 0 && in[1].high >= 0)
          return FloatRange();
        return fromCorners({in[0].low / in[1].low, in[0].low / in[1].high,
                            in[0].high / in[1].low, in[0].high / in[1].high},
                           mayBeNaN);
      })
      .Case<arith::NegFOp>([&](auto) -> FloatRange {
        return {-in[0].high, -in[0].low, mayBeNaN};
      })
      .Case<math::AbsFOp>([&](auto) -> FloatRange {
        double high = std::max(std::abs(in[0].low), std::abs(in[0].high));
        double low = in[0].low <= 0 && in[0].high >= 0
                         ? 0
                         : std::min(std::abs(in[0].low), std::abs(in[0].high));
        return {low, high, mayBeNaN};
      })
      .Case<arith::MaximumFOp>([&](auto) -> FloatRange {
        return {std::max(in[0].low, in[1].low),
                std::max(in[0].high, in[1].high), mayBeNaN};
      })
      .Case<arith::MinimumFOp>([&](auto) -> FloatRange {
        return {std::min(in[0].low, in[1].low),
                std::min(in[0].high, in[1].high), mayBeNaN};
      })
      .Case<arith::MaxNumFOp>([&](auto) -> FloatRange {
        // The other operand where one is NaN.
        FloatRange range{std::max(in[0].low, in[1].low),
                         std::max(in[0].high, in[1].high),
                         in[0].mayBeNaN && in[1].mayBeNaN};
        for (int i : {0, 1})
          if (in[1 - i].mayBeNaN)
            range.low = std::min(range.low, in[i].low);
        return range;
      })
      .Case<arith::MinNumFOp>([&](auto) -> FloatRange {
        FloatRange range{std::min(in[0].low, in[1].low),
                         std::min(in[0].high, in[1].high),
                         in[0].mayBeNaN && in[1].mayBeNaN};
        for (int i : {0, 1})
          if (in[1 - i].mayBeNaN)
            range.high = std::max(range.high, in[i].high);
        return range;
      })
      .Case<math::SqrtOp>([&](auto) -> FloatRange {
        if (in[0].low < 0)
          return {0, std::sqrt(std::max(in[0].high, 0.0)), true};
        return grows(std::sqrt);
      })
      // One ulp and more are given away by approximations.
      .Case<math::ExpOp>(
          [&](auto) -> FloatRange { return {0, kInfinity, mayBeNaN}; })
      .Case<math::TanhOp, math::ErfOp, math::SinOp, math::CosOp>(
          [&](Operation *inner) -> FloatRange {
            bool finite = std::isfinite(in[0].low) && std::isfinite(in[0].high);
            bool always = isa<math::TanhOp, math::ErfOp>(inner);
            return {-1, 1, mayBeNaN || (!always && !finite)};
          })
      .Case<math::FPowIOp>([&](auto power) -> FloatRange {
        APInt exponent;
        if (!matchPattern(power.getRhs(), m_ConstantInt(&exponent)) ||
            exponent[0])
          return FloatRange();
        return {0, kInfinity, mayBeNaN};
      })
      .Case<math::FloorOp>([&](auto) { return grows(std::floor); })
      .Case<math::CeilOp>([&](auto) { return grows(std::ceil); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return in[0]; })
      .Case<arith::UIToFPOp>([&](auto cast) -> FloatRange {
        unsigned width = cast.getIn().getType().getIntOrFloatBitWidth();
        return {0, std::ldexp(1.0, width), false};
      })
      .Case<arith::SIToFPOp>([&](auto cast) -> FloatRange {
        double bound =
            std::ldexp(1.0, cast.getIn().getType().getIntOrFloatBitWidth() - 1);
        return {-bound, bound, false};
      })
      .Case<arith::SelectOp>([&](auto select) {
        // max(x, c) as importers write it keeps x where it is NaN.
        FloatRange range = unite(in[1], in[2]);
        auto compare =
            select.getCondition().template getDefiningOp<arith::CmpFOp>();
        if (!compare)
          return range;
        Value lhs = compare.getLhs(), rhs = compare.getRhs();
        Value yes = select.getTrueValue(), no = select.getFalseValue();
        using P = arith::CmpFPredicate;
        bool greater = llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE},
                                          compare.getPredicate());
        bool less = llvm::is_contained({P::OLT, P::OLE, P::ULT, P::ULE},
                                       compare.getPredicate());
        bool straight = yes == lhs && no == rhs;
        bool crossed = yes == rhs && no == lhs;
        if ((greater && straight) || (less && crossed))
          range.low = std::max(get(lhs).low, get(rhs).low);
        if ((less && straight) || (greater && crossed))
          range.high = std::min(get(lhs).high, get(rhs).high);
        // Where one of the two is NaN, the other may be chosen unseen.
        bool isOrdered = llvm::is_contained({P::OGT, P::OGE, P::OLT, P::OLE},
                                            compare.getPredicate());
        Value chosen = isOrdered ? no : yes;
        if ((straight || crossed) && get(chosen == lhs ? rhs : lhs).mayBeNaN) {
          range.low = std::min(range.low, get(chosen).low);
          range.high = std::max(range.high, get(chosen).high);
        }
        return range;
      })
      .Default([](Operation *) { return FloatRange(); });
}

std::optional<bool> FloatRanges::decide(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  FloatRange a = get(op.getLhs()), b = get(op.getRhs());
  bool mayBeNaN = a.mayBeNaN || b.mayBeNaN;
  bool below = a.high<b.low, above = a.low> b.high;
  bool notAbove = a.high <= b.low, notBelow = a.low >= b.high;
  bool equal = a.low == a.high && b.low == b.high && a.low == b.low;
  bool yes = false, no = false, ordered = true;
  switch (op.getPredicate()) {
  case P::UEQ:
    ordered = false;
    [[fallthrough]];
  case P::OEQ:
    yes = equal, no = below || above;
    break;
  case P::UNE:
    ordered = false;
    [[fallthrough]];
  case P::ONE:
    yes = below || above, no = equal;
    break;
  case P::UGT:
    ordered = false;
    [[fallthrough]];
  case P::OGT:
    yes = above, no = notAbove;
    break;
  case P::UGE:
    ordered = false;
    [[fallthrough]];
  case P::OGE:
    yes = notBelow, no = below;
    break;
  case P::ULT:
    ordered = false;
    [[fallthrough]];
  case P::OLT:
    yes = below, no = notBelow;
    break;
  case P::ULE:
    ordered = false;
    [[fallthrough]];
  case P::OLE:
    yes = notAbove, no = above;
    break;
  case P::ORD:
    yes = true;
    break;
  case P::AlwaysTrue:
    return true;
  case P::AlwaysFalse:
    return false;
  default:
    return std::nullopt;
  }
  // With NaN an ordered comparison is false, another one true.
  if (yes && !(ordered && mayBeNaN))
    return true;
  if (no && !(!ordered && mayBeNaN))
    return false;
  return std::nullopt;
}
