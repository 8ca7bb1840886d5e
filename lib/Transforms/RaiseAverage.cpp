//===-- RaiseAverage.cpp - Sums that are divided by their count -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers compute how many elements of a window are no padding from the
// position, each in its own way. The rule does not know any of them: it
// computes the divisor for each position and compares.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

namespace {
constexpr StringLiteral kLabel = "raise-average";
/// Result elements of an image beyond which compile time would show.
constexpr int64_t kMaxPositions = 1 << 16;

/// Computes a value of a body at one position of its loops.
class Evaluator {
public:
  Evaluator(LinalgOp op, ArrayRef<std::optional<int64_t>> position)
      : op(op), position(position) {}

  /// Null if the value depends on anything but constants and the position.
  Attribute get(Value value) {
    auto [known, isNew] = values.try_emplace(value);
    if (!isNew)
      return known->second;
    Attribute result = compute(value);
    return values[value] = result;
  }

private:
  Attribute compute(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != op.getBlock() ||
          argument.getArgNumber() >= op.getNumDpsInputs())
        return {};
      return getConstantElement(
          op.getDpsInputOperand(argument.getArgNumber())->get());
    }
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *producer = value.getDefiningOp();
    Builder builder(value.getContext());
    if (auto index = dyn_cast<linalg::IndexOp>(producer)) {
      if (!op->isProperAncestor(index) || !position[index.getDim()])
        return {};
      return builder.getIndexAttr(*position[index.getDim()]);
    }
    if (auto dim = dyn_cast<tensor::DimOp>(producer)) {
      std::optional<int64_t> at = dim.getConstantIndex();
      auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
      if (!at || !type || *at < 0 || *at >= type.getRank() ||
          type.isDynamicDim(*at))
        return {};
      return builder.getIndexAttr(type.getDimSize(*at));
    }
    if (!isPure(producer) || producer->getNumRegions() != 0 ||
        producer->getNumResults() != 1)
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : producer->getOperands()) {
      operands.push_back(get(operand));
      if (!operands.back())
        return {};
    }
    // Folding may change an op in place.
    Operation *copy = producer->clone();
    SmallVector<OpFoldResult> results;
    bool folded = succeeded(copy->fold(operands, results)) && !results.empty();
    copy->destroy();
    if (!folded)
      return {};
    if (auto attr = dyn_cast<Attribute>(results[0]))
      return attr;
    return get(cast<Value>(results[0]));
  }

  LinalgOp op;
  ArrayRef<std::optional<int64_t>> position;
  llvm::DenseMap<Value, Attribute> values;
};

/// How many elements of a window at `position` lie inside the image, in one
/// dim.
int64_t countInside(PoolOp pool, unsigned dim, int64_t position) {
  int64_t size =
      pool.getInput().getType().getDimSize(pool.getSpatialDims()[dim]);
  int64_t start = position * pool.getStrides()[dim] - pool.getPadLow()[dim];
  return llvm::count_if(llvm::seq(pool.getWindow()[dim]), [&](int64_t step) {
    int64_t at = start + step * pool.getDilations()[dim];
    return at >= 0 && at < size;
  });
}

struct AveragePlan {
  PoolOp pool;
  Operation *division;
  bool countIncludePad;
};

/// The division in `op`'s body of what it reads from a sum pool.
Operation *findDivision(LinalgOp op, PoolOp &pool) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    pool = operand->get().getDefiningOp<PoolOp>();
    BlockArgument element = op.getMatchingBlockArgument(operand);
    if (!pool || pool.getKind() != PoolKind::Sum ||
        !cast<FusionRootOpInterface>(*pool).hasIdentityEpilogue() ||
        !pool->hasOneUse() || !element.hasOneUse() ||
        !op.getMatchingIndexingMap(operand).isIdentity())
      continue;
    Operation *user = *element.user_begin();
    if (isa<arith::DivFOp, arith::DivSIOp>(user) &&
        user->getOperand(0) == element && user->getBlock() == op.getBlock())
      return user;
  }
  return nullptr;
}

FailureOr<AveragePlan> planAverage(LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(*op.getBlock(), [](Operation &inner) {
        return isMemoryEffectFree(&inner);
      }))
    return failure();
  PoolOp pool;
  Operation *division = findDivision(op, pool);
  if (!division)
    return failure();
  SmallVector<int64_t> spatial = pool.getSpatialDims(), sizes;
  int64_t window = llvm::product_of(pool.getWindow());
  auto isCount = [](Attribute divisor, int64_t count) {
    if (auto value = dyn_cast_or_null<FloatAttr>(divisor))
      return value == FloatAttr::get(value.getType(), count);
    auto value = dyn_cast_or_null<IntegerAttr>(divisor);
    return value && value.getValue().getSExtValue() == count;
  };
  // The same divisor everywhere?
  SmallVector<std::optional<int64_t>> position(op.getNumLoops());
  Value divisor = division->getOperand(1);
  if (Attribute constant = Evaluator(op, position).get(divisor)) {
    if (!isCount(constant, window))
      return failure();
    return AveragePlan{pool, division, pool.hasPadding()};
  }
  for (int64_t dim : spatial)
    sizes.push_back(pool.getInit().getType().getDimSize(dim));
  for (int64_t dim : spatial)
    if (pool.getInput().getType().isDynamicDim(dim))
      return failure();
  if (ShapedType::isDynamicShape(sizes) || sizes.empty() ||
      llvm::product_of(sizes) > kMaxPositions)
    return failure();
  for (int64_t i = 0, e = llvm::product_of(sizes); i < e; ++i) {
    int64_t count = 1, rest = i;
    for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
      position[spatial[dim]] = rest % sizes[dim];
      rest /= sizes[dim];
      count *= countInside(pool, dim, *position[spatial[dim]]);
    }
    if (count == 0 || !isCount(Evaluator(op, position).get(divisor), count))
      return failure();
  }
  return AveragePlan{pool, division, /*countIncludePad=*/false};
}

/// A sum pool whose only reader divides by the size of the window, or by the
/// number of its elements that are no padding:
///   generic { divf(in, constant 9.0) }(pool sum 3x3)      -> pool average
///   generic { divf(in, count(linalg.index 2, …)) }(pool sum) -> pool average
/// What else the reader does stays.
struct RaiseAverage final : OpInterfaceRewritePattern<LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<AveragePlan> plan = planAverage(op);
    if (failed(plan))
      return rewriter.notifyMatchFailure(
          op, "expected a sum pool divided by the size of its windows");
    PoolOp pool = plan->pool;
    bool isAll =
        op.getBlock()->getTerminator()->getOperand(0) ==
            plan->division->getResult(0) &&
        op->getNumResults() == 1 &&
        op->getResult(0).getType() == pool->getResult(0).getType() &&
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
    if (!isAll && !isa<linalg::GenericOp>(op))
      return rewriter.notifyMatchFailure(op, "expected a generic");
    rewriter.modifyOpInPlace(pool, [&] {
      pool.setKind(PoolKind::Average);
      pool.setCountIncludePad(plan->countIncludePad);
    });
    remarkFused(op->getLoc(), kLabel,
                "the sum and the division are an average");
    if (isAll)
      rewriter.replaceOp(op, pool);
    else
      rewriter.modifyOpInPlace(op, [&] {
        rewriter.replaceOp(plan->division, plan->division->getOperand(0));
      });
    return success();
  }
};
} // namespace

void fusion::populateRaiseAveragePatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<RaiseAverage>({kLabel}, patterns.getContext());
}
