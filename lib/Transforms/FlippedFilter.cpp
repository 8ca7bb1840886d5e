//===-- FlippedFilter.cpp - A filter read in reverse order ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Importers flip filters by generics, by tensor.extract at mirrored places and
// through reshapes.
//
//===----------------------------------------------------------------------===//

#include "FlippedFilter.h"
#include "ConstantData.h"
#include "Raise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fusion;

/// An index of a linalg.generic's body as an expression of its loops, of at
/// most `numTerms` sums.
static AffineExpr getIndexExpr(Value index, unsigned &numTerms) {
  MLIRContext *context = index.getContext();
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), context);
  Operation *op = index.getDefiningOp();
  if (auto loop = dyn_cast_or_null<linalg::IndexOp>(op))
    return getAffineDimExpr(loop.getDim(), context);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) || numTerms == 0)
    return {};
  --numTerms;
  AffineExpr lhs = getIndexExpr(op->getOperand(0), numTerms);
  AffineExpr rhs = getIndexExpr(op->getOperand(1), numTerms);
  if (!lhs || !rhs)
    return {};
  return isa<arith::AddIOp>(op) ? lhs + rhs : lhs - rhs;
}

/// generic { tensor.extract %source[c - index 2, index 0, …] }: a view of it.
static std::optional<View> lookThroughExtract(const View &view) {
  auto generic = view.value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic->getNumResults() != 1 ||
      generic.getNumLoops() != generic.getNumParallelLoops() ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  auto extract = generic.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract.getTensor().getParentBlock() == generic.getBody())
    return std::nullopt;
  auto source = cast<ShapedType>(extract.getTensor().getType());
  auto type = cast<ShapedType>(generic->getResult(0).getType());
  SmallVector<AffineExpr> results;
  for (auto [index, size] :
       llvm::zip_equal(extract.getIndices(), source.getShape())) {
    // A mirror needs one sum; each is taken apart again where it is used.
    unsigned numTerms = 16;
    AffineExpr expr = getIndexExpr(index, numTerms);
    if (!expr)
      return std::nullopt;
    // What reads only a part of a dim is no view of the whole.
    for (int64_t loop = 0, e = type.getRank(); loop < e; ++loop)
      if (expr.isFunctionOfDim(loop) &&
          (ShapedType::isDynamic(size) || type.getDimSize(loop) != size))
        return std::nullopt;
    results.push_back(expr);
  }
  AffineMap map =
      AffineMap::get(generic.getNumLoops(), 0, results, generic.getContext());
  return View{extract.getTensor(), map.compose(view.map)};
}

FlippedFilter fusion::flipFilter(ConvOp conv) {
  Value filter = conv.getFilter();
  SmallVector<int64_t> spatial, kernel = conv.getKernelSizes();
  for (int64_t i = 0, e = conv.getNumSpatialDims(); i < e; ++i)
    spatial.push_back(conv.getFilterDims().spatial + i);
  FlippedFilter result;
  result.inner = filter;
  if (auto collapse = filter.getDefiningOp<tensor::CollapseShapeOp>()) {
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    if (llvm::all_of(spatial,
                     [&](int64_t d) { return groups[d].size() == 1; })) {
      result.inner = collapse.getSrc();
      result.reshape = collapse;
      for (int64_t &dim : spatial)
        dim = groups[dim].front();
    }
  } else if (auto expand = filter.getDefiningOp<tensor::ExpandShapeOp>()) {
    SmallVector<int64_t> inner;
    for (auto [from, group] : llvm::enumerate(expand.getReassociationIndices()))
      if (group.size() == 1 && llvm::is_contained(spatial, group.front()))
        inner.push_back(from);
    if (inner.size() == spatial.size()) {
      result.inner = expand.getSrc();
      result.reshape = expand;
      spatial = inner;
    }
  }
  int64_t rank = cast<ShapedType>(result.inner.getType()).getRank();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, conv.getContext());
  View view{result.inner, identity};
  while (true) {
    std::optional<View> next = lookThroughExtract(view);
    if (!next && view.value.getDefiningOp<linalg::LinalgOp>() &&
        !view.value.getDefiningOp<linalg::FillOp>())
      next = lookThrough(view);
    if (!next || !isa<RankedTensorType>(next->value.getType()))
      break;
    view = *next;
  }
  SmallVector<AffineExpr> flip(identity.getResults());
  for (auto [dim, size] : llvm::zip_equal(spatial, kernel))
    flip[dim] = size - 1 - flip[dim];
  result.view = {view.value, simplifyAffineMap(view.map.compose(AffineMap::get(
                                 rank, 0, flip, conv.getContext())))};
  result.isUndone =
      result.inner != view.value && result.view.map.isProjectedPermutation(
                                        /*allowZeroInResults=*/true);
  return result;
}

Value fusion::buildFilter(RewriterBase &rewriter, Location loc,
                          const FlippedFilter &flipped) {
  const auto &[source, map] = flipped.view;
  auto type = cast<RankedTensorType>(flipped.inner.getType());
  Value filter;
  if (ElementsAttr constant = getConstantTensor(source);
      constant && type.hasStaticShape())
    if (ElementsAttr gathered = gatherConstant(
            constant, type,
            (getResourceName(constant, "filter") + "_flipped").str(), map))
      filter =
          arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(gathered));
  if (!filter && map.isIdentity() && source.getType() == type)
    filter = source;
  if (!filter) {
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, flipped.inner),
        type.getElementType());
    SmallVector<int64_t> permutation;
    if (map.isPermutation())
      for (AffineExpr expr : inversePermutation(map).getResults())
        permutation.push_back(cast<AffineDimExpr>(expr).getPosition());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    SmallVector<AffineMap> maps{
        map, rewriter.getMultiDimIdentityMap(type.getRank())};
    if (!permutation.empty())
      filter =
          linalg::TransposeOp::create(rewriter, loc, source, empty, permutation)
              ->getResult(0);
    else
      filter =
          linalg::GenericOp::create(
              rewriter, loc, empty.getType(), source, empty, maps, iterators,
              [](OpBuilder &nested, Location bodyLoc, ValueRange arguments) {
                linalg::YieldOp::create(nested, bodyLoc, arguments[0]);
              })
              .getResult(0);
  }
  if (auto collapse =
          dyn_cast_or_null<tensor::CollapseShapeOp>(flipped.reshape))
    return collapseShape(rewriter, loc, filter,
                         collapse.getReassociationIndices());
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(flipped.reshape))
    return expandShape(rewriter, loc, filter, expand.getResultType(),
                       expand.getReassociationIndices());
  return filter;
}
