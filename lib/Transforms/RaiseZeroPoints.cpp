//===-- RaiseZeroPoints.cpp - Zero points out of products -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of quantized numbers becomes a plain one and a correction of each
// channel, which a root's epilogue takes. Exact, since integers wrap.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "RaiseForm.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::GenericOp;
using linalg::LinalgOp;

namespace {
constexpr StringLiteral kLabel = "split-zero-points";

/// A zero point as something that the ops beside the product can read.
struct ZeroPoint {
  Value value;
  /// From the product's loops.
  AffineMap map;
  bool isZero = false;
};

struct ZeroPointPlan {
  /// The image or left matrix, and the filter or right matrix.
  BodyFactor input, weights;
  ZeroPoint inputZero, weightsZero;
};

/// `factor`'s zero point; 0 if there is none.
ZeroPoint findZeroPoint(LinalgOp op, const BodyFactor &factor) {
  AffineMap scalar = AffineMap::get(op.getNumLoops(), 0, op->getContext());
  Value value = factor.zeroPoint;
  if (!value)
    return {{}, scalar, true};
  if (matchPattern(value, m_Zero()))
    return {{}, scalar, true};
  if (Operation *cast = value.getDefiningOp();
      cast && cast->getBlock() == op.getBlock() &&
      !cast->hasTrait<OpTrait::ConstantLike>())
    value = cast->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
    TypedAttr constant = getConstantElement(operand->get());
    return {operand->get(), op.getMatchingIndexingMap(operand),
            constant && matchPattern(constant, m_Zero())};
  }
  return {value, scalar, matchPattern(value, m_Zero())};
}

/// True if all loops of `map`, which are dims or 0, are among `loops`.
bool readsOnly(AffineMap map, ArrayRef<unsigned> loops) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return llvm::is_contained(loops, dim.getPosition());
    return isa<AffineConstantExpr>(expr);
  });
}

FailureOr<ZeroPointPlan> planSplit(LinalgOp op, const ReductionBody &body,
                                   std::string &reason) {
  if (!body.hasZeroPoints())
    return refuse(reason, "expected zero points");
  if (!body.rhs)
    return refuse(reason, "not-raised: a root takes no zero points");
  if (failed(checkOperands(op, reason)))
    return failure();
  if (body.lhs.isUnsigned || body.rhs->isUnsigned)
    return refuse(reason, "unsupported-type: the elements are unsigned");
  ZeroPointPlan plan{body.lhs, *body.rhs, {}, {}};
  // Weights are read loop by loop, whole in each sum.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto mayBeWeights = [&](const BodyFactor &weights, const BodyFactor &input) {
    std::optional<SmallVector<unsigned>> loops =
        getPlainLoops(op.getMatchingIndexingMap(weights.operand));
    return loops &&
           llvm::all_of(reductions,
                        [&](unsigned loop) {
                          return llvm::is_contained(*loops, loop);
                        }) &&
           readsOnly(findZeroPoint(op, weights).map, *loops) &&
           readsOnly(findZeroPoint(op, input).map, {});
  };
  if (!mayBeWeights(plan.weights, plan.input))
    std::swap(plan.weights, plan.input);
  if (!mayBeWeights(plan.weights, plan.input))
    return refuse(reason, "map-mismatch: a zero point is not the same for all "
                          "elements of a sum");
  plan.inputZero = findZeroPoint(op, plan.input);
  plan.weightsZero = findZeroPoint(op, plan.weights);
  return plan;
}

/// `map`, from the product's loops, in a generic that has `loops` of them.
AffineMap rebase(AffineMap map, ArrayRef<unsigned> loops) {
  auto results = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return expr;
    auto *loop = llvm::find(loops, dim.getPosition());
    return getAffineDimExpr(loop - loops.begin(), map.getContext());
  });
  return AffineMap::get(loops.size(), 0, results, map.getContext());
}

