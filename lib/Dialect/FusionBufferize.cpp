//===-- FusionBufferize.cpp - Roots on memrefs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one-shot-bufferize asks of a root. Three answers go beyond upstream's
// destination-style model and keep residuals in place: the init is read only if
// the epilogue takes its element, identity-mapped operands are accessed
// elementwise, and the op is rebuilt on buffers as it is.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::bufferization;

bool roots::rootAccessesElementwise(FusionRootOpInterface root,
                                    ArrayRef<OpOperand *> operands) {
  MutableOperandRange epilogue = root.getEpilogueMutable();
  return llvm::all_of(operands, [&](OpOperand *operand) {
    if (root.isDpsInit(operand))
      return true;
    for (unsigned i = 0, e = epilogue.size(); i < e; ++i)
      if (&epilogue[i] == operand)
        return root.isIdentityEpilogueOperand(i);
    return false;
  });
}

AliasingValueList roots::getRootAliasingValues(FusionRootOpInterface root,
                                               OpOperand &operand) {
  if (!root.isDpsInit(&operand))
    return {};
  return {{root->getResult(0), BufferRelation::Equivalent}};
}

LogicalResult roots::bufferizeRoot(FusionRootOpInterface root,
                                   RewriterBase &rewriter,
                                   const BufferizationOptions &options,
                                   BufferizationState &state) {
  if (root.hasPureBufferSemantics())
    return success();
  if (!root.hasPureTensorSemantics())
    return root->emitOpError("expected only tensor operands");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root);
  SmallVector<Value> operands;
  for (Value operand : root->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      operands.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  Value destination = operands[root.getDpsInitOperand(0)->getOperandNumber()];
  Operation *onBuffers = Operation::create(
      root->getLoc(), root->getName(), TypeRange{}, operands,
      root->getDiscardableAttrDictionary(), root->getPropertiesStorage(),
      BlockRange{}, /*numRegions=*/1);
  onBuffers->getRegion(0).takeBody(root->getRegion(0));
  rewriter.insert(onBuffers);
  replaceOpWithBufferizedValues(rewriter, root, destination);
  return success();
}
