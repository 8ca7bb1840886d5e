//===-- RaiseSums.cpp - Sums of 16-bit floats, in f32 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg's named ops sum in the type of their result. In bf16 a running sum of
// ones stops at 256.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kWidenSums = "widen-sums";

namespace {
/// A root that sums in 16 bits -> one that sums in f32 and rounds once:
///   epilogue(%acc: bf16) { … %acc … }
///   epilogue(%acc: f32) { %0 = truncf %acc : f32 to bf16; … %0 … }
struct WidenSums final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    Type type = root.getAccumulatorType();
    if (!type.isF16() && !type.isBF16())
      return rewriter.notifyMatchFailure(root, "expected sums of 16 bits");
    auto pool = dyn_cast<PoolOp>(root.getOperation());
    if (pool && pool.getKind() != PoolKind::Sum &&
        pool.getKind() != PoolKind::Average)
      return rewriter.notifyMatchFailure(root, "expected a sum");
    Location loc = root.getLoc();
    Block &block = root.getEpilogueBlock();
    BlockArgument accumulator = block.getArgument(0);
    rewriter.modifyOpInPlace(
        root, [&] { accumulator.setType(rewriter.getF32Type()); });
    rewriter.setInsertionPointToStart(&block);
    auto rounded = arith::TruncFOp::create(rewriter, loc, type, accumulator);
    rewriter.replaceAllUsesExcept(accumulator, rounded, rounded);
    remarkFused(loc, kWidenSums,
                "sums of 16 bits are kept in f32 and rounded once");
    return success();
  }
};
} // namespace

void fusion::populateWidenSumsPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<WidenSums>({kWidenSums, kRounds},
                                   patterns.getContext());
}
