//===-- RaiseMatmul.cpp - Matrix products of linalg to fusion.matmul ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product is found by what its loops index, with vectors as matrices of one
// row or column. A transposed or repeated operand is read where it comes from:
// a product with a weight that was copied once per batch is a product with the
// weight.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "RaiseForm.h"
#include "Views.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

namespace {
constexpr StringLiteral kMatmul = "raise-matmul";
constexpr StringLiteral kBatchMatmul = "raise-batch-matmul";

using Keys = SmallVector<int64_t>;

/// The loops of a product: the result is [batch…, row, column], of which each
/// batch dim may be missing in one operand. Rows and columns may be several
/// loops, or none: then they are one element.
struct ProductLoops {
  Keys batch, row, column, sum;
};

/// An operand that needs no transpose: [batch…, row, column] or, transposed,
/// [batch…, column, row].
struct MatrixForm {
  Arrangement dims;
  bool isTransposed = false;
};

struct MatmulPlan {
  View lhs, rhs;
  MatrixForm lhsForm, rhsForm;
  Arrangement resultDims;
};

/// The loops that index `map`, -1 for a constant; nothing if it has anything
/// else.
std::optional<Keys> getKeys(AffineMap map) {
  Keys keys;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t key = dim ? dim.getPosition() : -1;
    if (!dim ? !isa<AffineConstantExpr>(expr) : llvm::is_contained(keys, key))
      return std::nullopt;
    keys.push_back(key);
  }
  return keys;
}

/// The groups of a matrix with these dims: batch dims before its first one are
/// missing, between them they have one element.
SmallVector<Keys> getMatrixGroups(ArrayRef<int64_t> keys, const Keys &batch,
                                  const Keys &row, const Keys &column) {
  SmallVector<Keys> groups;
  for (int64_t loop : batch)
    if (llvm::is_contained(keys, loop))
      groups.push_back({loop});
    else if (!groups.empty())
      groups.emplace_back();
  groups.append({row, column});
  return groups;
}

/// `map` as a matrix, with a transpose only if `mayPermute`.
std::optional<MatrixForm> matchMatrix(AffineMap map, const Keys &batch,
                                      const Keys &row, const Keys &column,
                                      bool mayPermute) {
  std::optional<Keys> keys = getKeys(map);
  if (!keys)
    return std::nullopt;
  for (int64_t loop : llvm::concat<const int64_t>(row, column))
    if (!llvm::is_contained(*keys, loop))
      return std::nullopt;
  for (int64_t loop : *keys)
    if (loop >= 0 && !llvm::is_contained(row, loop) &&
        !llvm::is_contained(column, loop) && !llvm::is_contained(batch, loop))
      return std::nullopt;
  Arrangement plain =
      arrangeDims(*keys, getMatrixGroups(*keys, batch, row, column));
  if (!plain.isPermuted())
    return MatrixForm{plain, false};
  Arrangement transposed =
      arrangeDims(*keys, getMatrixGroups(*keys, batch, column, row));
  if (!transposed.isPermuted())
    return MatrixForm{transposed, true};
  if (mayPermute)
    return MatrixForm{plain, false};
  return std::nullopt;
}

