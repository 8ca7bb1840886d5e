//===-- Canonicalize.cpp - Upstream's canonicalizer, with an end ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-canonicalize: canonicalization patterns of all dialects,
// those of plug-ins, too.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Canonicalize.h"
#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "ReducedSlices.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct FusionCanonicalizePass final
    : PassWrapper<FusionCanonicalizePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusionCanonicalizePass)

  StringRef getArgument() const override { return "fusion-canonicalize"; }
  StringRef getDescription() const override {
    return "Canonicalize, and say so if that has no end";
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    populateReducedSlicePatterns(set);
    // It forgets the strides of a padded tensor's insertion into a fill.
    const std::string wrong[] = {"(anonymous namespace)::FoldInsertPadIntoFill",
                                 "{anonymous}::FoldInsertPadIntoFill"};
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(set), wrong);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyBounded(getOperation(), *patterns)))
      signalPassFailure();
  }

  /// Shared by the copies that work on kernels in parallel.
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace

std::unique_ptr<Pass> fusion::createFusionCanonicalizePass() {
  return std::make_unique<FusionCanonicalizePass>();
}
