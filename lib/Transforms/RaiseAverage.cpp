//===-- RaiseAverage.cpp - Sums that are divided by their count -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers compute how many elements of a window are no padding from the
// position, each in its own way. The rule does not know any of them: it splits
// the divisor into factors of one dim each, computes them for each position
// and compares.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

namespace {
constexpr StringLiteral kLabel = "raise-average";
/// Positions for which a factor is computed: beyond it compile time would show.
constexpr int64_t kMaxPositions = 1 << 13;

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
  int64_t dilation = pool.getDilations()[dim], window = pool.getWindow()[dim];
  int64_t before = llvm::divideCeil(std::max<int64_t>(-start, 0), dilation);
  int64_t upTo = llvm::divideCeil(std::max<int64_t>(size - start, 0), dilation);
  return std::max<int64_t>(std::min(upTo, window) - before, 0);
}

/// A number as an integer that it is exactly, or nothing.
std::optional<int64_t> getExactInteger(Attribute number) {
  if (auto value = dyn_cast_or_null<FloatAttr>(number)) {
    APSInt integer(64, /*isUnsigned=*/false);
    bool isExact;
    value.getValue().convertToInteger(integer, APFloat::rmTowardZero, &isExact);
    return isExact ? std::make_optional(integer.getExtValue()) : std::nullopt;
  }
  auto value = dyn_cast_or_null<IntegerAttr>(number);
  return value ? value.getValue().trySExtValue() : std::nullopt;
}

/// Whether `type` has each integer up to `largest`.
bool hasIntegers(Type type, int64_t largest) {
  auto floatType = dyn_cast<FloatType>(type);
  int64_t bits = type.isIndex() ? 64
                 : floatType    ? floatType.getFPMantissaWidth() + 1
                                : type.getIntOrFloatBitWidth();
  return bits > 63 || largest < (int64_t(1) << (bits - 1));
}

/// A divisor as a product of factors.
class Divisor {
public:
  Divisor(LinalgOp op, PoolOp pool)
      : op(op), pool(pool), spatial(pool.getSpatialDims()) {
    for (int64_t dim : spatial) {
      sizes.push_back(pool.getInit().getType().getDimSize(dim));
      factors.push_back(SmallVector<int64_t>(1, 1));
    }
  }

  /// Whether it is `value` at each position; false if that is not proven.
  bool isConstant(Value divisor, int64_t value) {
    return getDims(divisor).empty() && multiply(divisor) && constant == value;
  }

  /// Whether it is the number of elements inside the image, at each position.
  bool isCountInside(Value divisor) {
    // None may be dynamic, which is negative.
    if (llvm::any_of(
            sizes,
            [](int64_t size) { return size < 1 || size > kMaxPositions; }) ||
        llvm::any_of(spatial, [&](int64_t dim) {
          return pool.getInput().getType().isDynamicDim(dim);
        }))
      return false;
    if (!multiply(divisor))
      return isCountAtEachPosition(divisor);
    // As both are products over the dims, they are equal if they are so at the
    // first position, and grow alike in each dim.
    int64_t count = 1, product = constant;
    for (auto [dim, factor] : llvm::enumerate(factors)) {
      int64_t first = countInside(pool, dim, 0);
      if (llvm::MulOverflow(count, first, count) ||
          llvm::MulOverflow(product, factor.front(), product) || first == 0)
        return false;
      for (int64_t at = 0; at < sizes[dim]; ++at) {
        int64_t value = factor[factor.size() == 1 ? 0 : at], here, there;
        if (llvm::MulOverflow(value, first, here) ||
            llvm::MulOverflow(factor.front(), countInside(pool, dim, at),
                              there) ||
            here != there || here == 0)
          return false;
      }
    }
    return count == product;
  }

private:
  /// The same of a divisor that is no product of factors of one dim each.
  bool isCountAtEachPosition(Value divisor) {
    if (llvm::product_of(sizes) > kMaxPositions)
      return false;
    SmallVector<std::optional<int64_t>> position(op.getNumLoops());
    for (int64_t i = 0, e = llvm::product_of(sizes); i < e; ++i) {
      int64_t count = 1, left = i;
      for (int64_t dim = sizes.size() - 1; dim >= 0; --dim) {
        position[spatial[dim]] = left % sizes[dim];
        left /= sizes[dim];
        count *= countInside(pool, dim, *position[spatial[dim]]);
      }
      if (count == 0 ||
          getExactInteger(Evaluator(op, position).get(divisor)) != count)
        return false;
    }
    return true;
  }

