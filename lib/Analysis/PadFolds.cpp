//===-- PadFolds.cpp - Pads that upstream must not fold -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the attribute that upstream asks for where a pad is to stay.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/PadFolds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fusion;

void fusion::guardPad(Operation *op) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad)
    return;
  SmallVector<OpFoldResult> amounts = pad.getMixedLowPad();
  llvm::append_range(amounts, pad.getMixedHighPad());
  auto isNegative = [](OpFoldResult amount) {
    return getConstantIntValue(amount).value_or(0) < 0;
  };
  bool keepsShape =
      pad.getType() == pad.getSourceType() && pad.getType().hasStaticShape();
  if (llvm::all_of(amounts, isZeroInteger))
    pad.setNofold(false);
  else if (keepsShape || llvm::any_of(amounts, isNegative))
    pad.setNofold(true);
}
