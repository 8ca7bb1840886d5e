//===-- Canonicalize.cpp - Upstream's canonicalizer, with an end ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-canonicalize: canonicalization patterns of all dialects,
// those of plug-ins, too.
//
//===----------------------------------------------------------------------===//

#include "ComposedTransposes.h"
#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Transforms/Passes.h"
#include "ReducedSlices.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONCANONICALIZEPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct FusionCanonicalizePass final
    : fusion::impl::FusionCanonicalizePassBase<FusionCanonicalizePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(set);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(set, context);
    populateReducedSlicePatterns(set);
    populateComposedTransposePatterns(set);
    // The first forgets the strides of a padded tensor's insertion into a fill,
    // the second what types know. Tests of canonicalize.mlir fail if upstream
    // calls them otherwise.
    const std::string wrong[] = {"(anonymous namespace)::FoldInsertPadIntoFill",
                                 "{anonymous}::FoldInsertPadIntoFill",
                                 "FoldTransposeWithTranspose"};
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
