//===-- VectorEpilogue.cpp - An epilogue on accumulators ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones the epilogue with vector types while the sums are in registers. What
// is channels-first has the lanes of a vector far apart and its rows next to
// each other: it is turned in registers, as a block of rows and lanes.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "TransposeToVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// The epilogue of one tile.
class EpilogueEmitter {
public:
  EpilogueEmitter(KernelEmitter &emitter, const Tile &tile);
  /// All rows one after the other: `elements` stay in registers.
  void emitUnrolled(ArrayRef<Value> elements);
  /// One loop over the rows, which reads the elements from `scratch`, and from
  /// `turnedScratch` what operands that are channels-first hold.
  void emitLoop(ArrayRef<Value> elements, Value scratch,
                ArrayRef<Value> turnedScratch);

private:
  /// An operand, or the init.
  struct Operand {
    /// Null if the operand is a scalar, which `scalar` holds in all lanes.
    Value flat, scalar;
    const OperandStrides *strides;
    Value base;
    SmallVector<OpFoldResult> rowOffsets;
    bool isSharedByRows() const;
    bool isTurned() const { return flat && strides->isChannelsFirst(); }
  };
  /// Where a row's element of an operand lies.
  struct Place {
    Value base;
    OpFoldResult offset;
  };

  Operand makeOperand(Value operand, const OperandStrides &strides);
  Value load(const Operand &operand, Place place, int64_t vector);
  /// Loads into `arguments` what is the same for all rows of one vector.
  SmallVector<Value> loadShared(int64_t vector);
  /// Calls `emitBlock` with the first row of each block of neighbouring rows,
  /// its offset and its number of rows: at most the lanes of a vector.
  void forBlocks(const Operand &operand,
                 function_ref<void(int64_t, OpFoldResult, int64_t)> emitBlock);
  /// One vector of each row of an operand that is channels-first.
  SmallVector<Value> loadTurned(const Operand &operand, int64_t vector);
  void storeTurned(ArrayRef<Value> rows, int64_t vector);
  int64_t getNumChannels(int64_t vector) const {
    return std::min(emitter.plan.lanes,
                    tile.channels - vector * emitter.plan.lanes);
  }
  /// The epilogue of one vector of one row; `placeOf` says where the row's
  /// elements are of operands that `arguments` do not hold yet.
  Value apply(Value element, int64_t vector, SmallVector<Value> arguments,
              function_ref<Place(const Operand &)> placeOf);
  void store(Value result, int64_t vector, Place place);

  KernelEmitter &emitter;
  const Tile &tile;
  int64_t numVectors;
  Operand init;
  /// In the order of the epilogue's arguments behind the accumulator.
  SmallVector<Operand> operands;
};
} // namespace

EpilogueEmitter::EpilogueEmitter(KernelEmitter &emitter, const Tile &tile)
    : emitter(emitter), tile(tile), numVectors(emitter.getNumVectors(tile)) {
  FusionRootOpInterface root = emitter.root;
  for (auto [i, strides] : llvm::enumerate(emitter.plan.epilogue))
    operands.push_back(makeOperand(root.getEpilogueOperand(i), strides));
  init = makeOperand(root.getInitValue(), emitter.plan.init);
  if (root.readsInit())
    operands.push_back(init);
}

bool EpilogueEmitter::Operand::isSharedByRows() const {
  return llvm::all_of(rowOffsets, isZeroInteger);
}

EpilogueEmitter::Operand
EpilogueEmitter::makeOperand(Value operand, const OperandStrides &strides) {
  Operand made;
  made.strides = &strides;
  made.rowOffsets = emitter.getRowOffsets(strides, tile);
  if (isa<MemRefType>(operand.getType())) {
    made.flat = emitter.getFlat(operand);
    made.base = emitter.getBase(strides, tile);
  } else {
    made.scalar = vector::BroadcastOp::create(
        emitter.builder, emitter.loc,
        emitter.getVectorType().clone(operand.getType()), operand);
  }
  return made;
}

Value EpilogueEmitter::load(const Operand &operand, Place place,
                            int64_t vector) {
  if (operand.scalar)
    return operand.scalar;
  if (!operand.strides->hasChannels())
    return emitter.loadBroadcast(operand.flat, place.base, place.offset);
  OpFoldResult offset = emitter.add(place.offset, vector * emitter.plan.lanes);
  return emitter.loadVector(operand.flat, place.base, offset,
                            emitter.createMask(tile, vector));
}

