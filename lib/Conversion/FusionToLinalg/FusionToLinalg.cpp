//===-- FusionToLinalg.cpp - Roots to their decomposition -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-to-linalg and its rule.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "FusionDialect/Conversion/Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONTOLINALGPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A root on tensors -> the linalg ops of its decomposition.
struct DecomposeRoot final : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(root, "expected tensors");
    FailureOr<SmallVector<Value>> results = decomposeRoot(rewriter, root);
    if (failed(results))
      return rewriter.notifyMatchFailure(root, "expected a decomposition");
    rewriter.replaceOp(root, *results);
    return success();
  }
};

struct FusionToLinalgPass final
    : fusion::impl::FusionToLinalgPassBase<FusionToLinalgPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateFusionToLinalgPatterns(set);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    WalkResult left = getOperation()->walk([](FusionRootOpInterface root) {
      if (!root.hasPureTensorSemantics())
        return WalkResult::advance();
      root->emitOpError("expected a root that decomposes to linalg");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
  FrozenRewritePatternSet patterns;
};
} // namespace

void fusion::populateFusionToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<DecomposeRoot>({"decompose-root"},
                                       patterns.getContext());
}
