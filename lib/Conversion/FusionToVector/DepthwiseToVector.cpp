//===-- DepthwiseToVector.cpp - Depthwise convolutions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each channel has its own filter, so the lanes are channels of input, filter
// and result alike; a few pixels share each vector of the filter.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::fusion;

void fusion::emitDepthwise(KernelEmitter &emitter) {
  const KernelPlan &plan = emitter.plan;
  FusionRootOpInterface root = emitter.root;
  Value input = emitter.getFlat(root->getOperand(0));
  Value filter = emitter.getFlat(root.getWeights()->get());

  emitter.emitUnits([&](const Tile &tile) {
    int64_t numVectors = emitter.getNumVectors(tile);
    SmallVector<OpFoldResult> rows = emitter.getRowOffsets(plan.input, tile);
    emitter.emitSums(
        tile, rows.size(),
        [&](Value inputAt, Value filterAt, ValueRange carried) {
          SmallVector<Value> next(carried);
          for (int64_t i = 0; i < numVectors; ++i) {
            int64_t channel = i * plan.lanes;
            Value mask = emitter.createMask(tile, i);
            Value weights = emitter.loadInput(filter, filterAt,
                                              emitter.attribute(channel), mask);
            for (auto [row, offset] : llvm::enumerate(rows)) {
              Value pixel = emitter.loadInput(
                  input, inputAt, emitter.add(offset, channel), mask);
              Value &sum = next[row * numVectors + i];
              sum = emitter.multiplyAdd(pixel, weights, sum);
            }
          }
          return next;
        });
  });
}
