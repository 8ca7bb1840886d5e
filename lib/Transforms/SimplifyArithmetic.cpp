//===-- SimplifyArithmetic.cpp - Cheaper forms of arithmetic --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that change a last bit, or the sign of a zero (phase 4, last).
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
/// Off by a last bit, and many times faster: CPUs divide slowly.
struct MultiplyByReciprocal final : RoundingPattern<arith::DivFOp> {
  using RoundingPattern::RoundingPattern;
  LogicalResult simplify(arith::DivFOp op,
                         PatternRewriter &rewriter) const override {
    APFloat divisor(0.0f);
    if (!isFine(op.getType()) ||
        !matchPattern(op.getRhs(), m_ConstantFloat(&divisor)))
      return rewriter.notifyMatchFailure(
          op, "expected an f32 or f64 divided by a constant");
    APFloat reciprocal = APFloat::getOne(divisor.getSemantics());
    reciprocal.divide(divisor, APFloat::rmNearestTiesToEven);
    if (!reciprocal.isNormal())
      return rewriter.notifyMatchFailure(op, "expected a normal reciprocal");
    remarkFused(op.getLoc(), "multiply-by-reciprocal",
                "a division by a constant is a multiplication");
    replaceByProduct(rewriter, op, op.getLhs(), reciprocal);
    return success();
  }
};

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
    remarkFused(op.getLoc(), "merge-factors", "two constant factors are one");
    replaceByProduct(rewriter, op, inner->second, factor);
    rewriter.eraseOp(multiply);
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
    Value a = compare.getLhs(), b = compare.getRhs();
    Value chosen = op.getTrueValue(), other = op.getFalseValue();
    if (!(a == chosen && b == other) && !(a == other && b == chosen))
      return rewriter.notifyMatchFailure(op, "expected a choice of two values "
                                             "by which one is larger");
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
    rewriter.eraseOp(compare);
    return success();
  }
};
} // namespace

void fusion::populateSimplifyArithmeticPatterns(RewritePatternSet &patterns,
                                                FPAccuracy accuracy) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<MultiplyByReciprocal>({"multiply-by-reciprocal"},
                                              context, accuracy);
  patterns.addWithLabel<MergeFactors>({"merge-factors"}, context, accuracy);
  patterns.addWithLabel<OrderExtremum>({"order-extremum"}, context, accuracy);
}
