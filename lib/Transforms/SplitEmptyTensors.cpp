//===-- SplitEmptyTensors.cpp - Destinations that few ops share -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-split-empty-tensors: bufferization then sees small sets of
// values that may share a buffer.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONSPLITEMPTYTENSORSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// Writers that may share one tensor.empty: enough for bufferization to let
/// them take turns in one buffer, such as the entry's result.
static constexpr unsigned kMaxWriters = 16;

namespace {
struct FusionSplitEmptyTensorsPass final
    : fusion::impl::FusionSplitEmptyTensorsPassBase<
          FusionSplitEmptyTensorsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](DestinationStyleOpInterface op) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>())
          init.set(getNext(empty));
    });
    copies.clear();
  }

private:
  /// What the next writer of `empty` gets: a copy after every kMaxWriters.
  Value getNext(tensor::EmptyOp empty) {
    auto &[writers, copy] = copies[empty];
    if (writers++ % kMaxWriters == 0) {
      OpBuilder builder(empty->getContext());
      builder.setInsertionPointAfter(empty);
      copy = empty;
      if (writers != 1)
        copy = builder.clone(*empty)->getResult(0);
    }
    return copy;
  }
  DenseMap<Operation *, std::pair<unsigned, Value>> copies;
};
} // namespace
