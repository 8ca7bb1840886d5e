//===-- PlanesToVector.cpp - Depthwise convolutions of planes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are channels-first, so the lanes are pixels of a row, and the filter's
// elements are broadcast. Input rows are copied to the stack, between zeros and
// with every stride-th element side by side: no load of the sums needs a mask,
// and padding costs nothing but these zeros. A few rows are summed at once, and
// each input vector under their windows is loaded once for all of them:
//
//   for rows of a plane:
//     copy the input rows of the next tile
//     for pixels:                           // of rows y, y + 1, y + 2, y + 3
//       for each input row i, for each column j of the window:
//         %x = vector.load %staged[i, phase of j, pixel + j / stride]
//         %sum(y) = vector.fma %x, %filter(i - y, j), %sum(y) …
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// Rows of more vectors are copied by a loop.
static constexpr int64_t kMaxUnrolledVectors = 8;

namespace {
/// One dim of the windows. A line has one row.
struct Axis {
  Axis(ConvOp conv, int64_t dim) {
    if (dim < 0)
      return;
    window = conv.getKernelSizes()[dim];
    stride = conv.getStrides()[dim];
    dilation = getDilation(window, conv.getDilations()[dim]);
    padLow = conv.getPadLow()[dim];
    isPadded = padLow != 0 || conv.getPadHigh()[dim] != 0;
  }
  /// Input positions under the windows of `pixels` neighbours.
  int64_t getSpan(int64_t pixels) const {
    return (pixels - 1) * stride + getWindowSpan(window, dilation);
  }

  int64_t window = 1, stride = 1, dilation = 1, padLow = 0;
  bool isPadded = false;
};

class PlanesEmitter {
public:
  PlanesEmitter(KernelEmitter &emitter);
  /// A stretch of rows of one plane.
  void emitUnit(Tile unit);

private:
  void clearStaged();
  void stageRows(Value plane, Value firstRow, Value from, Value to);
  void forVectorsOfRow(function_ref<void(Value, int64_t)> emitVector);
  void copyRow(Value source, Value target);
  void clearRow(Value target);
  Value loadColumns(Value source, int64_t count);
  void storePhase(Value vector, Value target, int64_t phase);
  SmallVector<Value> loadFilter(const Tile &unit);
  void emitRow(Tile tile, Value inputRow, ArrayRef<Value> weights);
  void emitTile(const Tile &tile, Value inputAt, ArrayRef<Value> weights);

  KernelEmitter &emitter;
  const KernelPlan &plan;
  OpBuilder &builder;
  Location loc;
  ConvOp conv;
  Value input, filter;
  Axis rows, columns;
  /// Columns of the input, and those in one vector of each phase.
  int64_t width, step;
  /// The input rows of a unit.
  Value staged;
};
} // namespace

PlanesEmitter::PlanesEmitter(KernelEmitter &emitter)
    : emitter(emitter), plan(emitter.plan), builder(emitter.builder),
      loc(emitter.loc), conv(cast<ConvOp>(emitter.root.getOperation())),
      input(emitter.getFlat(conv.getInput())),
      filter(emitter.getFlat(conv.getFilter())),
      rows(conv, conv.getNumSpatialDims() - 2),
      columns(conv, conv.getNumSpatialDims() - 1),
      width(conv.getInput().getType().getShape().back()),
      step(plan.lanes * plan.stagedRow.phases) {
  int64_t size = rows.getSpan(plan.pixelsOfUnit) * plan.stagedRow.getSize();
  auto type = MemRefType::get(size, emitter.getVectorType().getElementType());
  // Before the loop over the units, since it lives until the function returns.
  staged = memref::AllocaOp::create(builder, loc, type,
                                    builder.getI64IntegerAttr(64));
  clearStaged();
}

//===-- Input rows --------------------------------------------------------===//

/// What lies beside the image's columns stays zero from then on.
void PlanesEmitter::clearStaged() {
  Value zero = emitter.createZero();
  Value size =
      emitter.constant(cast<MemRefType>(staged.getType()).getNumElements());
  emitter.emitLoop(emitter.constant(0), size, plan.lanes, [&](Value at) {
    emitter.storeVector(zero, staged, at, emitter.attribute(0), /*mask=*/{});
  });
}

