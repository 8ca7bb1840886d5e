//===-- KernelPlan.h - How a root's kernel cuts its work --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by the plan (is there a kernel?), by the outliner (how many units of
// work?) and by the kernel emitter, which walks exactly what is planned here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_KERNELPLAN_H
#define FUSIONDIALECT_ANALYSIS_KERNELPLAN_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion {

/// Rows cut into tiles of at most two heights that differ by one, the taller
/// ones first: 49 rows in tiles of at most 14 are 13 + 12 + 12 + 12.
struct RowCut {
  int64_t height = 1;
  /// Number of tiles of `height` rows and, after them, of `height - 1` rows.
  int64_t tall = 0, low = 0;

  static RowCut get(int64_t size, int64_t maxHeight);
  int64_t getCount() const { return tall + low; }
};

/// Where an operand's element lies that goes with a result element: the offset
/// is sum(row index * rows) + group * group stride + panel * panel stride. The
/// channels of a panel are next to each other, unless the operand has no
/// channels (`panel` is 0): then all of them share one element.
struct OperandStrides {
  SmallVector<int64_t> rows;
  int64_t group = 0, panel = 0;

  bool hasChannels() const { return panel != 0; }
};

/// One loop over a reduction dim; outermost first in a plan.
struct ReductionLoop {
  int64_t size;
  int64_t inputStride, weightsStride;
};

/// A kernel's work is a grid. One side are row blocks: the result's dims but
/// the channels (the rows: pixels, or rows and batches of a matrix), merged
/// where all operands allow it, of which the last one or two are cut into
/// tiles. The other side are panels: neighbouring channels, as many as the
/// micro-kernel keeps in registers; they never span groups. A unit is one cell
/// of this grid, and units have one flat index, so that a range of them is a
/// share of the work.
struct KernelPlan {
  enum class Kind {
    /// Sums of products over shared inputs: dense and grouped convolutions and
    /// matrix products. One micro-kernel for all.
    Contraction,
    /// Each channel has its own filter: a depthwise convolution.
    Depthwise,
    /// A pool: a tile is a whole row of pixels, walked one by one.
    Pool
  };

  Kind kind;
  /// Sizes of the row dims, outermost first; at least one.
  SmallVector<int64_t> rows;
  int64_t groups = 1;
  /// Channels of one group.
  int64_t channels = 0;
  /// A panel is `vectors` vectors of `lanes` channels.
  int64_t lanes = 1, vectors = 1;
  /// How the tiles cut row dim `getCutDim()`.
  RowCut cut;
  /// Rows of the last dim that a tile takes whole, below the cut dim (images
  /// narrower than half a tile); 1 if the cut dim is the last.
  int64_t wholeRows = 1;
  /// Whether all panels of a row block come before the next row block. Else
  /// all row blocks come before the next panel: each weight is then read from
  /// far away only once.
  bool panelFastest = true;
  /// Whether each panel of weights is zero-filled to whole vectors.
  bool packedWeights = false;
  /// Whether the weights are so big that they are prefetched.
  bool prefetchWeights = false;

  /// Whether the CPU multiplies and adds in one instruction; where it does not,
  /// a fused one would be a call.
  bool fusedMultiplyAdd = true;

  OperandStrides input, weights, init;
  SmallVector<OperandStrides> epilogue;
  SmallVector<ReductionLoop> reductions;

  /// The plan for `root`, or failure with `reason` (a remark's code and
  /// sentence). On tensors the layout is taken as row-major and constant
  /// weights as packed.
  static FailureOr<KernelPlan> get(FusionRootOpInterface root,
                                   const TargetInfo &target,
                                   std::string *reason = nullptr);

  int64_t getPanelSize() const { return lanes * vectors; }
  int64_t getPanelsPerGroup() const {
    return llvm::divideCeil(channels, getPanelSize());
  }
  int64_t getPanels() const { return groups * getPanelsPerGroup(); }
  /// Channels of a group's last panel.
  int64_t getLastPanelSize() const {
    return channels - (getPanelsPerGroup() - 1) * getPanelSize();
  }
  int64_t getCutDim() const { return rows.size() - (wholeRows == 1 ? 1 : 2); }
  int64_t getRowBlocks() const;
  int64_t getUnits() const { return getRowBlocks() * getPanels(); }
};

/// True if the kernel emitter takes `root`: on tensors after layout assignment,
/// or on memrefs. If not, `reason` says why.
bool hasKernel(FusionRootOpInterface root, const TargetInfo &target,
               std::string *reason = nullptr);

/// The number of units of work of a root on memrefs that has a kernel; what
/// `range(%lo, %hi)` counts in.
int64_t getKernelUnits(FusionRootOpInterface root, const TargetInfo &target);

/// Floating-point operations of a root of static shape without its epilogue,
/// a multiplication and an addition being two; kDynamic for a dynamic shape.
int64_t getFlops(FusionRootOpInterface root);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_KERNELPLAN_H
