//===-- CostModel.h - Whether a fusion pays ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules ask "should it?" through one callback; another compiler passes its own
// to populate…Patterns, else the default below answers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_COSTMODEL_H
#define FUSIONDIALECT_ANALYSIS_COSTMODEL_H

#include "FusionDialect/Dialect/Fusion.h"
#include <functional>
#include <optional>

namespace mlir::fusion {

/// Asked whether `root` should take `consumer` into its epilogue, which it
/// could: nothing means yes, else the code of the reason (`unprofitable`).
using FusionControlFn = std::function<std::optional<StringRef>(
    FusionRootOpInterface root, Operation *consumer)>;

/// What an epilogue costs a kernel that keeps its accumulators in registers.
struct EpilogueCost {
  /// Operands with one element per result element: each is a stream of its own
  /// through the caches.
  unsigned fullSizeOperands = 0;
  /// Operands that are broadcast: rows or scalars that stay in the caches.
  unsigned broadcastOperands = 0;
  /// Ops that compute; constants are free.
  unsigned ops = 0;

  EpilogueCost &operator+=(const EpilogueCost &other);
};

/// The default's limits. They refuse what no network has: more streams than
/// the prefetcher of a core follows, more code than its instruction cache
/// likes.
inline constexpr EpilogueCost kLargestEpilogue{8, 32, 1024};

/// The cost of `root`'s epilogue as it is.
EpilogueCost getEpilogueCost(FusionRootOpInterface root);

/// What `consumer`, an elementwise op that reads `root`, would add to it.
EpilogueCost getAddedCost(FusionRootOpInterface root, Operation *consumer);

/// The default control: refuses where the sum of both costs is over
/// kLargestEpilogue.
std::optional<StringRef> defaultFusionControl(FusionRootOpInterface root,
                                              Operation *consumer);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_COSTMODEL_H
