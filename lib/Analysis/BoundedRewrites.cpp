//===-- BoundedRewrites.cpp - Rules that come to an end -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what each rule does, so that the error can name one, and guards pads,
// since the driver folds an op before any rule sees it.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Analysis/PadFolds.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
class Watcher final : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &, Operation *op) override {
    place = op->getLoc();
  }
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    if (failed(status))
      return;
    ++total;
    ++counts[&pattern];
    last = place;
  }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    guardPad(op);
  }
  void notifyOperationModified(Operation *op) override { guardPad(op); }

  int64_t getTotal() const { return total; }
  LogicalResult reportMost() const;

private:
  int64_t total = 0;
  llvm::MapVector<const Pattern *, int64_t> counts;
  /// LocationAttr, since a Location cannot be null.
  LocationAttr place, last;
};
} // namespace

LogicalResult Watcher::reportMost() const {
  auto [pattern, count] = *llvm::max_element(counts, llvm::less_second());
  InFlightDiagnostic error = emitError(Location(last));
  error << "expected rules to come to an end within " << total
        << " rewrites, got " << count << " of them by '"
        << (pattern->getDebugLabels().empty()
                ? pattern->getDebugName()
                : pattern->getDebugLabels().front())
        << "'";
  return error;
}

static LogicalResult
apply(int64_t numOps, GreedyRewriteConfig config,
      llvm::function_ref<LogicalResult(const GreedyRewriteConfig &)> run) {
  Watcher watcher;
  config.setMaxNumRewrites(getMaxRewrites(numOps));
  config.setListener(&watcher);
  if (succeeded(run(config)) || watcher.getTotal() < config.getMaxNumRewrites())
    return success();
  return watcher.reportMost();
}

LogicalResult fusion::applyBounded(Region &region,
                                   const FrozenRewritePatternSet &patterns,
                                   GreedyRewriteConfig config) {
  int64_t numOps = 0;
  region.walk([&](Operation *op) {
    guardPad(op);
    ++numOps;
  });
  return apply(numOps, config, [&](const GreedyRewriteConfig &all) {
    return applyPatternsGreedily(region, patterns, all);
  });
}

LogicalResult fusion::applyBounded(Operation *root,
                                   const FrozenRewritePatternSet &patterns,
                                   GreedyRewriteConfig config) {
  for (Region &region : root->getRegions())
    if (failed(applyBounded(region, patterns, config)))
      return failure();
  return success();
}

LogicalResult fusion::applyBounded(ArrayRef<Operation *> ops,
                                   const FrozenRewritePatternSet &patterns,
                                   GreedyRewriteConfig config) {
  llvm::for_each(ops, guardPad);
  return apply(ops.size(), config, [&](const GreedyRewriteConfig &all) {
    return applyOpPatternsGreedily(ops, patterns, all);
  });
}
