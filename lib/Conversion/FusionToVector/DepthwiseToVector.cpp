//===-- DepthwiseToVector.cpp - Depthwise convolutions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each channel has its own filter, so the lanes are channels of input, filter
// and result alike. A few neighbouring pixels are summed at once, and each
// input vector under their windows is loaded once for all of them:
//
//   for pixels, for channels:               // of rows y and y + 1
//     for each input position (i, j) that a window of the tile covers:
//       %x = vector.load %input[i, j]
//       %sum(y, x) = vector.fma %x, %filter(i - y, j - x), %sum(y, x) …
//
// What lies in padding is skipped: rows by a branch around them, and columns by
// code of their own for tiles at the edges of the image.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// Of one dim of the input, what the pixels of a tile read: pixel `i` and
/// element `k` of its window meet at `i * stride + k * dilation`.
struct Axis {
  int64_t pixels = 1, window = 1, stride = 1, dilation = 1;
  /// From one input position to the next.
  Extent unit;

  /// The input positions that count, those inside the image.
  int64_t from = 0, to = std::numeric_limits<int64_t>::max();

  /// Pixels and their window's elements by input position.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> getUses() const {
    std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> uses;
    for (int64_t i = 0; i < pixels; ++i)
      for (int64_t k = 0; k < window; ++k)
        if (int64_t at = i * stride + k * dilation; at >= from && at < to)
          uses[at].push_back({i, k});
    return uses;
  }
};

class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelEmitter &emitter);
  /// All channels of a stretch of pixels.
  void emitUnit(const Tile &unit);

private:
  void emitPixels(Tile tile, Value from, Value to, const PixelClass &pixels);
  void emitTile(const Tile &tile);
  SmallVector<Value> emitLoopedDims(const Tile &tile, int64_t dim, Value input,
                                    Value filter, ValueRange sums);
  void emitUnrolledDims(const Tile &tile, int64_t dim, Value inputAt,
                        OpFoldResult inputOffset, Value filterAt,
                        int64_t filterOffset, SmallVector<Value> &sums);
  void emitInside(Value isInside, SmallVector<Value> &sums,
                  function_ref<void(SmallVector<Value> &)> emitSums);
  Value createIsInside(const Tile &tile, int64_t dim, int64_t offset);
  void emitPlane(const Tile &tile, Value inputAt, OpFoldResult inputOffset,
                 Value filterAt, int64_t filterOffset,
                 SmallVector<Value> &sums);
  /// Input positions along spatial dim `dim`, for `pixels` of the tile.
  Axis getAxis(int64_t dim, int64_t pixels);
  bool isUnrolled(int64_t dim) const { return dim >= firstUnrolled; }
  int64_t getFilterStride(int64_t dim) const {
    return plan.reductions[dim].weightsStride.getStatic();
  }

  KernelEmitter &emitter;
  const KernelPlan &plan;
  ConvOp conv;
  Value input, filter;
  SmallVector<int64_t> window;
  int64_t firstUnrolled;
  /// Columns of the input that the tile at hand reads.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> usesOfColumns;
};
} // namespace

DepthwiseEmitter::DepthwiseEmitter(KernelEmitter &emitter)
    : emitter(emitter), plan(emitter.plan),
      conv(cast<ConvOp>(emitter.root.getOperation())),
      input(emitter.getFlat(conv.getInput())),
      filter(emitter.getFlat(conv.getFilter())), window(conv.getKernelSizes()),
      firstUnrolled(window.size()) {
  for (int64_t size = 1; firstUnrolled > 0; --firstUnrolled) {
    size *= window[firstUnrolled - 1];
    if (size > KernelPlan::kMaxUnrolledWindow)
      break;
  }
}

