//===-- PlanSinkTransposes.cpp - Transposes move towards their uses -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of fusion-assign-layout for ops that are no roots. Each replaces an op
// that reads transposes by the op on their sources and a transpose of its
// result:
//   f(transpose(x), transpose(y)) -> transpose(f(x, y))
// if no more inputs would have to be transposed than need it no longer.
//
//===----------------------------------------------------------------------===//

#include "PlanLayout.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

namespace {
/// The permutation of the first transposed value, if moving all `values` above
/// it leaves no more transposes than before.
std::optional<SmallVector<int64_t>> getCommonPermutation(ArrayRef<Value> values,
                                                         Operation *op) {
  std::optional<SmallVector<int64_t>> permutation;
  for (Value value : values)
    if (auto transposed = getTransposed(value)) {
      permutation = transposed->permutation;
      break;
    }
  if (!permutation)
    return std::nullopt;
  SmallVector<int64_t> inverse = invert(*permutation);
  int64_t removed = 0, added = 0;
  for (Value value : values)
    if (!isFreeToPermute(value, inverse))
      ++added;
    else if (getTransposed(value))
      ++removed;
  // At a tie the result decides: a terminator needs the old order.
  bool endsHere = llvm::all_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
  if (added > removed || (added != 0 && endsHere))
    return std::nullopt;
  return permutation;
}

//===-- linalg.generic ----------------------------------------------------===//

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
      /*bodyBuild=*/nullptr, linalg::getPrunedAttributeList(op));
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

//===-- Ops that move or index elements -----------------------------------===//

/// transpose(transpose(x)) -> one transpose, or x.
struct MergeTransposes final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    Value input = op.getInput();
    if (!getTransposed(input) && !isIdentityPermutation(op.getPermutation()) &&
        !input.getDefiningOp<tensor::EmptyOp>() &&
        !input.getDefiningOp<linalg::FillOp>())
      return rewriter.notifyMatchFailure(op, "expected a transposed input");
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), input, op.getPermutation()));
    return success();
  }
};

/// pad(transpose(x)) -> transpose(pad(x)).
struct SinkThroughPad final : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    Value value = op.getConstantPaddingValue();
    if (!transposed || !value)
      return rewriter.notifyMatchFailure(
          op, "expected a transposed source and one padding value");
    SmallVector<int64_t> order = invert(transposed->permutation);
    RankedTensorType type = op.getResultType();
    auto pad = tensor::PadOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)), transposed->source,
        permute(op.getMixedLowPad(), order),
        permute(op.getMixedHighPad(), order), value, op.getNofold());
    rewriter.replaceOp(op, createPermuted(rewriter, op.getLoc(), pad,
                                          transposed->permutation));
    return success();
  }
};

/// concat(transpose(x), transpose(y)) -> transpose(concat(x, y)).
struct SinkThroughConcat final : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto permutation =
        getCommonPermutation(llvm::to_vector(op.getInputs()), op);
    if (!permutation)
      return rewriter.notifyMatchFailure(op, "expected transposed inputs");
    SmallVector<int64_t> order = invert(*permutation);
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      inputs.push_back(createPermuted(rewriter, op.getLoc(), input, order));
    RankedTensorType type = op.getResultType();
    Value concat = tensor::ConcatOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)),
        (*permutation)[op.getDim()], inputs);
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), concat, *permutation));
    return success();
  }
};

/// extract_slice(transpose(x)) -> transpose(extract_slice(x)).
struct SinkThroughExtractSlice final
    : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    if (!transposed || op.getType().getRank() != op.getSourceType().getRank())
      return rewriter.notifyMatchFailure(
          op, "expected a transposed source of the same rank");
    SmallVector<int64_t> order = invert(transposed->permutation);
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), transposed->source,
        permute(op.getMixedOffsets(), order),
        permute(op.getMixedSizes(), order),
        permute(op.getMixedStrides(), order));
    rewriter.replaceOp(op, createPermuted(rewriter, op.getLoc(), slice,
                                          transposed->permutation));
    return success();
  }
};

