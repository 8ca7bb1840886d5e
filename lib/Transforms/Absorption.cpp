//===-- Absorption.cpp - What a root can take from its reader -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consumers are linalg ops of any spelling (generic, map, elementwise, add, …)
// and elementwise ops on tensors.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

StringRef fusion::getAbsorptionLabel(AbsorptionKind kind) {
  switch (kind) {
  case AbsorptionKind::Unary:
    return "absorb-unary";
  case AbsorptionKind::Channel:
    return "absorb-channel";
  case AbsorptionKind::Residual:
    return "absorb-residual";
  }
  llvm_unreachable("unknown kind");
}

namespace {
/// Collects the reason of the first refusal.
class Refusal {
public:
  Refusal(std::string &reason) : reason(reason) {}
  LogicalResult operator()(StringRef code, const Twine &sentence) const {
    reason = (code + ": " + sentence).str();
    return failure();
  }

private:
  std::string &reason;
};
} // namespace

/// Describes a linalg op whose loops run over its result, element by element.
static LogicalResult describeLinalg(LinalgOp op, Absorption &absorption,
                                    const Refusal &refuse) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumResults() != 1)
    return refuse("not-elementwise", name + " has not one result");
  if (op.getNumParallelLoops() != op.getNumLoops())
    return refuse("not-elementwise", name + " has reduction loops");
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(init).isIdentity())
    return refuse("map-mismatch", name + " stores through another map");
  absorption.body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = &operand == init;
    if (isInit && !op.payloadUsesValueFromOperand(init))
      continue;
    View view{operand.get(), op.getMatchingIndexingMap(&operand)};
    absorption.reads.push_back(
        {lookThroughBroadcasts(view), op.getMatchingBlockArgument(&operand)});
  }
  return success();
}

/// Describes an op of scalars that is applied to tensors.
static LogicalResult describeTensorOp(Operation *op, Absorption &absorption,
                                      const Refusal &refuse) {
  StringRef name = op->getName().getStringRef();
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !OpTrait::hasElementwiseMappableTraits(op))
    return refuse("not-elementwise", name + " is not elementwise");
  int64_t rank = type.getRank();
  for (Value operand : op->getOperands()) {
    Builder builder(op->getContext());
    AffineMap map = isa<ShapedType>(operand.getType())
                        ? builder.getMultiDimIdentityMap(rank)
                        : AffineMap::get(rank, 0, op->getContext());
    absorption.reads.push_back(
        {lookThroughBroadcasts({operand, map}), BlockArgument()});
  }
  return success();
}

/// The kind by what is read beside the root's result (if there is none that may
/// take the consumer, beside that of the first): decided by maps, never by
/// sizes that happen to agree.
static AbsorptionKind classify(const Absorption &absorption,
                               FailureOr<FusionRootOpInterface> taker) {
  AbsorptionKind kind = AbsorptionKind::Unary;
  Operation *root = succeeded(taker) ? taker->getOperation() : nullptr;
  for (const Absorption::Read &read : absorption.reads) {
    Operation *source = read.value.getDefiningOp();
    if (!root && isa_and_nonnull<FusionRootOpInterface>(source))
      root = source;
    if (root && source == root)
      continue;
    if (getNumDimResults(read.map) == read.map.getNumDims())
      return AbsorptionKind::Residual;
    kind = AbsorptionKind::Channel;
  }
  return kind;
}

/// True if `root` may move to `consumer` with nobody else seeing its result.
static LogicalResult checkReaders(FusionRootOpInterface root,
                                  const Absorption &absorption,
                                  const Refusal &refuse) {
  Operation *consumer = absorption.consumer;
  StringRef name = consumer->getName().getStringRef();
  if (root->getBlock() != consumer->getBlock())
    return refuse("other-region", name + " reads " +
                                      root->getName().getStringRef() +
                                      " from another region");
  Value result = root->getResult(0);
  for (Operation *user : result.getUsers())
    if (user != consumer)
      return refuse("other-readers",
                    "the result of " + root->getName().getStringRef() +
                        " is also read by " + user->getName().getStringRef());
  for (const Absorption::Read &read : absorption.reads)
    if (read.value == result && !read.map.isIdentity())
      return refuse("map-mismatch", name + " reads the result of " +
                                        root->getName().getStringRef() +
                                        " through another map");
  return success();
}

/// The root that takes the consumer: of several the last in the block, which
/// has the least way to go.
static FailureOr<FusionRootOpInterface> findRoot(const Absorption &absorption,
                                                 const Refusal &refuse) {
  FusionRootOpInterface last;
  bool any = false;
  for (const Absorption::Read &read : absorption.reads) {
    auto root = read.value.getDefiningOp<FusionRootOpInterface>();
    if (!root || root == last)
      continue;
    any = true;
    if (succeeded(checkReaders(root, absorption, refuse)) &&
        (!last || last->isBeforeInBlock(root)))
      last = root;
  }
  if (last)
    return last;
  return any ? failure()
             : refuse("not-elementwise", "no operand is the result of a root");
}

