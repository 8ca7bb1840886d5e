//===-- RaiseMatmul.cpp - Matrix products of linalg to fusion.matmul ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transposed or repeated operand is read where it comes from: a product with
// a weight that was copied once per batch is a product with the weight.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "Raise.h"
#include "Views.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct MatmulPlan {
  Value lhs, rhs;
  bool transposeLhs = false, transposeRhs = false;
};

StringRef getLabel(linalg::LinalgOp op) {
  return isa<linalg::MatmulOp>(op) ? "raise-matmul" : "raise-batch-matmul";
}

/// Whether a matrix that is read through `map` is [B…, row, column] (false) or
/// [B…, column, row] (true), where B… are the last of the loops `batch` or of
/// one element; nothing if it is neither.
std::optional<bool> isTransposed(AffineMap map, ArrayRef<AffineExpr> batch,
                                 AffineExpr row, AffineExpr column) {
  ArrayRef<AffineExpr> results = map.getResults();
  if (results.size() < 2 || results.size() - 2 > batch.size())
    return std::nullopt;
  ArrayRef<AffineExpr> leading = results.drop_back(2);
  for (auto [expr, loop] :
       llvm::zip_equal(leading, batch.take_back(leading.size())))
    if (expr != loop && !isa<AffineConstantExpr>(expr))
      return std::nullopt;
  ArrayRef<AffineExpr> matrix = results.take_back(2);
  if (matrix[0] == row && matrix[1] == column)
    return false;
  if (matrix[0] == column && matrix[1] == row)
    return true;
  return std::nullopt;
}

FailureOr<MatmulPlan> planMatmul(linalg::LinalgOp op, std::string &reason) {
  if (failed(checkOperands(op, reason)))
    return failure();
  if (auto cast = op->getAttrOfType<linalg::TypeFnAttr>("cast");
      cast && cast.getValue() != linalg::TypeFn::cast_signed)
    return refuse(reason, "unsupported-type: the elements are unsigned");

  // Loops by role: the result is [batch…, row, column]; what it lacks is
  // summed.
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto mismatch = [&] {
    return refuse(reason, "map-mismatch: " + op->getName().getStringRef() +
                              " has an operand that is no matrix of its rows "
                              "and columns");
  };
  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  if (!resultMap.isProjectedPermutation() || resultMap.getNumResults() < 2 ||
      reduction.size() != 1)
    return mismatch();
  ArrayRef<AffineExpr> batch = resultMap.getResults().drop_back(2);
  AffineExpr row = resultMap.getResults().take_back(2)[0];
  AffineExpr column = resultMap.getResults().take_back(2)[1];
  AffineExpr sum = getAffineDimExpr(reduction.front(), op->getContext());

  OpOperand *lhs = op.getDpsInputOperand(0), *rhs = op.getDpsInputOperand(1);
  AffineMap lhsMap = op.getMatchingIndexingMap(lhs);
  AffineMap rhsMap = op.getMatchingIndexingMap(rhs);
  // A transposed result swaps the operands: (A B)' = B' A'.
  if (!llvm::is_contained(lhsMap.getResults(), row)) {
    std::swap(lhs, rhs);
    std::swap(lhsMap, rhsMap);
  }
  auto isLhs = [&](const View &view) {
    return isTransposed(view.map, batch, row, sum).has_value();
  };
  auto isRhs = [&](const View &view) {
    return isTransposed(view.map, batch, sum, column).has_value();
  };
  View left = lookThroughWhere({lhs->get(), lhsMap}, isLhs);
  View right = lookThroughWhere({rhs->get(), rhsMap}, isRhs);
  if (!isLhs(left) || !isRhs(right))
    return mismatch();
  return MatmulPlan{left.value, right.value,
                    *isTransposed(left.map, batch, row, sum),
                    *isTransposed(right.map, batch, sum, column)};
}

/// A matrix product that accumulates into its init ->
///   fusion.matmul outs(%init) epilogue(%acc, init %element) { %acc + %element
///   }
/// with operands from behind transposes and broadcasts:
///   matmul(%x, transpose %w)          -> matmul(%x, %w) {transpose_rhs}
///   batch_matmul(%x, broadcast %w)    -> matmul(%x, %w), a weight of rank 2
template <typename OpTy>
struct RaiseMatmul final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    std::string reason;
    FailureOr<MatmulPlan> plan = planMatmul(op, reason);
    if (failed(plan))
      return rewriter.notifyMatchFailure(op, reason);
    Value init = op.getOutputs()[0];
    auto matmul =
        MatmulOp::create(rewriter, op.getLoc(), plan->lhs, plan->rhs, init,
                         plan->transposeLhs, plan->transposeRhs);
    combineWithInit(rewriter, matmul,
                    isa<FloatType>(getElementTypeOrScalar(init.getType()))
                        ? arith::AtomicRMWKind::addf
                        : arith::AtomicRMWKind::addi);
    remarkFused(op.getLoc(), getLabel(op),
                (op->getName().getStringRef() + " is a fusion.matmul").str());
    rewriter.replaceOp(op, matmul);
    return success();
  }
};
} // namespace

void fusion::explainRaiseMatmul(Operation *op) {
  if (!isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op))
    return;
  auto linalgOp = cast<linalg::LinalgOp>(op);
  std::string reason;
  if (linalgOp.hasPureTensorSemantics() && failed(planMatmul(linalgOp, reason)))
    remarkMissed(op->getLoc(), getLabel(linalgOp), reason);
}

void fusion::populateRaiseMatmulPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<RaiseMatmul<linalg::MatmulOp>>({"raise-matmul"},
                                                       context);
  patterns.addWithLabel<RaiseMatmul<linalg::BatchMatmulOp>>(
      {"raise-batch-matmul"}, context);
}
