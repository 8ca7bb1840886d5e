//===-- DropAsserts.cpp - Assertions that always hold ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers assert that what they divide by is not zero. An op with an
// assertion in its body has a side effect and stays as it is.
//
//===----------------------------------------------------------------------===//

#include "FloatRange.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// %d = sqrt(x * x + 1e-6) with x from -10 to 10; assert %d != 0 -> %d
/// An ordered comparison of what may be NaN can fail: it is kept.
struct DropAssert final : OpRewritePattern<cf::AssertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(cf::AssertOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<linalg::LinalgOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "expected the body of an op");
    auto compare = op.getArg().getDefiningOp<arith::CmpFOp>();
    if (!compare || FloatRanges().decide(compare) != true)
      return rewriter.notifyMatchFailure(op, "expected to know the outcome");
    remarkFused(op.getLoc(), "drop-assert", "the assertion always holds");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void fusion::populateDropAssertPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<DropAssert>({"drop-assert"}, patterns.getContext());
}