/// Splits the result's loops into batch, row and column. `isLhs` and `isRhs`
/// tell which loops the operands have.
ProductLoops splitResult(ArrayRef<int64_t> result,
                         function_ref<bool(int64_t)> isLhs,
                         function_ref<bool(int64_t)> isRhs) {
  auto isBatch = [&](int64_t loop) { return isLhs(loop) && isRhs(loop); };
  auto isOfOther = [&](int64_t loop, int64_t than) {
    return !isBatch(loop) && isLhs(loop) != isLhs(than);
  };
  // In the result's order: the last loops of one operand are the columns, the
  // loop of the other one before them is the row, all others are batch dims.
  ProductLoops loops;
  ArrayRef<int64_t> rest = result;
  auto takeLast = [&](Keys &keys) {
    keys.insert(keys.begin(), rest.back());
    rest = rest.drop_back();
  };
  while (!rest.empty() && !isBatch(rest.back()) &&
         (loops.column.empty() || !isOfOther(rest.back(), loops.column[0])))
    takeLast(loops.column);
  if (!loops.column.empty() && !rest.empty() &&
      isOfOther(rest.back(), loops.column[0]))
    takeLast(loops.row);
  loops.batch.assign(rest.begin(), rest.end());
  // Batch dims that each operand lacks some of, and columns without rows
  // although there are some, would waste work.
  bool lhsLacks = !llvm::all_of(rest, isLhs),
       rhsLacks = !llvm::all_of(rest, isRhs);
  if (!(lhsLacks && rhsLacks) &&
      (!loops.row.empty() || !(lhsLacks || rhsLacks)) &&
      (!loops.column.empty() || llvm::all_of(result, isBatch)))
    return loops;
  // In another order: all rows together, all columns together.
  loops = {};
  int64_t last = *llvm::find_if(llvm::reverse(result),
                                [&](int64_t loop) { return !isBatch(loop); });
  for (int64_t loop : result)
    (isBatch(loop)           ? loops.batch
     : isOfOther(loop, last) ? loops.row
                             : loops.column)
        .push_back(loop);
  return loops;
}

