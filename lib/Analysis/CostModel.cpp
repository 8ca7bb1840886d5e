//===-- CostModel.cpp - Whether a fusion pays -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Almost every epilogue pays: it saves a pass over memory. What remains is to
// refuse the absurd.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/CostModel.h"

using namespace mlir;
using namespace mlir::fusion;

static unsigned countComputingOps(Block &block) {
  return llvm::count_if(block.without_terminator(), [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  });
}

EpilogueCost &EpilogueCost::operator+=(const EpilogueCost &other) {
  fullSizeOperands += other.fullSizeOperands;
  broadcastOperands += other.broadcastOperands;
  ops += other.ops;
  return *this;
}

EpilogueCost fusion::getEpilogueCost(FusionRootOpInterface root) {
  EpilogueCost cost;
  int64_t rank = root.getInitType().getRank();
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    bool full =
        static_cast<int64_t>(root.getEpilogueOperandDims(i).size()) == rank;
    ++(full ? cost.fullSizeOperands : cost.broadcastOperands);
  }
  cost.fullSizeOperands += root.readsInit();
  cost.ops = countComputingOps(root.getEpilogueBlock());
  return cost;
}

EpilogueCost fusion::getAddedCost(FusionRootOpInterface root,
                                  Operation *consumer) {
  EpilogueCost cost;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(consumer);
  cost.ops = linalgOp ? countComputingOps(*linalgOp.getBlock()) : 1;
  int64_t rank = root.getInitType().getRank();
  for (OpOperand &operand : consumer->getOpOperands()) {
    if (operand.get().getDefiningOp() == root.getOperation() ||
        (linalgOp && linalgOp.isDpsInit(&operand)))
      continue;
    // A tensor op has operands of the result's shape; linalg's have maps.
    auto shaped = dyn_cast<ShapedType>(operand.get().getType());
    int64_t dims = shaped ? shaped.getRank() : 0;
    if (linalgOp)
      dims =
          llvm::count_if(linalgOp.getMatchingIndexingMap(&operand).getResults(),
                         llvm::IsaPred<AffineDimExpr>);
    ++(dims == rank ? cost.fullSizeOperands : cost.broadcastOperands);
  }
  return cost;
}

std::optional<StringRef>
fusion::defaultFusionControl(FusionRootOpInterface root, Operation *consumer) {
  EpilogueCost cost = getEpilogueCost(root);
  cost += getAddedCost(root, consumer);
  if (cost.fullSizeOperands > kLargestEpilogue.fullSizeOperands ||
      cost.broadcastOperands > kLargestEpilogue.broadcastOperands ||
      cost.ops > kLargestEpilogue.ops)
    return "unprofitable";
  return std::nullopt;
}
