//===-- VectorEpilogue.cpp - An epilogue on accumulators ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones the epilogue with vector types while the sums are in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
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
  /// One loop over the rows, which reads the elements from `scratch`.
  void emitLoop(ArrayRef<Value> elements, Value scratch);

private:
  /// An operand, or the init.
  struct Operand {
    /// Null if the operand is a scalar, which `scalar` holds in all lanes.
    Value flat, scalar;
    const OperandStrides *strides;
    Value base;
    SmallVector<OpFoldResult> rowOffsets;
    bool isSharedByRows() const;
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
  /// Epilogue and store of one vector of one row; `placeOf` says where the
  /// row's elements are.
  void emitVector(Value element, int64_t vector, SmallVector<Value> arguments,
                  function_ref<Place(const Operand &)> placeOf);

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

void EpilogueEmitter::emitVector(Value element, int64_t vector,
                                 SmallVector<Value> arguments,
                                 function_ref<Place(const Operand &)> placeOf) {
  arguments[0] = element;
  // An operand may be the init's own buffer: an element is read before it is
  // stored, and only then.
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!operand.isSharedByRows())
      arguments[i + 1] = load(operand, placeOf(operand), vector);
  Value result = cloneEpilogue(emitter.builder, emitter.root, arguments);
  Place place = placeOf(init);
  OpFoldResult offset = emitter.add(place.offset, vector * emitter.plan.lanes);
  emitter.storeVector(result, init.flat, place.base, offset,
                      emitter.createMask(tile, vector));
}

void EpilogueEmitter::emitUnrolled(ArrayRef<Value> elements) {
  int64_t numRows = elements.size() / numVectors;
  // One vector of channels after the other: few channel operands are live.
  for (int64_t vector = 0; vector < numVectors; ++vector) {
    SmallVector<Value> shared = loadShared(vector);
    for (int64_t row = 0; row < numRows; ++row)
      emitVector(elements[row * numVectors + vector], vector, shared,
                 [&](const Operand &operand) -> Place {
                   return {operand.base, operand.rowOffsets[row]};
                 });
  }
}

void EpilogueEmitter::emitLoop(ArrayRef<Value> elements, Value scratch) {
  const KernelPlan &plan = emitter.plan;
  Value start = emitter.constant(0);
  for (auto [i, element] : llvm::enumerate(elements))
    emitter.storeVector(element, scratch, start,
                        emitter.attribute(i * plan.lanes), /*mask=*/{});
  int64_t rowSize = numVectors * plan.lanes;
  for (int64_t vector = 0; vector < numVectors; ++vector) {
    SmallVector<Value> shared = loadShared(vector);
    emitter.emitFor(
        start, emitter.constant(tile.height), {}, [&](Value i, ValueRange) {
          emitter.emitFor(
              start, emitter.constant(tile.width), {},
              [&](Value j, ValueRange) {
                auto at = [&](const Extent &outer, const Extent &inner) {
                  Value row = emitter.multiply(i, outer);
                  return emitter.add(row, emitter.multiply(j, inner));
                };
                Value element = emitter.loadVector(
                    scratch, at(tile.width * rowSize, rowSize),
                    emitter.attribute(vector * plan.lanes),
                    /*mask=*/{});
                emitVector(element, vector, shared,
                           [&](const Operand &operand) -> Place {
                             const auto &rows = operand.strides->rows;
                             Value row = at(rows[plan.cutDim], rows.back());
                             return {emitter.add(operand.base, row),
                                     emitter.attribute(0)};
                           });
                return SmallVector<Value>();
              });
          return SmallVector<Value>();
        });
  }
}

bool KernelEmitter::hasLongEpilogue() {
  // An arith op is one instruction; what math ops become is a polynomial.
  int64_t cost = 0;
  for (Operation &op : root.getEpilogueBlock().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      cost += isa<arith::ArithDialect>(op.getDialect()) ? 1 : 16;
  return cost > 12;
}

void KernelEmitter::emitEpilogue(const Tile &tile, ArrayRef<Value> elements) {
  // All of this comes after the loops: whatever is loaded before them holds a
  // register that an accumulator needs.
  EpilogueEmitter epilogue(*this, tile);
  if (scratch)
    epilogue.emitLoop(elements, scratch);
  else
    epilogue.emitUnrolled(elements);
}