FailureOr<MatmulPlan> planMatmul(LinalgOp op, const ReductionBody &body,
                                 StringLiteral &label, std::string &reason) {
  label = kMatmul;
  auto mismatch = [&] {
    return refuse(reason, "map-mismatch: " + op->getName().getStringRef() +
                              " has an operand that is no matrix of its rows "
                              "and columns");
  };
  OpOperand *lhs = body.lhs.operand, *rhs = body.rhs->operand;
  AffineMap lhsMap = op.getMatchingIndexingMap(lhs);
  AffineMap rhsMap = op.getMatchingIndexingMap(rhs);
  std::optional<Keys> lhsKeys = getKeys(lhsMap), rhsKeys = getKeys(rhsMap);
  std::optional<Keys> result =
      getKeys(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  if (!lhsKeys || !rhsKeys || !result)
    return mismatch();
  // A constant index counts as no dim, which is so only of one element.
  for (OpOperand *operand : {lhs, rhs, op.getDpsInitOperand(0)})
    for (auto [expr, size] :
         llvm::zip_equal(op.getMatchingIndexingMap(operand).getResults(),
                         op.getShape(operand)))
      if (isa<AffineConstantExpr>(expr) && size != 1)
        return mismatch();
  auto isLhs = [&](int64_t loop) { return llvm::is_contained(*lhsKeys, loop); };
  auto isRhs = [&](int64_t loop) { return llvm::is_contained(*rhsKeys, loop); };
  if (llvm::any_of(*result,
                   [&](int64_t loop) { return !isLhs(loop) && !isRhs(loop); }))
    return mismatch();
  ProductLoops loops = splitResult(*result, isLhs, isRhs);
  if (!loops.batch.empty())
    label = kBatchMatmul;
  if (failed(checkOperands(op, reason)) || failed(checkFactors(body, reason)))
    return failure();
  if (loops.column.empty() && !result->empty())
    return refuse(reason, "unprofitable: each product has one row and one "
                          "column");
  // A transposed result swaps the operands: (A B)' = B' A'.
  if (!loops.column.empty() && isLhs(loops.column.front())) {
    std::swap(lhs, rhs);
    std::swap(lhsMap, rhsMap);
    std::swap(lhsKeys, rhsKeys);
  }
  for (int64_t loop : *lhsKeys)
    if (loop >= 0 && !llvm::is_contained(*result, loop)) {
      if (!llvm::is_contained(*rhsKeys, loop))
        return mismatch();
      loops.sum.push_back(loop);
    }
  for (int64_t loop : *rhsKeys)
    if (loop >= 0 && !llvm::is_contained(*result, loop) &&
        !llvm::is_contained(loops.sum, loop))
      return mismatch();

  // Where an operand comes from if it is a matrix there, else as it is.
  auto match = [&](OpOperand *operand, AffineMap map, const Keys &row,
                   const Keys &column, View &view) {
    auto isMatrix = [&](const View &source) {
      return matchMatrix(source.map, loops.batch, row, column,
                         /*mayPermute=*/false)
          .has_value();
    };
    view = lookThroughWhere({operand->get(), map}, isMatrix);
    return matchMatrix(view.map, loops.batch, row, column, /*mayPermute=*/true);
  };
  MatmulPlan plan;
  std::optional<MatrixForm> lhsForm =
      match(lhs, lhsMap, loops.row, loops.sum, plan.lhs);
  std::optional<MatrixForm> rhsForm =
      match(rhs, rhsMap, loops.sum, loops.column, plan.rhs);
  if (!lhsForm || !rhsForm)
    return mismatch();
  plan.lhsForm = *lhsForm;
  plan.rhsForm = *rhsForm;
  SmallVector<Keys> resultGroups;
  for (int64_t loop : loops.batch)
    resultGroups.push_back({loop});
  resultGroups.append({loops.row, loops.column});
  plan.resultDims = arrangeDims(*result, resultGroups);
  if (!plan.resultDims.isReversible(
          cast<ShapedType>(op->getResult(0).getType())))
    return refuse(reason, "dynamic-shape: the sizes of rows and columns that "
                          "are several dims are not known");
  return plan;
}

/// A product that accumulates into its init ->
///   fusion.matmul outs(%init) epilogue(%acc, init %element) { %acc + %element
///   }
/// with operands from behind transposes and broadcasts, and vectors as
/// matrices:
///   matmul(%x, transpose %w)          -> matmul(%x, %w) {transpose_rhs}
///   batch_matmul(%x, broadcast %w)    -> matmul(%x, %w), a weight of rank 2
///   matvec(%w, %x : 8)                -> matmul(%x : 1x8, %w) {transpose_rhs}
struct RaiseMatmul final : OpInterfaceRewritePattern<LinalgOp> {
  RaiseMatmul(MLIRContext *context, StringLiteral label)
      : OpInterfaceRewritePattern(context), label(label) {}
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ReductionBody> body = matchReductionBody(op);
    if (!body || getRootFamily(op, *body) != RootFamily::Matmul)
      return rewriter.notifyMatchFailure(op, "expected a product");
    std::string reason;
    StringLiteral found = kMatmul;
    FailureOr<MatmulPlan> plan = planMatmul(op, *body, found, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    if (found != label)
      return rewriter.notifyMatchFailure(op, "expected other batch dims");

    Location loc = op.getLoc();
    Value lhs = arrange(rewriter, loc, plan->lhs.value, plan->lhsForm.dims);
    Value rhs = arrange(rewriter, loc, plan->rhs.value, plan->rhsForm.dims);
    Value init = arrange(rewriter, loc, op.getDpsInitOperand(0)->get(),
                         plan->resultDims);
    auto matmul = MatmulOp::create(rewriter, loc, lhs, rhs, init,
                                   plan->lhsForm.isTransposed,
                                   plan->rhsForm.isTransposed);
    combineWithInit(rewriter, matmul, body->combiner);
    remarkFused(loc, label,
                (op->getName().getStringRef() + " is a fusion.matmul").str());
    replaceByArranged(rewriter, op, matmul->getResult(0), plan->resultDims);
    return success();
  }
  StringLiteral label;
};
} // namespace

void fusion::explainRaiseMatmul(LinalgOp op, const ReductionBody &body) {
  std::string reason;
  StringLiteral label = kMatmul;
  if (failed(planMatmul(op, body, label, reason)))
    remarkMissed(op.getLoc(), label, reason);
}

void fusion::populateRaiseMatmulPatterns(RewritePatternSet &patterns) {
  for (StringLiteral label : {kMatmul, kBatchMatmul})
    patterns.addWithLabel<RaiseMatmul>({label, kRounds}, patterns.getContext(),
                                       label);
}