  /// The spatial dims whose position `value` depends on.
  SmallVector<unsigned> getDims(Value value) {
    llvm::SetVector<Value> values;
    values.insert(value);
    llvm::SmallBitVector found(sizes.size());
    for (unsigned i = 0; i < values.size(); ++i) {
      Operation *producer = values[i].getDefiningOp();
      if (!producer || !op->isProperAncestor(producer))
        continue;
      if (auto index = dyn_cast<linalg::IndexOp>(producer)) {
        auto *it = llvm::find(spatial, index.getDim());
        if (it != spatial.end())
          found.set(it - spatial.begin());
      }
      values.insert(producer->operand_begin(), producer->operand_end());
    }
    return SmallVector<unsigned>(found.set_bits());
  }

  /// Multiplies `constant` and `factors` by the factors of `value`, which are
  /// not negative. Returns a bound of `value`, or nothing if it is no such
  /// product.
  std::optional<int64_t> multiply(Value value) {
    SmallVector<unsigned> dims = getDims(value);
    if (dims.size() < 2)
      return multiplyFactor(value, dims);
    Operation *producer = value.getDefiningOp();
    std::optional<int64_t> largest;
    if (isa<arith::MulIOp, arith::MulFOp>(producer)) {
      std::optional<int64_t> lhs = multiply(producer->getOperand(0)),
                             rhs = lhs ? multiply(producer->getOperand(1))
                                       : std::nullopt;
      int64_t product;
      if (rhs && !llvm::MulOverflow(*lhs, *rhs, product))
        largest = product;
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                   arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
                   arith::UIToFPOp, arith::FPToSIOp, arith::ExtFOp,
                   arith::TruncFOp>(producer)) {
      largest = multiply(producer->getOperand(0));
    }
    // All that is computed on the way is exact.
    if (!largest || !hasIntegers(value.getType(), *largest))
      return std::nullopt;
    return largest;
  }

  std::optional<int64_t> multiplyFactor(Value value, ArrayRef<unsigned> dims) {
    SmallVector<std::optional<int64_t>> position(op.getNumLoops());
    int64_t largest = 0;
    auto evaluate = [&](int64_t &product) {
      std::optional<int64_t> number =
          getExactInteger(Evaluator(op, position).get(value));
      // Unsigned casts are none of negative numbers.
      if (!number || *number < 0 ||
          llvm::MulOverflow(product, *number, product))
        return false;
      largest = std::max(largest, *number);
      return true;
    };
    if (dims.empty())
      return evaluate(constant) ? std::make_optional(largest) : std::nullopt;
    unsigned dim = dims.front();
    int64_t size = sizes[dim];
    if (ShapedType::isDynamic(size) || size > rest)
      return std::nullopt;
    rest -= size;
    SmallVector<int64_t> &factor = factors[dim];
    factor.resize(size, factor.front());
    for (auto [at, product] : llvm::enumerate(factor)) {
      position[spatial[dim]] = at;
      if (!evaluate(product))
        return std::nullopt;
    }
    return largest;
  }

  LinalgOp op;
  PoolOp pool;
  SmallVector<int64_t> spatial, sizes;
  int64_t constant = 1;
  /// For each spatial dim one number for each position, or one for all.
  SmallVector<SmallVector<int64_t>> factors;
  /// Positions that may still be evaluated.
  int64_t rest = kMaxPositions;
};

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
  Value divisor = division->getOperand(1);
  int64_t window = 1;
  bool fits = llvm::none_of(pool.getWindow(), [&](int64_t size) {
    return llvm::MulOverflow(window, size, window);
  });
  if (fits && Divisor(op, pool).isConstant(divisor, window))
    return AveragePlan{pool, division, pool.hasPadding()};
  if (Divisor(op, pool).isCountInside(divisor))
    return AveragePlan{pool, division, /*countIncludePad=*/false};
  return failure();
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
