//===-- Absorption.cpp - What a root can take from its reader -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consumers are linalg ops of any spelling (generic, map, elementwise, add, …)
// and elementwise ops on tensors.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
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
    return because((code + ": " + sentence).str());
  }
  LogicalResult because(const std::string &codeAndSentence) const {
    reason = codeAndSentence;
    return failure();
  }

private:
  std::string &reason;
};
} // namespace

/// What a consumer reads: below broadcasts, but never below a name of a root's
/// result.
static RenamedView getRead(const View &view) {
  if (getRenamedResult(view.value).root)
    return {view, {}};
  return {lookThroughBroadcasts(view), {}};
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
    View view{operand.get(), op.getMatchingIndexingMap(&operand)};
    absorption.reads.push_back(
        {getRead(view), op.getMatchingBlockArgument(&operand)});
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
    absorption.reads.push_back({getRead({operand, map}), BlockArgument()});
  }
  return success();
}

/// The kind by what is read beside the root's result (if there is none that may
/// take the consumer, beside that of the first): decided by maps, never by
/// sizes that happen to agree.
static AbsorptionKind classify(const Absorption &absorption) {
  AbsorptionKind kind = AbsorptionKind::Unary;
  Operation *root = absorption.root;
  for (const Absorption::Read &read : absorption.reads) {
    Operation *source = getRenamedResult(read.value).root;
    if (!root)
      root = source;
    if (root && source == root)
      continue;
    if (spansResult(read, cast<ShapedType>(
                              absorption.consumer->getResult(0).getType())))
      return AbsorptionKind::Residual;
    kind = AbsorptionKind::Channel;
  }
  return kind;
}

/// True if the root may move to the consumer with nobody else seeing its
/// result, under no other name either.
static LogicalResult checkReaders(const RenamedResult &result,
                                  const Absorption &absorption,
                                  const Refusal &refuse) {
  FusionRootOpInterface root = result.root;
  Operation *consumer = absorption.consumer;
  StringRef name = consumer->getName().getStringRef();
  StringRef rootName = root->getName().getStringRef();
  if (root->getBlock() != consumer->getBlock())
    return refuse("other-region",
                  name + " reads " + rootName + " from another region");
  Value value = root->getResult(0);
  for (size_t i = 0; i <= result.steps.size(); ++i) {
    Operation *reader =
        i < result.steps.size() ? result.steps[i] : absorption.consumer;
    for (Operation *user : value.getUsers())
      // Sizes are those of the init.
      if (user != reader && !(i == 0 && isa<tensor::DimOp>(user)))
        return refuse("other-readers", "the result of " + rootName +
                                           " is also read by " +
                                           user->getName().getStringRef());
    if (reader != consumer)
      value = reader->getResult(0);
  }
  for (const Absorption::Read &read : absorption.reads)
    if (read.value == value && !read.map.isIdentity())
      return refuse("map-mismatch", name + " reads the result of " + rootName +
                                        " through another map");
  return success();
}

/// What a consumer reads that reads no root: the first operand of its size, or
/// the first of all.
static std::string describeSource(const Absorption &absorption) {
  if (absorption.reads.empty())
    return "nothing";
  const Absorption::Read *read =
      llvm::find_if(absorption.reads, [](const Absorption::Read &candidate) {
        return candidate.map.isIdentity();
      });
  if (read == absorption.reads.end())
    read = absorption.reads.begin();
  Operation *source = read->value.getDefiningOp();
  while (source && isRenaming(source))
    source = source->getOperand(0).getDefiningOp();
  if (!source)
    return "an argument";
  if (auto linalgOp = dyn_cast<LinalgOp>(source);
      linalgOp && linalgOp.getNumReductionLoops() != 0)
    return "a reduction";
  return source->getName().getStringRef().str();
}

/// Finds the root that takes the consumer: of several the last in the block,
/// which has the least way to go. If none may, the first one's reason counts
/// that is read element by element.
static LogicalResult findRoot(Absorption &absorption, const Refusal &refuse) {
  RenamedResult last;
  std::string reason;
  bool isReasonOfElements = false;
  llvm::SmallDenseSet<Value> seen;
  for (const Absorption::Read &read : absorption.reads) {
    RenamedResult result = getRenamedResult(read.value);
    if (!result.root || !seen.insert(read.value).second)
      continue;
    std::string why;
    if (failed(checkReaders(result, absorption, Refusal(why)))) {
      bool ofElements = read.map.isIdentity();
      if (reason.empty() || (ofElements && !isReasonOfElements)) {
        reason = why;
        isReasonOfElements = ofElements;
      }
    } else if (!last.root || last.root->isBeforeInBlock(result.root)) {
      last = result;
    }
  }
  absorption.root = last.root;
  absorption.steps = last.steps;
  if (last.root)
    return success();
  if (!reason.empty())
    return refuse.because(reason);
  return refuse("no-root", absorption.consumer->getName().getStringRef() +
                               " reads " + describeSource(absorption) +
                               ", no root");
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
  Value read = absorption.getLastName();
  if (type.getShape() != cast<RankedTensorType>(read.getType()).getShape())
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

/// What the consumer reads beside the root's result, by the root's dims.
static LogicalResult renameReads(Absorption &absorption,
                                 const Refusal &refuse) {
  Value result = absorption.getLastName();
  for (Absorption::Read &read : absorption.reads) {
    if (read.value == result)
      continue;
    for (Operation *step : llvm::reverse(absorption.steps))
      if (failed(renameToSource(step, read)))
        return refuse("map-mismatch",
                      absorption.consumer->getName().getStringRef() +
                          " reads an operand through only some of the dims "
                          "that " +
                          step->getName().getStringRef() + " splits or merges");
  }
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
  LogicalResult foundRoot = findRoot(absorption, refuse);
  absorption.kind = kind = classify(absorption);
  if (failed(checkBody(absorption, reason)) || failed(foundRoot) ||
      failed(checkTypes(absorption, refuse)) ||
      failed(renameReads(absorption, refuse)))
    return failure();
  FusionRootOpInterface root = absorption.root;
  if (control)
    if (std::optional<StringRef> code = control(root, consumer))
      return refuse(*code, "the cost model refuses " +
                               consumer->getName().getStringRef() + " in " +
                               root->getName().getStringRef());
  return absorption;
}
