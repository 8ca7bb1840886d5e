//===-- KernelPlan.h - How a root's kernel cuts its work --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by the plan (is there a kernel?), by the outliner (how many units of
// work?) and by the kernel emitter, which walks exactly what is planned here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_KERNELPLAN_H
#define FUSIONDIALECT_ANALYSIS_KERNELPLAN_H

#include "FusionDialect/Analysis/Extent.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion {

/// Rows cut into tiles of at most two heights that differ by one, the taller
/// ones first: 49 rows in tiles of at most 14 are 13 + 12 + 12 + 12. A number
/// of rows that is known at run time only is cut into tiles of the full height
/// and one rest, which is done in one or two parts: 49 rows are 14 + 14 + 14 +
/// 7, 54 rows 14 + 14 + 14 + (6 + 6).
struct RowCut {
  int64_t height = 1;
  /// Number of tiles of `height` rows and, after them, of `height - 1` rows; no
  /// matter if `atRunTime`.
  int64_t tall = 0, low = 0;
  bool atRunTime = false;

  /// A part of a rest is at most that high: fewer sums do not hide the latency
  /// of the multiply-adds.
  static constexpr int64_t kMaxPart = 7;

  static RowCut get(const Extent &size, int64_t maxHeight);
  /// The largest part of a rest.
  int64_t getPartHeight() const { return std::min(height - 1, kMaxPart); }
};

/// Where an operand's element lies that goes with a result element: the offset
/// is sum(row index * rows) + group * group stride + panel * panel stride +
/// channel of the panel * lane stride. An operand without channels (`panel` is
/// 0) has one element for all of them.
struct OperandStrides {
  SmallVector<Extent> rows;
  Extent group, panel;
  Extent lane = 1;

  bool hasChannels() const { return panel != 0; }
  /// Whether neighbours of a row of pixels are next to each other, and channels
  /// are not: tiles are turned in registers on their way.
  bool isChannelsFirst() const { return hasChannels() && lane != 1; }
};

/// The dilation of a window of `size`. One element has none, whatever is
/// written, and so no stride that 64 bits do not hold.
inline int64_t getDilation(int64_t size, int64_t dilation) {
  return size == 1 ? 1 : dilation;
}

/// An input row of a plane where a kernel keeps it, between its padding: one
/// row for each phase of the stride, so that what neighbouring pixels read is
/// next to each other.
struct StagedRow {
  /// Column `x` is element `margin + x / phases` of row `x % phases`.
  int64_t phases = 1, margin = 0;
  /// Elements of one of these rows; a multiple of a vector's lanes, as is the
  /// margin.
  int64_t length = 0;

  int64_t getSize() const { return phases * length; }
  /// The place of a column, which may be one of the padding.
  int64_t getPlace(int64_t column) const {
    int64_t element = llvm::divideFloorSigned(column, phases);
    return (column - element * phases) * length + margin + element;
  }
};

/// Steps of a window for which the same rows of a tile read the image; the
/// other rows read padding.
struct WindowSteps {
  int64_t from, to;
  int64_t firstRow, endRow;

  bool operator==(const WindowSteps &other) const {
    return from == other.from && to == other.to && firstRow == other.firstRow &&
           endRow == other.endRow;
  }
};

/// A window that is partly in padding, which is never read: step `k` of row `i`
/// reads position `i * stride + k * dilation - low` of an image of `size`.
struct PaddedWindow {
  /// The row dim that the window moves along.
  int64_t rowDim;
  int64_t stride, dilation, low;
  Extent size;

  /// The rows of `numRows` from `firstRow` on, counted from there, for which
  /// step `step` is inside the image, of static size: from the first up to the
  /// second. Neither grows with `firstRow`.
  std::pair<int64_t, int64_t> getRows(int64_t step, int64_t firstRow,
                                      int64_t numRows) const;
  /// The steps of `numSteps` that `numRows` rows from `firstRow` on take inside
  /// the image, of static size; rows are counted from `firstRow`.
  SmallVector<WindowSteps> getSteps(int64_t numSteps, int64_t firstRow,
                                    int64_t numRows) const;
};