Axis DepthwiseEmitter::getAxis(int64_t dim, int64_t pixels) {
  Axis axis;
  axis.pixels = pixels;
  // The batches of a one-dimensional convolution share no input.
  if (dim < 0) {
    axis.unit = plan.input.rows.front();
    return axis;
  }
  axis.stride = conv.getStrides()[dim];
  axis.dilation =
      getDilation(conv.getKernelSizes()[dim], conv.getDilations()[dim]);
  axis.unit = plan.reductions[dim].inputStride / axis.dilation;
  if (isUnrolled(dim))
    axis.window = window[dim];
  return axis;
}

void DepthwiseEmitter::emitUnit(const Tile &unit) {
  auto [from, to] = emitter.getStretch(unit);
  emitter.emitStretch(from, to,
                      [&](Value first, Value end, const PixelClass &pixels) {
                        emitPixels(unit, first, end, pixels);
                      });
}

/// Tiles of one class, and in each all channels.
void DepthwiseEmitter::emitPixels(Tile tile, Value from, Value to,
                                  const PixelClass &pixels) {
  tile.width = pixels.width;
  Axis columns = getAxis(window.size() - 1, tile.width);
  if (plan.reductions.back().window) {
    columns.from = pixels.fromColumn;
    columns.to = pixels.toColumn;
  }
  usesOfColumns = columns.getUses();
  int64_t whole = tile.channels / plan.lanes * plan.lanes;
  int64_t rest = tile.channels - whole;
  emitter.emitLoop(from, to, tile.width, [&](Value pixel) {
    tile.rows.back() = pixel;
    tile.channels = plan.lanes;
    Value first = emitter.constant(0);
    Value end = emitter.constant(whole);
    if (whole != 0)
      emitter.emitLoop(first, end, plan.lanes, [&](Value channel) {
        tile.firstChannel = channel;
        emitTile(tile);
      });
    if (rest == 0)
      return;
    tile.channels = rest;
    tile.firstChannel = end;
    emitTile(tile);
  });
}

void DepthwiseEmitter::emitTile(const Tile &tile) {
  SmallVector<Value> sums(tile.height * tile.width, emitter.createZero());
  Value inputAt = emitter.getInputBase(tile);
  Value filterAt = emitter.getBase(plan.weights, tile);
  emitter.emitEpilogue(tile, emitLoopedDims(tile, 0, inputAt, filterAt, sums));
}

SmallVector<Value> DepthwiseEmitter::emitLoopedDims(const Tile &tile,
                                                    int64_t dim, Value inputAt,
                                                    Value filterAt,
                                                    ValueRange sums) {
  if (isUnrolled(dim)) {
    SmallVector<Value> next(sums);
    emitUnrolledDims(tile, dim, inputAt, emitter.attribute(0), filterAt, 0,
                     next);
    return next;
  }
  return emitter.emitReduction(
      plan.reductions[dim], tile, inputAt, filterAt, sums,
      [&](Value nextInput, Value nextFilter, ValueRange carried) {
        return emitLoopedDims(tile, dim + 1, nextInput, nextFilter, carried);
      });
}

/// The dims before the last two, whose windows have no input in common here.
void DepthwiseEmitter::emitUnrolledDims(const Tile &tile, int64_t dim,
                                        Value inputAt, OpFoldResult inputOffset,
                                        Value filterAt, int64_t filterOffset,
                                        SmallVector<Value> &sums) {
  if (dim + 2 >= static_cast<int64_t>(window.size()))
    return emitPlane(tile, inputAt, inputOffset, filterAt, filterOffset, sums);
  for (int64_t k = 0; k < window[dim]; ++k)
    emitInside(
        createIsInside(tile, dim, k * conv.getDilations()[dim]), sums,
        [&](SmallVector<Value> &inner) {
          emitUnrolledDims(
              tile, dim + 1, inputAt,
              emitter.add(inputOffset, plan.reductions[dim].inputStride * k),
              filterAt, filterOffset + k * getFilterStride(dim), inner);
        });
}

