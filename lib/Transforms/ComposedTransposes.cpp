//===-- ComposedTransposes.cpp - Transposes of transposes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two transposes as one, or none.
//
//===----------------------------------------------------------------------===//

#include "ComposedTransposes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct ComposeTransposes final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<linalg::TransposeOp>();
    if (!inner || !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected a transposed tensor");
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) {
          return inner.getPermutation()[dim];
        });
    auto type = cast<RankedTensorType>(op.getInit().getType());
    SmallVector<int64_t> shape =
        applyPermutation(type.getShape(), invertPermutationVector(permutation));
    Value source = rewriter.createOrFold<tensor::CastOp>(
        op.getLoc(), type.clone(shape), inner.getInput());
    if (isIdentityPermutation(permutation))
      rewriter.replaceOp(op, source);
    else
      rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, source, op.getInit(),
                                                       permutation);
    return success();
  }
};
} // namespace

void fusion::populateComposedTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeTransposes>(patterns.getContext());
}
