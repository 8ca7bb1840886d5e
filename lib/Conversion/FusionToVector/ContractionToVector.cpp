//===-- ContractionToVector.cpp - The micro-kernel of sums of products ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense and grouped convolutions and matrix products: a tile of rows x vectors
// accumulators stays in registers over all reduction loops. One step of the
// innermost loop loads each vector of weights and each row's scalar once:
//
//   %w0 = vector.load %weights[%k] …        %w1 = …
//   %x  = memref.load %input[%row0 + %k] ;  %b = vector.broadcast %x
//   %c00 = vector.fma %b, %w0, %acc00 ;     %c01 = vector.fma %b, %w1, %acc01
//   … for each row
//
// What lies in padding is skipped: of a window's rows by the bounds of the loop
// over them, and of its columns, where a tile is at the edge of the image, by
// code of their own for those of its pixels that are inside.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// The rows of a tile for which a step is emitted.
struct TileRows {
  int64_t firstRow, endRow, firstColumn, endColumn;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelEmitter &emitter)
      : emitter(emitter), plan(emitter.plan),
        input(emitter.getFlat(emitter.root->getOperand(0))),
        weights(emitter.getFlat(emitter.root.getWeights()->get())) {}
  void emitTile(const Tile &tile);

private:
  using Values = SmallVector<Value>;
  /// The loops around a step; takes and returns the sums of `rows`, all vectors
  /// of the first one, then of the next.
  Values emitLoops(const Tile &tile, ArrayRef<ReductionLoop> loops,
                   TileRows rows, Value inputAt, Value weightsAt,
                   ValueRange sums);
  Values emitWindow(const Tile &tile, ArrayRef<ReductionLoop> loops,
                    TileRows rows, Value inputAt, Value weightsAt,
                    ValueRange sums);
  Values emitStep(const Tile &tile, TileRows rows, Value inputAt,
                  Value weightsAt, ValueRange sums);

  KernelEmitter &emitter;
  const KernelPlan &plan;
  Value input, weights;
};
} // namespace

/// Indices into the sums of `rows` of those of `part`, which is inside.
static SmallVector<int64_t> getPlaces(TileRows rows, TileRows part,
                                      int64_t numVectors) {
  SmallVector<int64_t> places;
  int64_t width = rows.endColumn - rows.firstColumn;
  for (int64_t i = part.firstRow; i < part.endRow; ++i)
    for (int64_t j = part.firstColumn; j < part.endColumn; ++j)
      for (int64_t v = 0; v < numVectors; ++v)
        places.push_back(((i - rows.firstRow) * width + j - rows.firstColumn) *
                             numVectors +
                         v);
  return places;
}

void ContractionEmitter::emitTile(const Tile &tile) {
  int64_t numSums = tile.height * tile.width * emitter.getNumVectors(tile);
  Values sums(numSums, emitter.createZero());
  Value inputAt = emitter.getInputBase(tile);
  Value weightsAt = emitter.getBase(plan.weights, tile);
  emitter.prefetchEpilogue(tile);
  emitter.emitEpilogue(tile, emitLoops(tile, plan.reductions,
                                       {0, tile.height, 0, tile.width}, inputAt,
                                       weightsAt, sums));
}

SmallVector<Value> ContractionEmitter::emitLoops(const Tile &tile,
                                                 ArrayRef<ReductionLoop> loops,
                                                 TileRows rows, Value inputAt,
                                                 Value weightsAt,
                                                 ValueRange sums) {
  if (loops.empty())
    return emitStep(tile, rows, inputAt, weightsAt, sums);
  const ReductionLoop &loop = loops.front();
  if (loop.window && plan.isInTiles(loop.window->rowDim))
    return emitWindow(tile, loops, rows, inputAt, weightsAt, sums);
  return emitter.emitReduction(
      loop, tile, inputAt, weightsAt, sums,
      [&](Value nextInput, Value nextWeights, ValueRange inner) {
        return emitLoops(tile, loops.drop_front(), rows, nextInput, nextWeights,
                         inner);
      });
}

/// A window along a dim in which the tile has several rows: one loop after the
/// other over steps that the same rows take inside the image.
SmallVector<Value> ContractionEmitter::emitWindow(const Tile &tile,
                                                  ArrayRef<ReductionLoop> loops,
                                                  TileRows rows, Value inputAt,
                                                  Value weightsAt,
                                                  ValueRange sums) {
  Values all(sums);
  const ReductionLoop &loop = loops.front();
  for (WindowSteps steps : plan.getSteps(loop, tile.firstRow, tile.height)) {
    TileRows part = rows;
    if (loop.window->rowDim == plan.cutDim) {
      part.firstRow = steps.firstRow;
      part.endRow = steps.endRow;
    } else {
      part.firstColumn = steps.firstRow;
      part.endColumn = steps.endRow;
    }
    SmallVector<ReductionLoop> inner(loops);
    inner.front() = {steps.to - steps.from, loop.inputStride,
                     loop.weightsStride};
    mergeReductions(inner);
    auto startAt = [&](Value at, const Extent &stride) {
      return emitter.add(at, emitter.get(stride * steps.from));
    };
    SmallVector<int64_t> places =
        getPlaces(rows, part, emitter.getNumVectors(tile));
    Values sumsOfPart;
    for (int64_t place : places)
      sumsOfPart.push_back(all[place]);
    sumsOfPart =
        emitLoops(tile, inner, part, startAt(inputAt, loop.inputStride),
                  startAt(weightsAt, loop.weightsStride), sumsOfPart);
    for (auto [place, sum] : llvm::zip_equal(places, sumsOfPart))
      all[place] = sum;
  }
  return all;
}

SmallVector<Value> ContractionEmitter::emitStep(const Tile &tile, TileRows rows,
                                                Value inputAt, Value weightsAt,
                                                ValueRange sums) {
  int64_t numVectors = emitter.getNumVectors(tile);
  Values next(sums), panel;
  for (int64_t i = 0; i < numVectors; ++i) {
    int64_t offset = i * plan.lanes;
    if (plan.prefetchSteps)
      emitter.prefetch(
          weights, weightsAt,
          emitter.attribute(offset + plan.prefetchSteps * plan.getPanelSize()));
    // Packed weights are zero-filled to whole vectors.
    Value mask;
    if (!plan.packedWeights)
      mask = emitter.createMask(tile, i);
    panel.push_back(
        emitter.loadInput(weights, weightsAt, emitter.attribute(offset), mask));
  }
  SmallVector<OpFoldResult> offsets = emitter.getRowOffsets(plan.input, tile);
  auto *sum = next.begin();
  for (int64_t i = rows.firstRow; i < rows.endRow; ++i)
    for (int64_t j = rows.firstColumn; j < rows.endColumn; ++j) {
      Value scalar = emitter.loadInputBroadcast(input, inputAt,
                                                offsets[i * tile.width + j]);
      for (Value vector : panel) {
        *sum = emitter.multiplyAdd(scalar, vector, *sum);
        ++sum;
      }
    }
  return next;
}

void fusion::emitContraction(KernelEmitter &emitter) {
  ContractionEmitter contraction(emitter);
  emitter.emitUnits([&](const Tile &tile) { contraction.emitTile(tile); });
}
