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
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::fusion;

void fusion::emitContraction(KernelEmitter &emitter) {
  const KernelPlan &plan = emitter.plan;
  FusionRootOpInterface root = emitter.root;
  Value input = emitter.getFlat(root->getOperand(0));
  Value weights = emitter.getFlat(root.getWeights()->get());

  emitter.emitUnits([&](const Tile &tile) {
    int64_t numVectors = emitter.getNumVectors(tile);
    SmallVector<OpFoldResult> rows = emitter.getRowOffsets(plan.input, tile);
    emitter.emitSums(
        tile, rows.size(),
        [&](Value inputAt, Value weightsAt, ValueRange carried) {
          SmallVector<Value> next(carried), panel;
          for (int64_t i = 0; i < numVectors; ++i) {
            int64_t offset = i * plan.lanes;
            if (plan.prefetchSteps)
              emitter.prefetch(
                  weights, weightsAt,
                  emitter.attribute(offset +
                                    plan.prefetchSteps * plan.getPanelSize()));
            // Packed weights are zero-filled to whole vectors.
            Value mask;
            if (!plan.packedWeights)
              mask = emitter.createMask(tile, i);
            panel.push_back(emitter.loadInput(weights, weightsAt,
                                              emitter.attribute(offset), mask));
          }
          for (auto [row, offset] : llvm::enumerate(rows)) {
            Value scalar = emitter.loadInputBroadcast(input, inputAt, offset);
            for (int64_t i = 0; i < numVectors; ++i) {
              Value &sum = next[row * numVectors + i];
              sum = emitter.multiplyAdd(scalar, panel[i], sum);
            }
          }
          return next;
        });
  });
}
