//===-- Absorption.cpp - What a root can take from its reader -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consumers are linalg ops of any spelling (generic, map, elementwise, add, …)
// and elementwise ops on tensors.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

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

static unsigned getNumDims(AffineMap map) {
  return llvm::count_if(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

/// Follows `read` through ops that only broadcast, to what they broadcast:
///   linalg.broadcast(%bias)[0, 2, 3] read at (d0, d1, d2, d3) -> %bias at (d1)
static void lookThroughBroadcasts(Absorption::Read &read) {
  while (true) {
    if (auto splat = read.value.getDefiningOp<tensor::SplatOp>()) {
      read.value = splat.getInput();
      read.map =
          AffineMap::get(read.map.getNumDims(), 0, read.map.getContext());
      return;
    }
    auto source = read.value.getDefiningOp<LinalgOp>();
    if (!source || source.getNumDpsInputs() != 1 ||
        source.getNumDpsInits() != 1 ||
        source.getNumParallelLoops() != source.getNumLoops())
      return;
    auto yield = dyn_cast<linalg::YieldOp>(source.getBlock()->front());
    OpOperand *input = source.getDpsInputOperand(0);
    AffineMap map = source.getMatchingIndexingMap(input);
    if (!yield || yield.getNumOperands() != 1 ||
        yield.getOperand(0) != source.getMatchingBlockArgument(input) ||
        map.getNumResults() == map.getNumDims() ||
        !map.isProjectedPermutation() ||
        !source.getMatchingIndexingMap(source.getDpsInitOperand(0))
             .isIdentity())
      return;
    read.map = map.compose(read.map);
    read.value = input->get();
  }
}

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
    Absorption::Read read{operand.get(), op.getMatchingIndexingMap(&operand),
                          op.getMatchingBlockArgument(&operand)};
    lookThroughBroadcasts(read);
    absorption.reads.push_back(read);
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
    Absorption::Read read{operand, map, BlockArgument()};
    lookThroughBroadcasts(read);
    absorption.reads.push_back(read);
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
    if (getNumDims(read.map) == read.map.getNumDims())
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

/// `value` under another shape of the same elements. Constants stay constants:
/// a resource keeps its blob.
static Value collapse(RewriterBase &rewriter, Location loc, Value value,
                      RankedTensorType type,
                      ArrayRef<ReassociationIndices> groups) {
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
      return arith::ConstantOp::create(
          rewriter, loc,
          cast<TypedAttr>(cast<Attribute>(
              DenseResourceElementsAttr::get(type, resource.getRawHandle()))));
    if (auto dense = dyn_cast<DenseElementsAttr>(constant))
      return arith::ConstantOp::create(rewriter, loc, dense.reshape(type));
  }
  return tensor::CollapseShapeOp::create(rewriter, loc, type, value, groups);
}

/// The epilogue argument of `read`, without the dims that have one element
/// only, so that equal broadcasts are equal:
///   %v : tensor<1x64x1x1xf32> at (d0, d1, 0, 0) -> tensor<64xf32> at [1]
static Value readInEpilogue(RewriterBase &rewriter, FusionRootOpInterface root,
                            const Absorption::Read &read) {
  auto type = dyn_cast<RankedTensorType>(read.value.getType());
  if (!type)
    return getOrAddEpilogueOperand(rewriter, root, read.value, {});
  ShapedType result = root.getInitType();
  bool full = getNumDims(read.map) == read.map.getNumDims();
  SmallVector<int64_t> dims, shape;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, expr] : llvm::enumerate(read.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool drop = !dim || (!full && type.getDimSize(position) == 1 &&
                         result.getDimSize(dim.getPosition()) == 1);
    if (drop) {
      (groups.empty() ? leading : groups.back()).push_back(position);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(position);
    dims.push_back(dim.getPosition());
    shape.push_back(type.getDimSize(position));
  }
  Value value = read.value;
  if (static_cast<int64_t>(shape.size()) != type.getRank()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(root);
    value =
        collapse(rewriter, root.getLoc(), value,
                 RankedTensorType::get(shape, type.getElementType()), groups);
  }
  return getOrAddEpilogueOperand(rewriter, root, value, dims);
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