/// What is added to `sums` if `isInside`, or always if that is null.
void DepthwiseEmitter::emitInside(
    Value isInside, SmallVector<Value> &sums,
    function_ref<void(SmallVector<Value> &)> emitSums) {
  if (!isInside)
    return emitSums(sums);
  OpBuilder &builder = emitter.builder;
  SmallVector<Value> next(sums);
  auto yield = [&](ArrayRef<Value> values) {
    scf::YieldOp::create(builder, emitter.loc, values);
  };
  auto branch = scf::IfOp::create(
      builder, emitter.loc, isInside,
      [&](OpBuilder &, Location) {
        emitSums(next);
        yield(next);
      },
      [&](OpBuilder &, Location) { yield(sums); });
  sums.assign(branch.result_begin(), branch.result_end());
}

/// Whether position `offset` under the window of the tile's first row along
/// `dim` is inside the image; null if it is known to be.
Value DepthwiseEmitter::createIsInside(const Tile &tile, int64_t dim,
                                       int64_t offset) {
  const std::optional<PaddedWindow> &window = plan.reductions[dim].window;
  if (!window)
    return {};
  const Extent &rows = plan.rows[window->rowDim];
  int64_t origin = offset - window->low;
  bool isBehindStart = origin >= 0, isBeforeEnd = false;
  if (rows.isStatic() && window->size.isStatic()) {
    int64_t height = window->rowDim == plan.cutDim ? tile.height : 1;
    isBeforeEnd = (rows.getStatic() - height) * window->stride + origin <
                  window->size.getStatic();
  }
  if (isBehindStart && isBeforeEnd)
    return {};
  OpBuilder &builder = emitter.builder;
  Value position =
      emitter.add(emitter.multiply(tile.rows[window->rowDim], window->stride),
                  emitter.attribute(origin));
  // As unsigned numbers, those below zero are beyond the end.
  return arith::CmpIOp::create(builder, emitter.loc, arith::CmpIPredicate::ult,
                               position,
                               emitter.getValue(emitter.get(window->size)));
}

void DepthwiseEmitter::emitPlane(const Tile &tile, Value inputAt,
                                 OpFoldResult inputOffset, Value filterAt,
                                 int64_t filterOffset,
                                 SmallVector<Value> &sums) {
  int64_t last = static_cast<int64_t>(window.size()) - 1;
  Axis rows = getAxis(last - 1, tile.height),
       columns = getAxis(last, tile.width);
  Value mask = emitter.createMask(tile, 0);
  SmallVector<Value> weights(rows.window * columns.window);
  auto getWeights = [&](int64_t i, int64_t j) {
    Value &vector = weights[i * columns.window + j];
    if (!vector) {
      int64_t offset = filterOffset + j * getFilterStride(last);
      if (i != 0)
        offset += i * getFilterStride(last - 1);
      vector =
          emitter.loadInput(filter, filterAt, emitter.attribute(offset), mask);
    }
    return vector;
  };
  for (auto &row : rows.getUses()) {
    int64_t y = row.first;
    Value isInside = last == 0 ? Value() : createIsInside(tile, last - 1, y);
    SmallVector<Value> before(weights);
    emitInside(isInside, sums, [&](SmallVector<Value> &inner) {
      for (auto &[x, columnUses] : usesOfColumns) {
        OpFoldResult offset = emitter.add(
            emitter.add(inputOffset, rows.unit * y), columns.unit * x);
        Value pixel = emitter.loadInput(input, inputAt, offset, mask);
        for (auto [pixelRow, i] : row.second)
          for (auto [column, j] : columnUses) {
            Value &sum = inner[pixelRow * tile.width + column];
            sum = emitter.multiplyAdd(pixel, getWeights(i, j), sum);
          }
      }
    });
    // What is loaded in a branch is known there only.
    if (isInside)
      weights = std::move(before);
  }
}

void fusion::emitDepthwise(KernelEmitter &emitter) {
  DepthwiseEmitter depthwise(emitter);
  emitter.emitUnits([&](const Tile &unit) { depthwise.emitUnit(unit); });
}