/// Copies of the input rows of a unit those from `from` to `to`. Row 0 is row
/// `firstRow` of the image, which is below 0 in the padding.
void PlanesEmitter::stageRows(Value plane, Value firstRow, Value from,
                              Value to) {
  auto loop = scf::ForOp::create(builder, loc, from, to, emitter.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value target = emitter.multiply(number, plan.stagedRow.getSize());
  Value row = builder.createOrFold<arith::AddIOp>(loc, firstRow, number);
  Extent stride = plan.reductions.front().inputStride / rows.dilation;
  auto copy = [&] {
    Value source = builder.createOrFold<arith::AddIOp>(
        loc, plane, emitter.multiply(row, stride));
    copyRow(source, target);
  };
  if (!rows.isPadded)
    return copy();
  // As an unsigned number, what is below 0 is large.
  Value height = emitter.getValue(emitter.get(plan.imageSizes.front()));
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       row, height);
  auto branch = scf::IfOp::create(builder, loc, inside, /*withElse=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  copy();
  builder.setInsertionPointToStart(branch.elseBlock());
  clearRow(target);
}

/// Calls `emitVector` for each vector of a phase that holds columns of the
/// image, with their number in all phases.
void PlanesEmitter::forVectorsOfRow(
    function_ref<void(Value, int64_t)> emitVector) {
  int64_t whole = width / step, rest = width % step;
  if (whole > kMaxUnrolledVectors)
    emitter.emitLoop(emitter.constant(0), emitter.constant(whole), 1,
                     [&](Value vector) { emitVector(vector, step); });
  else
    for (int64_t vector = 0; vector < whole; ++vector)
      emitVector(emitter.constant(vector), step);
  if (rest != 0)
    emitVector(emitter.constant(whole), rest);
}

void PlanesEmitter::copyRow(Value source, Value target) {
  forVectorsOfRow([&](Value vector, int64_t count) {
    Value from = builder.createOrFold<arith::AddIOp>(
        loc, source, emitter.multiply(vector, step));
    Value to = builder.createOrFold<arith::AddIOp>(
        loc, target, emitter.multiply(vector, plan.lanes));
    Value elements = loadColumns(from, count);
    int64_t phases = plan.stagedRow.phases;
    for (int64_t phase = 0; phase < phases; ++phase) {
      Value part = elements;
      if (phases != 1) {
        auto lanes =
            llvm::map_to_vector(llvm::seq(plan.lanes), [&](int64_t lane) {
              return lane * phases + phase;
            });
        part = vector::ShuffleOp::create(builder, loc, part, part, lanes);
      }
      storePhase(part, to, phase);
    }
  });
}

void PlanesEmitter::clearRow(Value target) {
  Value zero = emitter.createZero();
  forVectorsOfRow([&](Value vector, int64_t) {
    Value to = builder.createOrFold<arith::AddIOp>(
        loc, target, emitter.multiply(vector, plan.lanes));
    for (int64_t phase = 0; phase < plan.stagedRow.phases; ++phase)
      storePhase(zero, to, phase);
  });
}

/// `count` columns as one vector of all phases, zero behind them.
Value PlanesEmitter::loadColumns(Value source, int64_t count) {
  auto type =
      VectorType::get(step, cast<MemRefType>(input.getType()).getElementType());
  if (count == step)
    return emitter.extend(
        vector::LoadOp::create(builder, loc, type, input, source));
  Value mask = vector::ConstantMaskOp::create(
      builder, loc, type.clone(builder.getI1Type()), count);
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return emitter.extend(vector::MaskedLoadOp::create(builder, loc, type, input,
                                                     source, mask, zero));
}

void PlanesEmitter::storePhase(Value vector, Value target, int64_t phase) {
  emitter.storeVector(vector, staged, target,
                      emitter.attribute(plan.stagedRow.getPlace(phase)),
                      /*mask=*/{});
}

//===-- Sums --------------------------------------------------------------===//

/// Each element in all lanes.
SmallVector<Value> PlanesEmitter::loadFilter(const Tile &unit) {
  Value base = emitter.getBase(plan.weights, unit);
  SmallVector<Value> weights;
  for (int64_t i = 0; i < rows.window; ++i)
    for (int64_t j = 0; j < columns.window; ++j) {
      OpFoldResult offset = emitter.get(plan.reductions[0].weightsStride * i);
      offset = emitter.add(offset, plan.reductions[1].weightsStride * j);
      weights.push_back(emitter.loadInputBroadcast(filter, base, offset));
    }
  return weights;
}