SmallVector<Value> EpilogueEmitter::loadShared(int64_t vector) {
  SmallVector<Value> arguments(operands.size() + 1);
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.isSharedByRows())
      arguments[i + 1] =
          load(operand, {operand.base, emitter.attribute(0)}, vector);
  return arguments;
}

//===-- What is channels-first --------------------------------------------===//

void EpilogueEmitter::forBlocks(
    const Operand &operand,
    function_ref<void(int64_t, OpFoldResult, int64_t)> emitBlock) {
  // Rows of the last dim are neighbours; those of the dim before it are not.
  const KernelPlan &plan = emitter.plan;
  bool isLast = plan.cutDim == static_cast<int64_t>(plan.rows.size()) - 1;
  int64_t run = isLast ? tile.height : tile.width;
  int64_t numRows = tile.height * tile.width;
  for (int64_t first = 0; first < numRows; first += run)
    for (int64_t done = 0; done < run; done += plan.lanes)
      emitBlock(first + done, emitter.add(operand.rowOffsets[first], done),
                std::min(plan.lanes, run - done));
}

SmallVector<Value> EpilogueEmitter::loadTurned(const Operand &operand,
                                               int64_t vector) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  int64_t lanes = emitter.plan.lanes;
  SmallVector<Value> rows(tile.height * tile.width);
  auto type = VectorType::get(
      lanes, cast<MemRefType>(operand.flat.getType()).getElementType());
  forBlocks(operand, [&](int64_t first, OpFoldResult offset, int64_t count) {
    Value mask;
    if (count < lanes)
      mask = vector::ConstantMaskOp::create(
          builder, loc, type.clone(builder.getI1Type()), count);
    SmallVector<Value> block;
    for (int64_t i = 0; i < getNumChannels(vector); ++i) {
      OpFoldResult at =
          emitter.add(offset, operand.strides->lane * (vector * lanes + i));
      block.push_back(emitter.loadVector(operand.flat, operand.base, at, mask));
    }
    block.resize(lanes, createUnused(builder, loc, type));
    transposeBlock(builder, loc, block);
    llvm::copy(ArrayRef(block).take_front(count), rows.begin() + first);
  });
  return rows;
}

void EpilogueEmitter::storeTurned(ArrayRef<Value> rows, int64_t vector) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  int64_t lanes = emitter.plan.lanes;
  forBlocks(init, [&](int64_t first, OpFoldResult offset, int64_t count) {
    SmallVector<Value> block(rows.slice(first, count));
    block.resize(
        lanes, createUnused(builder, loc, cast<VectorType>(rows[0].getType())));
    transposeBlock(builder, loc, block);
    for (int64_t i = 0; i < getNumChannels(vector); ++i) {
      OpFoldResult channel =
          emitter.add(offset, init.strides->lane * (vector * lanes + i));
      for (auto [row, piece] : cutLanes(builder, loc, block[i], count))
        emitter.storeVector(piece, init.flat, init.base,
                            emitter.add(channel, row), /*mask=*/{});
    }
  });
}

//===-- Rows --------------------------------------------------------------===//

Value EpilogueEmitter::apply(Value element, int64_t vector,
                             SmallVector<Value> arguments,
                             function_ref<Place(const Operand &)> placeOf) {
  arguments[0] = element;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!arguments[i + 1])
      arguments[i + 1] = load(operand, placeOf(operand), vector);
  return cloneEpilogue(emitter.builder, emitter.root, arguments);
}

void EpilogueEmitter::store(Value result, int64_t vector, Place place) {
  OpFoldResult offset = emitter.add(place.offset, vector * emitter.plan.lanes);
  if (!tile.masks.empty())
    return emitter.storeVector(result, init.flat, place.base, offset,
                               tile.masks[vector]);
  for (auto [lane, piece] :
       cutLanes(emitter.builder, emitter.loc, result, getNumChannels(vector)))
    emitter.storeVector(piece, init.flat, place.base, emitter.add(offset, lane),
                        /*mask=*/{});
}