/// One loop over a reduction dim; outermost first in a plan.
struct ReductionLoop {
  Extent size;
  Extent inputStride, weightsStride;
  std::optional<PaddedWindow> window = std::nullopt;
};

/// Merges neighbouring loops that step through both operands evenly, and drops
/// those of one step: a filter row over few channels becomes one loop.
void mergeReductions(SmallVectorImpl<ReductionLoop> &loops);

/// Neighbouring tiles along the cut dim that share their code: of one height,
/// and with the same steps of the window along that dim.
struct TileClass {
  /// From tile `first` to tile `end`, and where the first of them begins.
  int64_t first, end, row;
  int64_t height;
};

/// Neighbouring tiles of a stretch that share their code: of `width` pixels
/// each, from pixel `first` to pixel `end`, and with the same columns of their
/// input inside the image, counted from the first one under the first pixel.
struct PixelClass {
  int64_t first, end, width;
  int64_t fromColumn, toColumn;
};

/// A kernel's work is a grid. One side are row blocks: the result's dims but
/// the channels (the rows: pixels, or rows and batches of a matrix), merged
/// where all operands allow it, of which the last one or two are cut into
/// tiles. The other side are panels: neighbouring channels, as many as the
/// micro-kernel keeps in registers; they never span groups. A unit is one cell
/// of this grid, and units have one flat index, so that a range of them is a
/// share of the work.
///
/// Sizes that are known at run time only are Extents: the grid is computed at
/// run time, while what happens inside a tile stays the same.
struct KernelPlan {
  enum class Kind {
    /// Sums of products over shared inputs: dense and grouped convolutions and
    /// matrix products. One micro-kernel for all.
    Contraction,
    /// Each channel has its own filter: a depthwise convolution. A unit is a
    /// stretch of one or two rows of pixels, walked a few at once, one vector
    /// of channels after the other.
    Depthwise,
    /// A depthwise convolution of images that are channels-first, each channel
    /// being a plane: the lanes are pixels of a row, which stand in for the
    /// channels of a panel, and the channel is one more row dim. A unit is a
    /// stretch of rows of one plane, walked a few rows at once.
    Planes,
    /// A pool: a tile is a whole row of pixels, walked one by one.
    Pool
  };

  /// A depthwise convolution's window of more elements is loops, from the
  /// outermost dim on.
  static constexpr int64_t kMaxUnrolledWindow = 64;

  Kind kind;
  /// Sizes of the row dims, outermost first; at least one.
  SmallVector<Extent> rows;
  int64_t groups = 1;
  /// Channels of one group; static if there are several groups.
  Extent channels;
  /// A panel is `vectors` vectors of `lanes` channels.
  int64_t lanes = 1, vectors = 1;
  /// How the tiles cut row dim `cutDim`.
  RowCut cut;
  int64_t cutDim = 0;
  /// Rows of the last dim that a tile takes whole, below the cut dim (images
  /// narrower than half a tile); 1 if the cut dim is the last.
  int64_t wholeRows = 1;
  /// Pixels of the last row dim that a depthwise convolution sums at once, and
  /// those in a unit; of planes they are rows.
  int64_t pixels = 4, pixelsOfUnit = 64;
  StagedRow stagedRow;
  /// Whether all panels of a row block come before the next row block. Else
  /// all row blocks come before the next panel: each weight is then read from
  /// far away only once.
  bool panelFastest = true;
  /// Whether each panel of weights is zero-filled to whole vectors.
  bool packedWeights = false;
  /// How many steps of the innermost loop weights are fetched ahead that are so
  /// big that they come from far away; else 0.
  int64_t prefetchSteps = 0;

  /// Whether the CPU multiplies and adds in one instruction; where it does not,
  /// a fused one would be a call.
  bool fusedMultiplyAdd = true;