void PlanesEmitter::emitUnit(Tile unit) {
  auto [from, to] = emitter.getStretch(unit);
  Value first = from;
  unit.rows.back() = emitter.constant(0);
  Value plane = emitter.getBase(plan.input, unit);
  SmallVector<Value> weights = loadFilter(unit);

  // Input rows of all of the unit, and those under its first rows up to a
  // tile's.
  Value firstRow = emitter.add(emitter.multiply(first, rows.stride),
                               emitter.attribute(-rows.padLow));
  Value size = builder.createOrFold<arith::SubIOp>(loc, to, from);
  Value all = emitter.add(emitter.multiply(size, rows.stride),
                          emitter.attribute(rows.getSpan(0)));
  auto getRowsBefore = [&](Value row, int64_t pixels) -> Value {
    Value count = emitter.add(emitter.multiply(row, rows.stride),
                              emitter.attribute(rows.getSpan(pixels)));
    return builder.createOrFold<arith::MinUIOp>(loc, count, all);
  };
  stageRows(plane, firstRow, emitter.constant(0),
            getRowsBefore(emitter.constant(0), plan.pixels));
  emitter.emitStretch(
      from, to, [&](Value start, Value end, const PixelClass &tiles) {
        int64_t pixels = tiles.width;
        emitter.emitLoop(start, end, pixels, [&](Value row) {
          Value number = builder.createOrFold<arith::SubIOp>(loc, row, first);
          // The next tile's rows arrive while this one is summed; after the
          // last whole tile there is no row left.
          if (pixels == plan.pixels)
            stageRows(plane, firstRow, getRowsBefore(number, plan.pixels),
                      getRowsBefore(number, 2 * plan.pixels));
          Tile tile = unit;
          tile.height = 1;
          tile.width = pixels;
          tile.rows.back() = row;
          emitRow(
              tile,
              emitter.multiply(number, rows.stride * plan.stagedRow.getSize()),
              weights);
        });
      });
}

/// All pixels of the rows of a tile.
void PlanesEmitter::emitRow(Tile tile, Value inputRow,
                            ArrayRef<Value> weights) {
  int64_t rest = tile.channels % plan.lanes;
  Value end = emitter.constant(tile.channels - rest);
  auto emitVector = [&](Value pixel, int64_t count) {
    tile.firstChannel = pixel;
    tile.channels = count;
    emitTile(tile, builder.createOrFold<arith::AddIOp>(loc, inputRow, pixel),
             weights);
  };
  if (tile.channels >= plan.lanes)
    emitter.emitLoop(emitter.constant(0), end, plan.lanes,
                     [&](Value pixel) { emitVector(pixel, plan.lanes); });
  if (rest != 0)
    emitVector(end, rest);
}

void PlanesEmitter::emitTile(const Tile &tile, Value inputAt,
                             ArrayRef<Value> weights) {
  SmallVector<Value> sums(tile.width, emitter.createZero());
  for (int64_t y = 0; y < rows.getSpan(tile.width); ++y)
    for (int64_t j = 0; j < columns.window; ++j) {
      Value pixels;
      for (int64_t i = 0; i < rows.window; ++i) {
        int64_t start = y - i * rows.dilation;
        if (start < 0 || start % rows.stride != 0 ||
            start / rows.stride >= tile.width)
          continue;
        int64_t place =
            plan.stagedRow.getPlace(j * columns.dilation - columns.padLow);
        if (!pixels)
          pixels = emitter.loadVector(
              staged, inputAt,
              emitter.attribute(y * plan.stagedRow.getSize() + place),
              /*mask=*/{});
        Value &sum = sums[start / rows.stride];
        sum = emitter.multiplyAdd(pixels, weights[i * columns.window + j], sum);
      }
    }
  emitter.emitEpilogue(tile, sums);
}

void fusion::emitPlanes(KernelEmitter &emitter) {
  PlanesEmitter planes(emitter);
  emitter.emitUnits([&](const Tile &unit) { planes.emitUnit(unit); });
}
