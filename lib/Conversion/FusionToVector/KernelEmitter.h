//===-- KernelEmitter.h - What all kernels share ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by ContractionToVector, DepthwiseToVector, PlanesToVector and
// PoolToVector: the walk over the units of a plan, addresses, loads, stores and
// the epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_KERNELEMITTER_H
#define FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_KERNELEMITTER_H

#include "FusionDialect/Analysis/KernelPlan.h"

namespace mlir::fusion {

/// A unit of work while it is emitted: what is static of it and where it lies.
struct Tile {
  /// Rows of the cut dim and, below it, of the last dim.
  int64_t height, width = 1;
  /// Channels; fewer than the panel's in a group's last panel.
  int64_t channels;
  /// For each vector the lanes that are channels, if their number is known at
  /// run time only.
  SmallVector<Value> masks;
  /// The first row's index in each row dim.
  SmallVector<Value> rows;
  /// In the cut dim, that of the first tile of the same class.
  int64_t firstRow = 0;
  Value group;
  /// The panel's index in its group.
  Value panel;
  /// The first channel's place in the panel; null if it is the panel's first.
  Value firstChannel;
};

/// The part of a window inside the image, in one dim: steps from here to there.
struct WindowRange {
  Value from, to;
};

/// Emits the kernel of one root on memrefs before the root, by its plan.
///
/// Every operand is seen as one flat run of elements. A tile has one index into
/// it, all else are offsets added to that index. They are constants, which end
/// up as displacements of machine addresses, unless rows are a number of
/// elements apart that is known at run time only.
class KernelEmitter {
public:
  /// With `fetchesAhead`, what comes from far away is prefetched.
  KernelEmitter(OpBuilder &builder, FusionRootOpInterface root,
                const KernelPlan &plan, bool fetchesAhead = true);

  /// The loop over the root's range of units; `emitTile` is called once for
  /// each static shape of a tile, at the place where it is to emit its code.
  void emitUnits(function_ref<void(const Tile &)> emitTile);

  /// The stretch of the last row dim that a unit of a depthwise convolution is.
  std::pair<Value, Value> getStretch(const Tile &unit);
  /// Calls `emitPixels` for the tiles of each class from here to there, the
  /// part of the stretch that they are.
  void
  emitStretch(Value from, Value to,
              function_ref<void(Value, Value, const PixelClass &)> emitPixels);

  /// The flat view of one of the root's memrefs.
  Value getFlat(Value memref) const { return flatViews.lookup(memref); }

  /// The index of the tile's first element of an operand.
  Value getBase(const OperandStrides &strides, const Tile &tile);
  /// The index of the input's element under the first step of all windows,
  /// which may be padding.
  Value getInputBase(const Tile &tile);
  /// The steps of a loop over a window that take the tile's first row to the
  /// image: all, if the window has no padding.
  WindowRange getWindowRange(const ReductionLoop &loop, const Tile &tile);
  /// The offset of each row of the tile from its first one.
  SmallVector<OpFoldResult> getRowOffsets(const OperandStrides &strides,
                                          const Tile &tile);
  /// Vectors that hold the tile's channels.
  int64_t getNumVectors(const Tile &tile) const {
    return llvm::divideCeil(tile.channels, plan.lanes);
  }
  /// The lanes of vector `vector` that are channels of the tile; null if all
  /// are, as they are but in the last vector.
  Value createMask(const Tile &tile, int64_t vector);

  /// Elements at `base + offset` as a whole vector; lanes outside `mask` are
  /// not read and hold zero. No mask means all lanes.
  Value loadVector(Value flat, Value base, OpFoldResult offset, Value mask);
  /// One element in all lanes.
  Value loadBroadcast(Value flat, Value base, OpFoldResult offset);
  /// The same of what is summed: extended to the accumulator's type.
  Value loadInput(Value flat, Value base, OpFoldResult offset, Value mask);
  Value loadInputBroadcast(Value flat, Value base, OpFoldResult offset);
  /// A scalar or vector in the accumulator's type.
  Value extend(Value value);
  void storeVector(Value vector, Value flat, Value base, OpFoldResult offset,
                   Value mask);

  /// Fetches the line of the element at `base + offset`, if the emitter fetches
  /// ahead.
  void prefetch(Value flat, Value base, OpFoldResult offset,
                bool isWrite = false);