static LogicalResult checkBody(const Absorption &absorption,
                               std::string &reason) {
  if (!absorption.body)
    return success(isEpilogueOp(absorption.consumer, &reason));
  for (Operation &op : absorption.body->without_terminator())
    if (!isEpilogueOp(&op, &reason))
      return failure();
  return success();
}

static LogicalResult checkTypes(const Absorption &absorption,
                                const Refusal &refuse) {
  FusionRootOpInterface root = absorption.root;
  auto type =
      cast<RankedTensorType>(absorption.consumer->getResult(0).getType());
  StringRef name = absorption.consumer->getName().getStringRef();
  if (!type.getElementType().isIntOrFloat())
    return refuse("unsupported-type",
                  name + " yields elements that are no floats or integers");
  if (type.getEncoding() !=
      cast<RankedTensorType>(root.getInitType()).getEncoding())
    return refuse("unsupported-type", name + " changes the tensor's encoding");
  if (type.getShape() != root.getInitType().getShape())
    return refuse("dynamic-shape",
                  name + " states other sizes than the root's result");
  if (root.readsInit() &&
      type.getElementType() != root.getInitType().getElementType())
    return refuse("unsupported-type",
                  name +
                      " changes the type of an epilogue that reads its init");
  for (const Absorption::Read &read : absorption.reads) {
    if (!getElementTypeOrScalar(read.value.getType()).isIntOrIndexOrFloat())
      return refuse("unsupported-type",
                    name + " reads elements that are no floats or integers");
    if (!read.map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return refuse("map-mismatch",
                    name + " reads an operand through a map that an epilogue "
                           "cannot state");
    for (auto [dim, expr] : llvm::enumerate(read.map.getResults()))
      if (isa<AffineConstantExpr>(expr) &&
          cast<ShapedType>(read.value.getType()).getDimSize(dim) != 1)
        return refuse("map-mismatch",
                      name + " reads a slice of one of its operands");
  }
  if (absorption.body)
    for (Operation &op : *absorption.body)
      for (Value operand : op.getOperands())
        if (!operand.getType().isIntOrIndexOrFloat())
          return refuse("unsupported-type",
                        name + " computes with no floats or integers");
  return success();
}

FailureOr<Absorption> fusion::matchAbsorption(Operation *consumer,
                                              const FusionControlFn &control,
                                              std::string &reason,
                                              AbsorptionKind &kind) {
  Refusal refuse(reason);
  Absorption absorption;
  absorption.consumer = consumer;
  auto linalgOp = dyn_cast<LinalgOp>(consumer);
  if (linalgOp ? !linalgOp.hasPureTensorSemantics()
               : consumer->getNumRegions() != 0)
    return refuse("not-elementwise",
                  consumer->getName().getStringRef() + " is not elementwise");
  if (failed(linalgOp ? describeLinalg(linalgOp, absorption, refuse)
                      : describeTensorOp(consumer, absorption, refuse)))
    return failure();
  FailureOr<FusionRootOpInterface> root = findRoot(absorption, refuse);
  absorption.kind = kind = classify(absorption, root);
  if (failed(root))
    return failure();
  absorption.root = *root;
  if (failed(checkBody(absorption, reason)) ||
      failed(checkTypes(absorption, refuse)))
    return failure();
  if (control)
    if (std::optional<StringRef> code = control(*root, consumer))
      return refuse(*code, "the cost model refuses " +
                               consumer->getName().getStringRef() + " in " +
                               (*root)->getName().getStringRef());
  return absorption;
}

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
static Value getNewInit(RewriterBase &rewriter, const Absorption &absorption) {
  FusionRootOpInterface root = absorption.root;
  Value own = root.getInitValue();
  auto type =
      cast<RankedTensorType>(absorption.consumer->getResult(0).getType());
  if (own.getType() == type)
    return own;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root);
  return tensor::EmptyOp::create(
      rewriter, root.getLoc(),
      tensor::getMixedSizes(rewriter, root.getLoc(), own),
      type.getElementType());
}

void fusion::absorb(RewriterBase &rewriter, const Absorption &absorption) {
  FusionRootOpInterface root = absorption.root;
  Operation *consumer = absorption.consumer;
  Value result = root->getResult(0);
  rewriter.moveOpBefore(root, consumer);

  Operation *yield = root.getEpilogueBlock().getTerminator();
  Value accumulated = yield->getOperand(0);
  IRMapping mapping;
  SmallVector<Value> arguments;
  for (const Absorption::Read &read : absorption.reads) {
    arguments.push_back(read.value == result
                            ? accumulated
                            : readInEpilogue(rewriter, root, read));
    if (read.argument)
      mapping.map(read.argument, arguments.back());
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
  Value init = getNewInit(rewriter, absorption);
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, yielded); });
  rewriter.modifyOpInPlace(root, [&] {
    root.setDpsInitOperand(0, init);
    result.setType(cast<RankedTensorType>(init.getType()));
  });
  rewriter.replaceOp(consumer, result);
}
