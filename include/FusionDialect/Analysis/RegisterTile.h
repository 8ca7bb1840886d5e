//===-- RegisterTile.h - What a micro-kernel keeps in registers -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by the kernel plan, and by the pass that packs weights, since a panel
// of weights is as wide as a tile.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_REGISTERTILE_H
#define FUSIONDIALECT_ANALYSIS_REGISTERTILE_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion {

/// Sums of rows x vectors of channels that stay in registers over all
/// reduction loops; in each step a row is a broadcast scalar of the input, and
/// a vector is one of weights.
struct RegisterTile {
  int64_t rows, vectors;
};

/// A convolution or a product of matrices as tiles see it. What is known at run
/// time only is taken as large.
struct TiledWork {
  /// Rows of the result come in lines, which a tile does not leave unless it
  /// takes several whole.
  int64_t lines = 1, width = 1;
  /// Output channels of a group, and the multiply-adds that each sum takes.
  int64_t channels = 1, groups = 1, depth = 1;
  /// Channels of a vector, bytes of a weight, bytes of the whole input, and of
  /// the way from one row's input to the next one's.
  int64_t lanes = 1, weightBytes = 4, inputBytes = 0, rowBytes = 0;

  static TiledWork get(FusionRootOpInterface root, const TargetInfo &target);
};

/// The rows that fit in registers beside `vectors` vectors of weights and one
/// broadcast scalar.
int64_t getMaxRows(const TargetInfo &target, int64_t vectors);

/// Whether rows `bytes` apart share sets of the first-level cache.
bool shareSets(int64_t bytes);

/// The most of `rows` rows `bytes` apart that a tile may have: where they share
/// sets, no more than the ways but one, which is for weights.
int64_t limitRows(const TargetInfo &target, int64_t rows, int64_t bytes);

/// Whether all panels of `weightBytes` in all take their turn before the next
/// rows of the input do. Threads that share rows read what they wrote
/// themselves, and each reads all weights: from near, if they are few.
bool isPanelFastest(const TargetInfo &target, double weightBytes,
                    double inputBytes);

/// The cycles that one core of `target` takes for `work` in such tiles, were
/// it alone: an estimate for comparing tiles.
double estimateCycles(const TiledWork &work, const TargetInfo &target,
                      RegisterTile tile);

/// The cheapest tile.
RegisterTile chooseRegisterTile(const TiledWork &work,
                                const TargetInfo &target);

/// The channels of a panel of weights of `root`: those of its tile.
int64_t getPackedBlock(FusionRootOpInterface root, const TargetInfo &target);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_REGISTERTILE_H