  OperandStrides input, weights, init;
  SmallVector<OperandStrides> epilogue;
  SmallVector<ReductionLoop> reductions;
  /// Whether the kernel of a contraction or a depthwise convolution never reads
  /// padding, so that a convolution may keep its own.
  bool skipsPadding = false;
  /// The input of planes without its padding.
  SmallVector<Extent> imageSizes;

  /// The plan for `root`, or failure with `reason` (a remark's code and
  /// sentence). On tensors the layout is taken as row-major and constant
  /// weights as packed.
  static FailureOr<KernelPlan> get(FusionRootOpInterface root,
                                   const TargetInfo &target,
                                   std::string *reason = nullptr);

  /// Floating-point operations without the epilogue's.
  Extent getFlops() const;
  /// Whether a unit is a stretch of the last row dim.
  bool hasStretches() const {
    return kind == Kind::Depthwise || kind == Kind::Planes;
  }
  int64_t getPanelSize() const { return lanes * vectors; }
  /// Whether a tile may have several rows of this dim.
  bool isInTiles(int64_t rowDim) const { return rowDim >= cutDim; }
  /// The classes of the tiles of a cut that is known.
  SmallVector<TileClass> getTileClasses() const;
  /// The classes of the tiles of a row of pixels of known size, if units are
  /// stretches of it.
  SmallVector<PixelClass> getPixelClasses() const;
  /// Of a class, the steps of a loop over a window along a dim of tiles.
  SmallVector<WindowSteps> getSteps(const ReductionLoop &loop, int64_t firstRow,
                                    int64_t height) const;
  /// Channels of a group's last panel, which are static.
  int64_t getLastPanelSize() const;

  // The sides of the grid: attributes or, for what is known at run time only,
  // ops that compute them from the root's `operands`.
  /// The row dims before the cut one, and the number of tiles of that.
  SmallVector<OpFoldResult> createRowBlocks(OpBuilder &builder, Location loc,
                                            ValueRange operands) const;
  /// Groups, and panels of each.
  SmallVector<OpFoldResult> createPanels(OpBuilder &builder, Location loc,
                                         ValueRange operands) const;
};

/// True if `conv` is depthwise and a kernel can compute it plane by plane once
/// both images are channels-first, whatever they are now: few enough input
/// elements are under some rows of the result.
bool canBePlanar(ConvOp conv);
/// True if it is so computed: the kernel pads, and reads the filter as it is.
bool isPlanar(ConvOp conv);

/// A spatial dim of a convolution or a pool: which it is of the image and of
/// the result, and how the window, whose size may be dynamic, moves along it.
struct WindowedDim {
  int64_t image, result;
  int64_t window, stride, dilation;

  /// Whether the size stays if nothing is padded.
  bool isPointwise() const { return window == 1 && stride == 1; }
};

/// None for a product.
SmallVector<WindowedDim> getWindowedDims(FusionRootOpInterface root);

/// Those that are pointwise, of a root without padding: kernels take image and
/// result to be of one size there.
SmallVector<WindowedDim> getPointwiseDims(FusionRootOpInterface root);

/// True if the kernel emitter takes `root`: on tensors after layout assignment,
/// or on memrefs. If not, `reason` says why.
bool hasKernel(FusionRootOpInterface root, const TargetInfo &target,
               std::string *reason = nullptr);

/// The number of units of work of `root`, on memrefs and with a kernel; what
/// `range(%lo, %hi)` counts in. An attribute or, where sizes are known at run
/// time only, ops that compute it from `operands`, which stand for the root's.
OpFoldResult createKernelUnits(OpBuilder &builder, FusionRootOpInterface root,
                               ValueRange operands, const TargetInfo &target);

/// The floating-point operations of `root`, which has a kernel, likewise.
OpFoldResult createKernelFlops(OpBuilder &builder, FusionRootOpInterface root,
                               const TargetInfo &target);

/// Floating-point operations of a root of static shape without its epilogue,
/// a multiplication and an addition being two; kDynamic for a dynamic shape.
int64_t getFlops(FusionRootOpInterface root);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_KERNELPLAN_H
