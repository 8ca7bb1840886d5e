//===-- BoundedRewrites.h - Rules that come to an end -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's greedy driver with a limit: two rules that undo each other are an
// error, not a hang.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_BOUNDEDREWRITES_H
#define FUSIONDIALECT_ANALYSIS_BOUNDEDREWRITES_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {

/// Rewrites of `numOps` ops in one of upstream's ten rounds: more than any
/// rules need that come to an end.
constexpr int64_t getMaxRewrites(int64_t numOps) {
  return 10000 + 100 * numOps;
}

/// applyPatternsGreedily, with at most getMaxRewrites of the ops in `region`.
/// Fails beyond, with an error at the op that was rewritten last, which names
/// the rule that was applied most often. What is not finished within upstream's
/// number of rounds is valid, and left as it is. Pads that upstream would fold
/// wrongly are guarded (PadFolds.h), also those that rules make.
LogicalResult applyBounded(Region &region,
                           const FrozenRewritePatternSet &patterns,
                           GreedyRewriteConfig config = {});

/// The same in all regions of `root`.
LogicalResult applyBounded(Operation *root,
                           const FrozenRewritePatternSet &patterns,
                           GreedyRewriteConfig config = {});

/// applyOpPatternsGreedily with the same limit.
LogicalResult applyBounded(ArrayRef<Operation *> ops,
                           const FrozenRewritePatternSet &patterns,
                           GreedyRewriteConfig config = {});

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_BOUNDEDREWRITES_H
