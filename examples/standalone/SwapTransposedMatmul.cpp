//===-- SwapTransposedMatmul.cpp - This compiler's own rule ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transpose(a * b) is transpose(b) * transpose(a).
//
//===----------------------------------------------------------------------===//

#include "SwapTransposedMatmul.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {
/// transpose(matmul(a, b)) -> matmul(b, a) {transpose_lhs, transpose_rhs}
struct SwapTransposedMatmul final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getInput().getDefiningOp<fusion::MatmulOp>();
    if (!product || !product->hasOneUse())
      return rewriter.notifyMatchFailure(op, "expected the only reader");
    if (op.getPermutation() != ArrayRef<int64_t>{1, 0} ||
        product.getRhsLayout() != fusion::MatrixLayout::Plain ||
        product.getLhs().getType().getRank() != 2)
      return rewriter.notifyMatchFailure(op, "expected a plain 2-D product");
    fusion::FusionRootOpInterface root = product;
    if (!root.hasIdentityEpilogue())
      return rewriter.notifyMatchFailure(op, "expected no epilogue");
    rewriter.replaceOpWithNewOp<fusion::MatmulOp>(
        op, product.getRhs(), product.getLhs(), op.getInit(),
        !product.getTransposeRhs(), !product.getTransposeLhs());
    return success();
  }
};

struct SwapTransposedMatmulPass final
    : PassWrapper<SwapTransposedMatmulPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapTransposedMatmulPass)
  StringRef getArgument() const override {
    return "standalone-swap-transposed-matmul";
  }
  StringRef getDescription() const override {
    return "Turn a transposed product into a product of transposed operands";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<fusion::FusionDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    standalone::populateSwapTransposedMatmulPatterns(set);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }
  FrozenRewritePatternSet patterns;
};
} // namespace

void standalone::populateSwapTransposedMatmulPatterns(
    RewritePatternSet &patterns) {
  patterns.addWithLabel<SwapTransposedMatmul>({"swap-transposed-matmul"},
                                              patterns.getContext());
}

std::unique_ptr<Pass> standalone::createSwapTransposedMatmulPass() {
  return std::make_unique<SwapTransposedMatmulPass>();
}