  /// Fetches what the epilogue reads element by element, and the lines that it
  /// writes far apart, if the emitter fetches ahead: the sums take long enough
  /// to hide where they come from.
  void prefetchEpilogue(const Tile &tile);
  /// Applies the epilogue to the finished elements and stores them. `elements`
  /// are all vectors of the first row, then of the next. A long epilogue is a
  /// loop over the rows, since its temporaries and a tile of accumulators do
  /// not fit into registers together, and its code would be repeated for each.
  void emitEpilogue(const Tile &tile, ArrayRef<Value> elements);

  /// One loop; `emitBody` gets the induction variable and the carried values
  /// and returns their next values.
  SmallVector<Value>
  emitFor(Value from, Value to, ValueRange carried,
          function_ref<SmallVector<Value>(Value, ValueRange)> emitBody);
  /// One loop in steps of `step` that divide `to - from`, none at all if it is
  /// known to be one step.
  void emitLoop(Value from, Value to, int64_t step,
                function_ref<void(Value)> emitBody);
  /// The loop over the steps of a reduction that take the tile's first row to
  /// the image. `emitBody` gets the indices into input and weights and the sums
  /// so far, and returns the next sums.
  SmallVector<Value> emitReduction(
      const ReductionLoop &loop, const Tile &tile, Value input, Value weights,
      ValueRange sums,
      function_ref<SmallVector<Value>(Value, Value, ValueRange)> emitBody);

  /// `acc + x * y`, fused where the CPU can.
  Value multiplyAdd(Value x, Value y, Value acc);

  // Index arithmetic that folds constants.
  Value constant(int64_t value);
  OpFoldResult attribute(int64_t value) const {
    return builder.getIndexAttr(value);
  }
  /// A size or a stride. What it takes to compute it comes before the loop over
  /// the units, once.
  OpFoldResult get(const Extent &extent);
  Value getValue(OpFoldResult size);
  Value add(Value index, OpFoldResult offset);
  OpFoldResult add(OpFoldResult offset, const Extent &more);
  Value multiply(Value index, OpFoldResult factor);
  Value multiply(Value index, const Extent &factor) {
    return multiply(index, get(factor));
  }
  /// The largest multiple of `step` that is no larger than `index`.
  Value roundDown(Value index, int64_t step);
  /// The indices of the element at `index` of a row-major grid of `sizes`.
  SmallVector<Value> delinearize(Value index, ArrayRef<OpFoldResult> sizes);

  VectorType getVectorType() const { return vectorType; }
  /// `value` in all lanes.
  Value splat(TypedAttr value);
  /// The accumulator's zero in all lanes.
  Value createZero() {
    return splat(builder.getZeroAttr(vectorType.getElementType()));
  }

  OpBuilder &builder;
  FusionRootOpInterface root;
  Location loc;
  const KernelPlan &plan;

private:
  void emitIf(Value condition, function_ref<void()> emitThen,
              function_ref<void()> emitElse);
  void emitHeights(Value cutIndex, Tile tile,
                   function_ref<void(const Tile &)> emitTile);
  void emitHeightsAtRunTime(Value cutIndex, Tile tile,
                            function_ref<void(const Tile &)> emitTile);
  void emitRest(Value first, Value rest, Tile tile,
                function_ref<void(const Tile &)> emitTile);
  void emitPanels(Tile tile, function_ref<void(const Tile &)> emitTile);
  void createMasks(Tile &tile, Value rest);
  Value flatten(Value memref);
  bool hasLongEpilogue();

  bool fetchesAhead;
  VectorType vectorType;
  DenseMap<Value, Value> flatViews;
  SmallVector<std::pair<Extent, Value>> extents;
  Value createScratch(Type elementType, int64_t vectors);
  /// A tile's elements on the stack, if the epilogue is long, and one vector of
  /// each row of the epilogue operands that are channels-first and, last, of
  /// the init.
  Value scratch;
  SmallVector<Value> turnedScratch;
};

// One function a kind of plan.
void emitContraction(KernelEmitter &emitter);
void emitDepthwise(KernelEmitter &emitter);
void emitPlanes(KernelEmitter &emitter);
void emitPool(KernelEmitter &emitter);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_CONVERSION_FUSIONTOVECTOR_KERNELEMITTER_H
