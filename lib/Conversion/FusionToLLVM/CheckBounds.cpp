//===-- CheckBounds.cpp - Accesses outside end the program ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-check-bounds. Accesses are held against the memref that
// they name, views against the buffer that they are made of: what lies in all
// of its views lies in the buffer.
//
//===----------------------------------------------------------------------===//

#include "BoundsChecker.h"
#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONCHECKBOUNDSPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool movesElements(Operation *op) {
  return isa<memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::ReinterpretCastOp, memref::SubViewOp, memref::TransposeOp>(
      op);
}

namespace {
struct FusionCheckBoundsPass final
    : fusion::impl::FusionCheckBoundsPassBase<FusionCheckBoundsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    for (Operation &op : getOperation().getBody()->getOperations())
      if (!isa<ModuleOp>(op))
        op.walk([&](Operation *inner) { ops.push_back(inner); });
    BoundsReport report(getOperation());
    for (Operation *op : ops)
      check(op, report);
    if (report.hasFailed())
      signalPassFailure();
  }

  static void check(Operation *op, BoundsReport &report) {
    OpBuilder builder(op);
    BoundsChecker checker(report, builder, op);
    if (std::optional<MemoryAccess> access = MemoryAccess::get(op, builder))
      return checker.check(*access);
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return checker.check(view);
    if (auto view = dyn_cast<memref::SubViewOp>(op))
      checker.check(view);
    else if (auto other = dyn_cast<RuntimeVerifiableOpInterface>(op))
      other.generateRuntimeVerification(
          builder, op->getLoc(), [](Operation *op, StringRef text) {
            return describePlace(op) + ": " + text.str();
          });
    if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op);
        cast && isPassedAsOffset(cast))
      return;
    builder.setInsertionPointAfter(op);
    if (movesElements(op))
      checker.checkElements(op->getResult(0));
  }
};
} // namespace
