//===-- SimplifyArithmetic.cpp - Cheaper forms of arithmetic --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that change a last bit, or the sign of a zero, but no decision (phase
// 4, last).
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

/// True if a rounding of `type` is small: not of f16 and bf16.
static bool isFine(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

/// The constant factor of `multiply` and the other one.
static std::optional<std::pair<APFloat, Value>>
getConstantFactor(arith::MulFOp multiply) {
  APFloat factor(0.0f);
  if (matchPattern(multiply.getRhs(), m_ConstantFloat(&factor)))
    return std::pair(factor, multiply.getLhs());
  if (matchPattern(multiply.getLhs(), m_ConstantFloat(&factor)))
    return std::pair(factor, multiply.getRhs());
  return std::nullopt;
}

static void replaceByProduct(PatternRewriter &rewriter, Operation *op, Value x,
                             const APFloat &factor) {
  Type type = op->getResult(0).getType();
  TypedAttr attribute;
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, factor);
  else
    attribute = FloatAttr::get(type, factor);
  Value constant = arith::ConstantOp::create(rewriter, op->getLoc(), attribute);
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, x, constant);
}

//===-- Decisions ---------------------------------------------------------===//

/// True if `op` yields one of the two that it compares: the larger or smaller.
static bool isExtremum(Operation *op, arith::CmpFOp compare) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || select.getCondition() != compare)
    return false;
  Value a = compare.getLhs(), b = compare.getRhs();
  Value chosen = select.getTrueValue(), other = select.getFalseValue();
  return (chosen == a && other == b) || (chosen == b && other == a);
}

/// True if a last bit of `op`'s operand can make another result of it: where it
/// rounds, or yields no float, as comparisons and conversions do.
static bool decides(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return !llvm::all_of(compare->getUsers(), [&](Operation *user) {
      return isExtremum(user, compare);
    });
  return isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
             math::TruncOp, arith::RemFOp>(op) ||
         !llvm::all_of(op->getResultTypes(), [](Type type) {
           return isa<FloatType>(getElementTypeOrSelf(type));
         });
}

/// Adds to `values` what `use`, an operand of a terminator, is outside of the
/// region. False if it is not known. What is summed there goes no further: a
/// sum's last bits are those of its order.
static bool followYield(OpOperand &use, SmallVectorImpl<Value> &values) {
  Operation *parent = use.getOwner()->getParentOp();
  if (auto symbol = dyn_cast<SymbolOpInterface>(parent))
    return symbol.isPublic();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(parent))
    if (linalgOp.getNumReductionLoops() != 0 &&
        use.get().getDefiningOp<arith::AddFOp>())
      return true;
  // On memrefs there are no results.
  if (!isa<linalg::LinalgOp, FusionRootOpInterface, tensor::PadOp,
           tensor::GenerateOp>(parent) ||
      use.getOperandNumber() >= parent->getNumResults())
    return false;
  values.push_back(parent->getResult(use.getOperandNumber()));
  return true;
}

/// Adds to `values` what of an epilogue `use` is. Sums of it stay what they
/// are.
static void followIntoRoot(FusionRootOpInterface root, OpOperand &use,
                           SmallVectorImpl<Value> &values) {
  Block &block = root.getEpilogueBlock();
  MutableOperandRange epilogue = root.getEpilogueMutable();
  for (unsigned i = 0, e = epilogue.size(); i < e; ++i)
    if (&epilogue[i] == &use)
      return values.push_back(root.getEpilogueArgument(i));
  auto pool = dyn_cast<PoolOp>(root.getOperation());
  if (root.isDpsInit(&use)) {
    if (root.readsInit())
      values.push_back(block.getArguments().back());
  } else if (pool && pool.getKind() == PoolKind::Max) {
    values.push_back(block.getArgument(0));
  }
}

/// True if `first` may reach, through elementwise arithmetic, moves of elements
/// and maxima, what a last bit makes another result of.
static bool reachesDecision(Value first) {
  SmallVector<Value> values = {first};
  SmallPtrSet<Value, 16> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto root = dyn_cast<FusionRootOpInterface>(user)) {
        followIntoRoot(root, use, values);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user)) {
        values.push_back(linalgOp.getMatchingBlockArgument(&use));
      } else if (user->hasTrait<OpTrait::IsTerminator>()) {
        if (!followYield(use, values))
          return true;
      } else if (isa<arith::CmpFOp>(user)) {
        if (decides(user))
          return true;
      } else if (!isa<tensor::DimOp>(user)) {
        // Nothing is known of others' ops.
        if (!isa_and_present<arith::ArithDialect, math::MathDialect,
                             tensor::TensorDialect, linalg::LinalgDialect>(
                user->getDialect()) ||
            decides(user))
          return true;
        llvm::append_range(values, user->getResults());
      }
    }
  }
  return false;
}

//===-- The rules ---------------------------------------------------------===//

namespace {
/// A rule that does nothing under strict.
template <typename OpTy>
struct RoundingPattern : OpRewritePattern<OpTy> {
  RoundingPattern(MLIRContext *context, FPAccuracy accuracy)
      : OpRewritePattern<OpTy>(context), accuracy(accuracy) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (accuracy == FPAccuracy::Strict)
      return rewriter.notifyMatchFailure(op, "expected no strict arithmetic");
    return simplify(op, rewriter);
  }
  virtual LogicalResult simplify(OpTy op, PatternRewriter &rewriter) const = 0;
  FPAccuracy accuracy;
};