/// Zero points out of a product of integers, with x, w extended:
///   sum (x - zx) * (w - zw)
///   -> sum x * (w - zw), less zx * sum (w - zw) in each channel
/// Each part is left out where its zero point is the constant 0.
struct SplitZeroPoints final : OpInterfaceRewritePattern<LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ReductionBody> body = matchReductionBody(op);
    if (!body)
      return rewriter.notifyMatchFailure(op, "expected a sum of products");
    std::string reason;
    FailureOr<ZeroPointPlan> plan = planSplit(op, *body, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    for (ZeroPoint *zero : {&plan->inputZero, &plan->weightsZero})
      if (Operation *constant =
              zero->value ? zero->value.getDefiningOp() : nullptr;
          constant && constant->getBlock() == op.getBlock())
        zero->value = rewriter.clone(*constant)->getResult(0);
    Value weights = subtractZero(rewriter, op, *plan);
    Value sum = createProduct(rewriter, op, *plan, weights);
    if (!plan->inputZero.isZero)
      sum = subtractCorrection(rewriter, op, *plan, weights, sum);
    remarkFused(
        op->getLoc(), kLabel,
        (op->getName().getStringRef() + " is a product and a sum").str());
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  static Type getType(LinalgOp op) {
    return getElementTypeOrScalar(op->getResult(0).getType());
  }
  static Value extend(OpBuilder &builder, Location loc, Value value,
                      Type type) {
    return convertScalarToDtype(builder, loc, value, type,
                                /*isUnsignedCast=*/false);
  }

  /// `w - zw` in the accumulator's type.
  static Value subtractZero(OpBuilder &builder, LinalgOp op,
                            const ZeroPointPlan &plan) {
    Value weights = plan.weights.operand->get();
    if (plan.weightsZero.isZero)
      return weights;
    Location loc = op->getLoc();
    Type type = getType(op);
    SmallVector<unsigned> loops =
        *getPlainLoops(op.getMatchingIndexingMap(plan.weights.operand));
    AffineMap identity = builder.getMultiDimIdentityMap(loops.size());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, weights), type);
    return GenericOp::create(
               builder, loc, empty.getType(),
               ValueRange{weights, plan.weightsZero.value}, empty,
               ArrayRef<AffineMap>{
                   identity, rebase(plan.weightsZero.map, loops), identity},
               SmallVector<utils::IteratorType>(loops.size(),
                                                utils::IteratorType::parallel),
               [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
                 Value lhs = extend(nested, bodyLoc, args[0], type);
                 Value rhs = extend(nested, bodyLoc, args[1], type);
                 Value difference =
                     arith::SubIOp::create(nested, bodyLoc, lhs, rhs);
                 linalg::YieldOp::create(nested, bodyLoc, difference);
               })
        .getResult(0);
  }

  /// The product without zero points.
  static Value createProduct(OpBuilder &builder, LinalgOp op,
                             const ZeroPointPlan &plan, Value weights) {
    OpOperand *init = op.getDpsInitOperand(0);
    Type type = getType(op);
    return GenericOp::create(
               builder, op->getLoc(), init->get().getType(),
               ValueRange{plan.input.operand->get(), weights}, init->get(),
               ArrayRef<AffineMap>{
                   op.getMatchingIndexingMap(plan.input.operand),
                   op.getMatchingIndexingMap(plan.weights.operand),
                   op.getMatchingIndexingMap(init)},
               op.getIteratorTypesArray(),
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 Value lhs = extend(nested, loc, args[0], type);
                 Value rhs = extend(nested, loc, args[1], type);
                 Value product = arith::MulIOp::create(nested, loc, lhs, rhs);
                 Value sum =
                     arith::AddIOp::create(nested, loc, args[2], product);
                 linalg::YieldOp::create(nested, loc, sum);
               })
        .getResult(0);
  }

  /// `sum - zx * sum of the weights`.
  static Value subtractCorrection(OpBuilder &builder, LinalgOp op,
                                  const ZeroPointPlan &plan, Value weights,
                                  Value sum) {
    Location loc = op->getLoc();
    Type type = getType(op);
    SmallVector<unsigned> loops =
        *getPlainLoops(op.getMatchingIndexingMap(plan.weights.operand));
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    SmallVector<utils::IteratorType> kinds;
    SmallVector<unsigned> channels;
    SmallVector<AffineExpr> channelDims;
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(tensor::getMixedSizes(
             builder, loc, plan.weights.operand->get()))) {
      kinds.push_back(iterators[loops[dim]]);
      if (kinds.back() == utils::IteratorType::reduction)
        continue;
      channels.push_back(loops[dim]);
      channelDims.push_back(builder.getAffineDimExpr(dim));
      sizes.push_back(size);
    }
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, type);
    Value filled =
        linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
    AffineMap channelMap =
        AffineMap::get(loops.size(), 0, channelDims, builder.getContext());
    // Apart from the zero point, which constant weights may not know.
    Value total =
        GenericOp::create(
            builder, loc, filled.getType(), weights, filled,
            ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(loops.size()),
                                channelMap},
            kinds,
            [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
              Value next =
                  arith::AddIOp::create(nested, bodyLoc, args[1],
                                        extend(nested, bodyLoc, args[0], type));
              linalg::YieldOp::create(nested, bodyLoc, next);
            })
            .getResult(0);
    AffineMap each = builder.getMultiDimIdentityMap(channels.size());
    Value correction =
        GenericOp::create(
            builder, loc, empty.getType(),
            ValueRange{total, plan.inputZero.value}, empty,
            ArrayRef<AffineMap>{each, rebase(plan.inputZero.map, channels),
                                each},
            SmallVector<utils::IteratorType>(channels.size(),
                                             utils::IteratorType::parallel),
            [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
              Value product =
                  arith::MulIOp::create(nested, bodyLoc, args[0],
                                        extend(nested, bodyLoc, args[1], type));
              linalg::YieldOp::create(nested, bodyLoc, product);
            })
            .getResult(0);

    // The channels among the result's dims.
    SmallVector<unsigned> resultLoops =
        *getPlainLoops(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
    int64_t rank = resultLoops.size();
    SmallVector<AffineExpr> at;
    for (unsigned loop : channels)
      at.push_back(builder.getAffineDimExpr(llvm::find(resultLoops, loop) -
                                            resultLoops.begin()));
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    Value result = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, sum), type);
    return GenericOp::create(
               builder, loc, sum.getType(), ValueRange{sum, correction}, result,
               ArrayRef<AffineMap>{
                   identity, AffineMap::get(rank, 0, at, builder.getContext()),
                   identity},
               SmallVector<utils::IteratorType>(rank,
                                                utils::IteratorType::parallel),
               [&](OpBuilder &nested, Location bodyLoc, ValueRange args) {
                 Value difference =
                     arith::SubIOp::create(nested, bodyLoc, args[0], args[1]);
                 linalg::YieldOp::create(nested, bodyLoc, difference);
               })
        .getResult(0);
  }
};
} // namespace

void fusion::explainZeroPoints(LinalgOp op, const ReductionBody &body) {
  std::string reason;
  if (failed(planSplit(op, body, reason)))
    remarkMissed(op.getLoc(), kLabel, reason);
}

void fusion::populateZeroPointPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<SplitZeroPoints>({kLabel}, patterns.getContext());
}
