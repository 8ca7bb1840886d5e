//===-- AbsorptionRewrite.cpp - A reader becomes part of a root -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its scalar computation goes into the epilogue, what it reads beside the
// root's result becomes operands.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fusion;

/// Maps what `op` captures from outside `body`: constants are cloned into the
/// epilogue, other scalars become operands.
static void mapCaptured(RewriterBase &rewriter, FusionRootOpInterface root,
                        Operation &op, Block *body, IRMapping &mapping) {
  for (Value operand : op.getOperands()) {
    if (operand.getParentBlock() == body || mapping.contains(operand))
      continue;
    Operation *source = operand.getDefiningOp();
    if (source && source->hasTrait<OpTrait::ConstantLike>())
      mapping.map(operand, rewriter.clone(*source)->getResult(0));
    else
      mapping.map(operand,
                  getOrAddEpilogueOperand(rewriter, root, operand, {}));
  }
}

/// The destination of the root's new result: its own where it may stay.
static Value getNewInit(RewriterBase &rewriter, FusionRootOpInterface root,
                        Type element) {
  Value own = root.getInitValue();
  if (getElementTypeOrScalar(own.getType()) == element)
    return own;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root);
  return tensor::EmptyOp::create(
      rewriter, root.getLoc(),
      tensor::getMixedSizes(rewriter, root.getLoc(), own), element);
}

void fusion::absorb(RewriterBase &rewriter, const Absorption &absorption) {
  FusionRootOpInterface root = absorption.root;
  Operation *consumer = absorption.consumer;
  Value result = root->getResult(0);
  Value read = absorption.getLastName();
  // Sizes are asked for before the place that the root moves to.
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (auto dim = dyn_cast<tensor::DimOp>(user))
      rewriter.modifyOpInPlace(
          dim, [&] { dim.getSourceMutable().assign(root.getInitValue()); });
  // A walk erases no op but the consumer. The steps are left without readers:
  // they read what has the type that they know.
  if (!absorption.steps.empty())
    rewriter.modifyOpInPlace(absorption.steps.front(), [&] {
      absorption.steps.front()->setOperand(0, root.getInitValue());
    });
  rewriter.moveOpBefore(root, consumer);

  Operation *yield = root.getEpilogueBlock().getTerminator();
  Value accumulated = yield->getOperand(0);
  IRMapping mapping;
  SmallVector<Value> arguments;
  for (const Absorption::Read &other : absorption.reads) {
    if (other.value == read) {
      arguments.push_back(accumulated);
    } else {
      rewriter.setInsertionPoint(root);
      Value operand = createReshapes(rewriter, root.getLoc(), other);
      arguments.push_back(readInEpilogue(rewriter, root, {operand, other.map}));
    }
    if (other.argument)
      mapping.map(other.argument, arguments.back());
  }

  rewriter.setInsertionPoint(yield);
  Value yielded;
  if (Block *body = absorption.body) {
    for (Operation &op : body->without_terminator()) {
      mapCaptured(rewriter, root, op, body, mapping);
      rewriter.clone(op, mapping);
    }
    Operation *terminator = body->getTerminator();
    mapCaptured(rewriter, root, *terminator, body, mapping);
    yielded = mapping.lookup(terminator->getOperand(0));
  } else {
    Operation *clone = rewriter.clone(*consumer);
    clone->setOperands(arguments);
    yielded = clone->getResult(0);
    yielded.setType(getElementTypeOrScalar(yielded.getType()));
  }
  Value init = getNewInit(rewriter, root, yielded.getType());
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, yielded); });
  rewriter.modifyOpInPlace(root, [&] {
    root.setDpsInitOperand(0, init);
    result.setType(cast<RankedTensorType>(init.getType()));
  });
  rewriter.setInsertionPoint(consumer);
  rewriter.replaceOp(consumer, cloneSteps(rewriter, absorption.steps, result));
}