/// insert_slice(transpose(x), transpose(y)) -> transpose(insert_slice(x, y)).
struct SinkThroughInsertSlice final : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSourceType().getRank() != op.getType().getRank())
      return rewriter.notifyMatchFailure(op, "expected equal ranks");
    auto permutation = getCommonPermutation({op.getSource(), op.getDest()}, op);
    if (!permutation)
      return rewriter.notifyMatchFailure(op, "expected transposed operands");
    SmallVector<int64_t> order = invert(*permutation);
    Location loc = op.getLoc();
    Value inserted = tensor::InsertSliceOp::create(
        rewriter, loc, createPermuted(rewriter, loc, op.getSource(), order),
        createPermuted(rewriter, loc, op.getDest(), order),
        permute(op.getMixedOffsets(), order),
        permute(op.getMixedSizes(), order),
        permute(op.getMixedStrides(), order));
    rewriter.replaceOp(op,
                       createPermuted(rewriter, loc, inserted, *permutation));
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

/// dim(transpose(x), i) -> dim(x, permutation[i]).
struct SinkThroughDim final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSource());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!transposed || !dim || *dim < 0 ||
        *dim >= static_cast<int64_t>(transposed->permutation.size()))
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(op, transposed->source,
                                               transposed->permutation[*dim]);
    return success();
  }
};

//===-- Reshapes ----------------------------------------------------------===//

/// expand_shape(transpose(x)) -> transpose(expand_shape(x)): the dims that one
/// dim becomes stay together.
struct SinkThroughExpand final : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSrc());
    if (!transposed || transposed->permutation.empty())
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    auto groups = op.getReassociationIndices();
    SmallVector<ReassociationIndices> newGroups;
    // Dims of the result in the source's order.
    SmallVector<int64_t> order;
    for (int64_t dim : invert(transposed->permutation)) {
      newGroups.emplace_back();
      for (int64_t resultDim : groups[dim]) {
        newGroups.back().push_back(order.size());
        order.push_back(resultDim);
      }
    }
    RankedTensorType type = op.getResultType();
    Value expanded = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(),
        type.clone(layout::permute(type.getShape(), order)), transposed->source,
        newGroups, permute(op.getMixedOutputShape(), order));
    rewriter.replaceOp(
        op, createPermuted(rewriter, op.getLoc(), expanded, invert(order)));
    return success();
  }
};

/// collapse_shape(transpose(x)) -> transpose(collapse_shape(x)) where the dims
/// that become one lie together in x. A shuffle of channels first brings them
/// together by a transpose of its own, in x's order of the other dims.
struct SinkThroughCollapse final : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transposed = getTransposed(op.getSrc());
    if (!transposed)
      return rewriter.notifyMatchFailure(op, "expected a transposed source");
    auto groups = op.getReassociationIndices();
    if (groups.empty())
      return rewriter.notifyMatchFailure(op, "expected a result of rank 1");
    auto sourceType = cast<RankedTensorType>(transposed->source.getType());
    // The groups by the place of their first dim in x that is no unit dim.
    SmallVector<int64_t> place;
    for (const ReassociationIndices &group : groups) {
      place.push_back(transposed->permutation[group.front()]);
      for (int64_t dim : group)
        if (int64_t at = transposed->permutation[dim];
            sourceType.getDimSize(at) != 1) {
          place.back() = at;
          break;
        }
    }
    SmallVector<int64_t> groupOrder = getAscendingOrder(place);
    SmallVector<int64_t> gather;
    SmallVector<ReassociationIndices> newGroups;
    for (int64_t group : groupOrder) {
      newGroups.emplace_back();
      for (int64_t dim : groups[group]) {
        newGroups.back().push_back(gather.size());
        gather.push_back(transposed->permutation[dim]);
      }
    }
    bool together = isIdentityPermutation(gather);
    if (!together && (isIdentityPermutation(groupOrder) || groups.size() < 4))
      return rewriter.notifyMatchFailure(op, "expected dims that lie together");
    Location loc = op.getLoc();
    Value source = createPermuted(rewriter, loc, transposed->source, gather);
    RankedTensorType type = op.getResultType();
    Value collapsed = tensor::CollapseShapeOp::create(
        rewriter, loc, type.clone(layout::permute(type.getShape(), groupOrder)),
        source, newGroups);
    rewriter.replaceOp(
        op, createPermuted(rewriter, loc, collapsed, invert(groupOrder)));
    return success();
  }
};
} // namespace

void layout::populateSinkTransposePatterns(RewritePatternSet &patterns) {
  patterns
      .addWithLabel<MergeTransposes, SinkThroughCollapse, SinkThroughConcat,
                    SinkThroughDim, SinkThroughExpand, SinkThroughExtractSlice,
                    SinkThroughGeneric, SinkThroughInsertSlice,
                    SinkThroughNamedOp, SinkThroughPad, SinkThroughSoftmax>(
          {"sink-transposes"}, patterns.getContext());
}
