//===-- PlanSinkThroughLinalg.cpp - Transposes move through linalg --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of fusion-assign-layout for ops that compute: a linalg.generic runs
// its loops in the order of the elements that it reads.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Patterns.h"
#include "PlanLayout.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

namespace {
/// The loops of a generic in the order of its transposed input's source.
struct Interchange {
  /// The transposed input's permutation.
  SmallVector<int64_t> permutation;
  /// Its loops by dim: the identity but for a generic that reads transposed.
  SmallVector<int64_t> loopOfDim;
  /// The new loop of each old one.
  SmallVector<int64_t> newLoop;

  static Interchange get(ArrayRef<int64_t> permutation, AffineMap map) {
    Interchange result{SmallVector<int64_t>(permutation), {}, {}};
    result.newLoop.resize(permutation.size());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      result.loopOfDim.push_back(cast<AffineDimExpr>(expr).getPosition());
      result.newLoop[result.loopOfDim.back()] = permutation[dim];
    }
    return result;
  }

  /// True if each dim of an operand of `map` is indexed by the loop that
  /// indexes the transposed input's, or is of size one.
  bool isAligned(AffineMap map) const {
    if (map.getNumResults() != loopOfDim.size())
      return false;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        if (static_cast<int64_t>(loop.getPosition()) != loopOfDim[dim])
          return false;
      } else if (!isa<AffineConstantExpr>(expr)) {
        return false;
      }
    }
    return true;
  }

  AffineMap apply(AffineMap map) const {
    SmallVector<AffineExpr> dims;
    for (int64_t loop : newLoop)
      dims.push_back(getAffineDimExpr(loop, map.getContext()));
    return map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0);
  }
};

/// How one operand of a generic changes: nothing, or its dims in `order`.
struct OperandChange {
  SmallVector<int64_t> order;
  AffineMap map;
};

/// The change of an operand whose map is `map`: aligned operands follow the
/// transposed input if `follow`, others are left if the new loops index them
/// in order, else sorted.
std::optional<OperandChange> getChange(const Interchange &interchange,
                                       AffineMap map, bool follow) {
  AffineMap newMap = interchange.apply(map);
  OperandChange change{getIdentity(map.getNumResults()), newMap};
  if (follow && interchange.isAligned(map)) {
    change.order = invert(interchange.permutation);
  } else {
    SmallVector<int64_t> loops;
    bool onlyDims = true;
    for (AffineExpr expr : newMap.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        loops.push_back(loop.getPosition());
      else
        onlyDims = false;
    if (llvm::is_sorted(loops))
      return change;
    if (!onlyDims)
      return std::nullopt;
    change.order = getAscendingOrder(loops);
  }
  change.map = AffineMap::get(
      newMap.getNumDims(), 0,
      layout::permute(newMap.getResults(), change.order), map.getContext());
  return change;
}

bool isFullSize(AffineMap map) {
  return map.isPermutation() && map.getNumResults() == map.getNumDims();
}

/// `tensor.extract` of transposed values in the body: a resize by index
/// arithmetic reads its input so.
SmallVector<tensor::ExtractOp> getTransposedExtracts(linalg::GenericOp op) {
  SmallVector<tensor::ExtractOp> extracts;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    if (auto transposed = getTransposed(extract.getTensor()))
      if (transposed->permutation.size() == op.getNumLoops())
        extracts.push_back(extract);
  return extracts;
}

/// The order of loops that the transposed inputs ask for.
std::optional<Interchange> getInterchange(linalg::GenericOp op) {
  AffineMap map;
  for (OpOperand *input : op.getDpsInputOperands())
    if (AffineMap inputMap = op.getMatchingIndexingMap(input);
        !map && isFullSize(inputMap) && getTransposed(input->get()))
      map = inputMap;
  if (map) {
    SmallVector<Value> values;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input) == map)
        values.push_back(input->get());
    if (auto permutation = getCommonPermutation(values, op))
      return Interchange::get(*permutation, map);
    return std::nullopt;
  }
  SmallVector<tensor::ExtractOp> extracts = getTransposedExtracts(op);
  if (extracts.empty() || op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  return Interchange::get(
      getTransposed(extracts.front().getTensor())->permutation,
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext()));
}