/// x / c -> x * (1 / c)
/// Off by a last bit unless c is a power of two, and many times faster: CPUs
/// divide slowly.
struct MultiplyByReciprocal final : RoundingPattern<arith::DivFOp> {
  using RoundingPattern::RoundingPattern;
  LogicalResult simplify(arith::DivFOp op,
                         PatternRewriter &rewriter) const override {
    APFloat divisor(0.0f);
    if (!isFine(op.getType()) ||
        !matchPattern(op.getRhs(), m_ConstantFloat(&divisor)))
      return rewriter.notifyMatchFailure(
          op, "expected an f32 or f64 divided by a constant");
    APFloat reciprocal(0.0f);
    if (!divisor.getExactInverse(&reciprocal)) {
      reciprocal = APFloat::getOne(divisor.getSemantics());
      reciprocal.divide(divisor, APFloat::rmNearestTiesToEven);
      if (!reciprocal.isNormal())
        return rewriter.notifyMatchFailure(op, "expected a normal reciprocal");
      if (reachesDecision(op))
        return rewriter.notifyMatchFailure(
            op, "expected a quotient that is not rounded or compared");
    }
    remarkFused(op.getLoc(), "multiply-by-reciprocal",
                "a division by a constant is a multiplication");
    replaceByProduct(rewriter, op, op.getLhs(), reciprocal);
    return success();
  }
};

/// True if x * c leaves the normal range only where x * c * d leaves it at the
/// same end: neither of the factors undoes what the other does.
static bool areOfOneSide(APFloat c, APFloat d) {
  APFloat one = APFloat::getOne(c.getSemantics());
  c.clearSign();
  d.clearSign();
  return (c <= one && d <= one) || (c >= one && d >= one);
}

/// (x * c) * d -> x * (c * d)
struct MergeFactors final : RoundingPattern<arith::MulFOp> {
  using RoundingPattern::RoundingPattern;
  LogicalResult simplify(arith::MulFOp op,
                         PatternRewriter &rewriter) const override {
    auto outer = getConstantFactor(op);
    auto multiply =
        outer ? outer->second.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    auto inner = multiply ? getConstantFactor(multiply) : std::nullopt;
    if (!isFine(op.getType()) || !inner || !multiply->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "expected two constant factors in f32 or f64");
    APFloat factor = inner->first;
    factor.multiply(outer->first, APFloat::rmNearestTiesToEven);
    if (!factor.isNormal())
      return rewriter.notifyMatchFailure(op, "expected a normal product");
    if (!areOfOneSide(inner->first, outer->first))
      return rewriter.notifyMatchFailure(
          op, "expected both factors to enlarge or both to reduce");
    if (reachesDecision(op))
      return rewriter.notifyMatchFailure(
          op, "expected a product that is not rounded or compared");
    remarkFused(op.getLoc(), "merge-factors", "two constant factors are one");
    replaceByProduct(rewriter, op, inner->second, factor);
    return success();
  }
};

/// select(x ult c, c, x) -> select(x ogt c, x, c)
/// What is one instruction of x86: the second operand if any is NaN, or both
/// are zeros. NaNs come out as before, zeros perhaps with the other sign.
struct OrderExtremum final : RoundingPattern<arith::SelectOp> {
  using RoundingPattern::RoundingPattern;
  LogicalResult simplify(arith::SelectOp op,
                         PatternRewriter &rewriter) const override {
    auto compare = op.getCondition().getDefiningOp<arith::CmpFOp>();
    if (!compare || !compare->hasOneUse())
      return rewriter.notifyMatchFailure(op, "expected a comparison");
    if (!isExtremum(op, compare))
      return rewriter.notifyMatchFailure(op, "expected a choice of two values "
                                             "by which one is larger");
    Value a = compare.getLhs(), b = compare.getRhs();
    Value chosen = op.getTrueValue(), other = op.getFalseValue();
    using Predicate = arith::CmpFPredicate;
    Predicate predicate;
    switch (compare.getPredicate()) {
    case Predicate::ULT:
    case Predicate::ULE:
      std::swap(chosen, other);
      [[fallthrough]];
    case Predicate::OGE:
      predicate = Predicate::OGT;
      break;
    case Predicate::UGT:
    case Predicate::UGE:
      std::swap(chosen, other);
      [[fallthrough]];
    case Predicate::OLE:
      predicate = Predicate::OLT;
      break;
    default:
      return rewriter.notifyMatchFailure(op, "expected another predicate");
    }
    remarkFused(op.getLoc(), "order-extremum",
                "the larger or smaller of two takes one instruction");
    Value condition =
        arith::CmpFOp::create(rewriter, op.getLoc(), predicate, a, b);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, condition, chosen, other);
    return success();
  }
};
} // namespace

void fusion::populateSimplifyArithmeticPatterns(RewritePatternSet &patterns,
                                                FPAccuracy accuracy) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<MultiplyByReciprocal>(
      {"multiply-by-reciprocal", kRounds}, context, accuracy);
  patterns.addWithLabel<MergeFactors>({"merge-factors", kRounds}, context,
                                      accuracy);
  patterns.addWithLabel<OrderExtremum>({"order-extremum", kRounds}, context,
                                       accuracy);
}
