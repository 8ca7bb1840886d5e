//===-- VectorEpilogue.cpp - An epilogue on accumulators ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones the epilogue with vector types while the sums are in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// An operand of the epilogue, or the init, at one tile.
struct EpilogueOperand {
  /// Null if the operand is a scalar, which `scalar` holds in all lanes.
  Value flat;
  Value scalar;
  Value base;
  bool hasChannels;
  SmallVector<int64_t> rowOffsets;

  /// Whether all rows of the tile read the same element.
  bool isSharedByRows() const {
    return llvm::all_of(rowOffsets, [](int64_t offset) { return offset == 0; });
  }
};
} // namespace

void KernelEmitter::emitEpilogue(const Tile &tile, ArrayRef<Value> elements) {
  // All of this comes after the loops: whatever is loaded before them holds a
  // register that an accumulator needs.
  auto place = [&](Value operand, const OperandStrides &strides) {
    EpilogueOperand placed;
    placed.hasChannels = strides.hasChannels();
    placed.rowOffsets = getRowOffsets(strides, tile);
    if (isa<MemRefType>(operand.getType())) {
      placed.flat = getFlat(operand);
      placed.base = getBase(strides, tile);
    } else {
      placed.scalar = vector::BroadcastOp::create(
          builder, loc, vectorType.clone(operand.getType()), operand);
    }
    return placed;
  };
  SmallVector<EpilogueOperand> operands;
  for (auto [i, strides] : llvm::enumerate(plan.epilogue))
    operands.push_back(place(root.getEpilogueOperand(i), strides));
  EpilogueOperand init = place(root.getInitValue(), plan.init);
  if (root.readsInit())
    operands.push_back(init);

  int64_t numVectors = getNumVectors(tile);
  int64_t numRows = elements.size() / numVectors;
  // One vector of channels after the other: few channel operands are live.
  for (int64_t vector = 0; vector < numVectors; ++vector) {
    int64_t lanes = getLanes(tile, vector);
    auto load = [&](const EpilogueOperand &operand, int64_t row) {
      if (operand.scalar)
        return operand.scalar;
      int64_t offset = operand.rowOffsets[row];
      return operand.hasChannels
                 ? loadVector(operand.flat, operand.base,
                              offset + vector * plan.lanes, lanes)
                 : loadBroadcast(operand.flat, operand.base, offset);
    };
    SmallVector<Value> arguments(operands.size() + 1);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand.isSharedByRows())
        arguments[i + 1] = load(operand, 0);
    for (int64_t row = 0; row < numRows; ++row) {
      arguments[0] = elements[row * numVectors + vector];
      // An operand may be the init's own buffer: an element is read before it
      // is stored, and only then.
      for (auto [i, operand] : llvm::enumerate(operands))
        if (!operand.isSharedByRows())
          arguments[i + 1] = load(operand, row);
      storeVector(cloneEpilogue(builder, root, arguments), init.flat, init.base,
                  init.rowOffsets[row] + vector * plan.lanes, lanes);
    }
  }
}