void EpilogueEmitter::emitUnrolled(ArrayRef<Value> elements) {
  int64_t numRows = elements.size() / numVectors;
  // One vector of channels after the other: few channel operands are live. An
  // operand may be the init's own buffer: an element is read before it is
  // stored, and only then.
  for (int64_t vector = 0; vector < numVectors; ++vector) {
    SmallVector<Value> shared = loadShared(vector);
    SmallVector<SmallVector<Value>> turned(operands.size());
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand.isTurned())
        turned[i] = loadTurned(operand, vector);
    SmallVector<Value> results;
    for (int64_t row = 0; row < numRows; ++row) {
      auto placeOf = [&](const Operand &operand) -> Place {
        return {operand.base, operand.rowOffsets[row]};
      };
      SmallVector<Value> arguments(shared);
      for (auto [i, rows] : llvm::enumerate(turned))
        if (!rows.empty())
          arguments[i + 1] = rows[row];
      results.push_back(apply(elements[row * numVectors + vector], vector,
                              arguments, placeOf));
      if (!init.isTurned())
        store(results.back(), vector, placeOf(init));
    }
    if (init.isTurned())
      storeTurned(results, vector);
  }
}

void EpilogueEmitter::emitLoop(ArrayRef<Value> elements, Value scratch,
                               ArrayRef<Value> turnedScratch) {
  const KernelPlan &plan = emitter.plan;
  Value start = emitter.constant(0);
  auto at = [&](Value i, Value j, const Extent &outer, const Extent &inner) {
    Value row = emitter.multiply(i, outer);
    return emitter.add(row, emitter.multiply(j, inner));
  };
  for (auto [i, element] : llvm::enumerate(elements))
    emitter.storeVector(element, scratch, start,
                        emitter.attribute(i * plan.lanes), /*mask=*/{});
  int64_t rowSize = numVectors * plan.lanes;
  for (int64_t vector = 0; vector < numVectors; ++vector) {
    SmallVector<Value> shared = loadShared(vector);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand.isTurned())
        for (auto [row, value] : llvm::enumerate(loadTurned(operand, vector)))
          emitter.storeVector(value, turnedScratch[i], start,
                              emitter.attribute(row * plan.lanes),
                              /*mask=*/{});
    OpFoldResult ofVector = emitter.attribute(vector * plan.lanes);
    auto emitRow = [&](Value i, Value j) {
      Value element = emitter.loadVector(
          scratch, at(i, j, tile.width * rowSize, rowSize), ofVector,
          /*mask=*/{});
      SmallVector<Value> arguments(shared);
      for (auto [index, operand] : llvm::enumerate(operands))
        if (operand.isTurned())
          arguments[index + 1] =
              emitter.loadVector(turnedScratch[index],
                                 at(i, j, tile.width * plan.lanes, plan.lanes),
                                 emitter.attribute(0), /*mask=*/{});
      auto placeOf = [&](const Operand &operand) -> Place {
        const auto &rows = operand.strides->rows;
        Value row = at(i, j, rows[plan.cutDim], rows.back());
        return {emitter.add(operand.base, row), emitter.attribute(0)};
      };
      Value result = apply(element, vector, arguments, placeOf);
      if (!init.isTurned())
        return store(result, vector, placeOf(init));
      emitter.storeVector(result, turnedScratch.back(),
                          at(i, j, tile.width * plan.lanes, plan.lanes),
                          emitter.attribute(0), /*mask=*/{});
    };
    Value height = emitter.constant(tile.height);
    emitter.emitFor(start, height, {}, [&](Value i, ValueRange) {
      Value width = emitter.constant(tile.width);
      emitter.emitFor(start, width, {}, [&](Value j, ValueRange) {
        emitRow(i, j);
        return SmallVector<Value>();
      });
      return SmallVector<Value>();
    });
    if (!init.isTurned())
      continue;
    SmallVector<Value> results;
    for (int64_t row = 0; row < tile.height * tile.width; ++row)
      results.push_back(emitter.loadVector(turnedScratch.back(), start,
                                           emitter.attribute(row * plan.lanes),
                                           /*mask=*/{}));
    storeTurned(results, vector);
  }
}

bool KernelEmitter::hasLongEpilogue() {
  // An arith op is one instruction; what math ops become is a polynomial.
  int64_t cost = 0;
  for (Operation &op : root.getEpilogueBlock().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      cost += isa_and_nonnull<arith::ArithDialect>(op.getDialect()) ? 1 : 16;
  return cost > 12;
}

void KernelEmitter::emitEpilogue(const Tile &tile, ArrayRef<Value> elements) {
  // All of this comes after the loops: whatever is loaded before them holds a
  // register that an accumulator needs.
  EpilogueEmitter epilogue(*this, tile);
  if (scratch)
    epilogue.emitLoop(elements, scratch, turnedScratch);
  else
    epilogue.emitUnrolled(elements);
}