/// A linalg.generic on transposed inputs runs its loops in the order of their
/// sources.
LogicalResult sinkThroughGeneric(linalg::GenericOp op, RewriterBase &rewriter) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "expected tensors");
  std::optional<Interchange> interchange = getInterchange(op);
  if (!interchange)
    return rewriter.notifyMatchFailure(op, "expected transposed inputs");
  SmallVector<int64_t> inverse = invert(interchange->permutation);

  SmallVector<OperandChange> changes;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type) {
      changes.push_back({{}, interchange->apply(map)});
      continue;
    }
    if (type.getEncoding())
      return rewriter.notifyMatchFailure(op, "expected no encoding");
    bool follow = isFullSize(map) || (!op.isDpsInit(&operand) &&
                                      isFreeToPermute(operand.get(), inverse));
    auto change = getChange(*interchange, map, follow);
    if (!change)
      return rewriter.notifyMatchFailure(op, "expected maps to reorder");
    changes.push_back(std::move(*change));
  }

  Location loc = op.getLoc();
  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  for (auto [operand, change] : llvm::zip(op->getOpOperands(), changes)) {
    maps.push_back(change.map);
    bool isInit = op.isDpsInit(&operand);
    Value value = operand.get();
    if (isInit && !op.payloadUsesValueFromOperand(&operand))
      value = createPermutedEmpty(rewriter, loc, value, change.order);
    else
      value = createPermuted(rewriter, loc, value, change.order);
    (isInit ? inits : inputs).push_back(value);
    if (isInit)
      types.push_back(value.getType());
  }
  SmallVector<utils::IteratorType> iterators(op.getNumLoops());
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    iterators[interchange->newLoop[loop]] = type;
  SmallVector<tensor::ExtractOp> extracts = getTransposedExtracts(op);
  auto moved = linalg::GenericOp::create(
      rewriter, loc, types, inputs, inits, maps, iterators,
      /*bodyBuild=*/nullptr, op->getDiscardableAttrDictionary().getValue());
  rewriter.inlineRegionBefore(op.getRegion(), moved.getRegion(),
                              moved.getRegion().begin());
  moved.walk([&](linalg::IndexOp index) {
    rewriter.modifyOpInPlace(
        index, [&] { index.setDim(interchange->newLoop[index.getDim()]); });
  });
  for (tensor::ExtractOp extract : extracts) {
    auto transposed = *getTransposed(extract.getTensor());
    SmallVector<Value> indices =
        permute(SmallVector<Value>(extract.getIndices()),
                invert(transposed.permutation));
    rewriter.modifyOpInPlace(extract, [&] {
      extract.getTensorMutable().assign(transposed.source);
      extract.getIndicesMutable().assign(indices);
    });
  }
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(moved->getResults()))
    results.push_back(createPermuted(rewriter, loc, result,
                                     invert(changes[inputs.size() + i].order)));
  rewriter.replaceOp(op, results);
  return success();
}

struct SinkThroughGeneric final : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    return sinkThroughGeneric(op, rewriter);
  }
};

/// Named elementwise ops and reductions of transposed inputs, as generics.
struct SinkThroughNamedOp final : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp, linalg::TransposeOp, linalg::FillOp>(*op) ||
        !(isa<linalg::ReduceOp>(*op) || linalg::isElementwise(op)))
      return rewriter.notifyMatchFailure(op, "expected an elementwise op");
    SmallVector<Value> inputs = op.getDpsInputs();
    if (!op.hasPureTensorSemantics() || !getCommonPermutation(inputs, op))
      return rewriter.notifyMatchFailure(op, "expected transposed inputs");
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return failure();
    rewriter.setInsertionPoint(*generic);
    // The generic alone is a change too.
    (void)sinkThroughGeneric(*generic, rewriter);
    return success();
  }
};

/// softmax dimension(d)(transpose(x)) -> transpose(softmax(x)).
struct SinkThroughSoftmax final : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getInput());
    if (!transposed || !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected a transposed input");
    Location loc = op.getLoc();
    Value init = createPermutedEmpty(rewriter, loc, op.getOutput(),
                                     invert(transposed->permutation));
    auto softmax = linalg::SoftmaxOp::create(
        rewriter, loc, init.getType(), transposed->source, init,
        transposed->permutation[op.getDimension()]);
    rewriter.replaceOp(op, createPermuted(rewriter, loc, softmax->getResult(0),
                                          transposed->permutation));
    return success();
  }
};
} // namespace

void layout::populateSinkThroughLinalgPatterns(RewritePatternSet &patterns) {
  patterns
      .addWithLabel<SinkThroughGeneric, SinkThroughNamedOp, SinkThroughSoftmax>(
          {"sink-through-linalg", kReordersSums}, patterns.getContext());
}
