//===-- FusionFolds.cpp - Canonicalizations of roots ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what simplifies: epilogue operands that are dead or equal to another go.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Dialect/Fusion.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// An epilogue operand that is not read goes:
///   conv epilogue(%acc, %b = %bias[1]) { yield %acc } -> conv { yield %acc }
template <typename RootOp>
struct DropDeadEpilogueOperand final : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    if (!dropDeadEpilogueOperands(rewriter, op))
      return rewriter.notifyMatchFailure(op, "expected a dead operand");
    return success();
  }
};

/// Two epilogue operands that read the same value through the same dims become
/// one.
template <typename RootOp>
struct MergeEqualEpilogueOperands final : OpRewritePattern<RootOp> {
  using OpRewritePattern<RootOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(RootOp op,
                                PatternRewriter &rewriter) const override {
    FusionRootOpInterface root = op;
    for (unsigned i = 1, e = root.getNumEpilogueOperands(); i < e; ++i)
      for (unsigned j = 0; j < i; ++j)
        if (root.getEpilogueOperand(i) == root.getEpilogueOperand(j) &&
            root.getEpilogueOperandDims(i) == root.getEpilogueOperandDims(j) &&
            !root.getEpilogueArgument(i).use_empty()) {
          rewriter.replaceAllUsesWith(root.getEpilogueArgument(i),
                                      root.getEpilogueArgument(j));
          dropDeadEpilogueOperands(rewriter, root);
          return success();
        }
    return rewriter.notifyMatchFailure(op, "expected equal operands");
  }
};
} // namespace

void ConvOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns
      .add<DropDeadEpilogueOperand<ConvOp>, MergeEqualEpilogueOperands<ConvOp>>(
          context);
}

void ConvTransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<DropDeadEpilogueOperand<ConvTransposeOp>,
               MergeEqualEpilogueOperands<ConvTransposeOp>>(context);
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropDeadEpilogueOperand<MatmulOp>,
               MergeEqualEpilogueOperands<MatmulOp>>(context);
}

void PoolOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns
      .add<DropDeadEpilogueOperand<PoolOp>, MergeEqualEpilogueOperands<PoolOp>>(
          context);
}
