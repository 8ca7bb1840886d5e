//===-- Views.cpp - Tensors that repeat or reorder another ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is composition of maps: whether a rule can use a view is asked of
// the map that is left.
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "ConstantData.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

/// A linalg op that stores its one input as it is: the map of that input.
static std::optional<View> lookThroughLinalg(LinalgOp op, AffineMap map) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  auto yield = dyn_cast<linalg::YieldOp>(op.getBlock()->front());
  if (!yield || yield.getOperand(0) != op.getMatchingBlockArgument(input) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  // A constant index into more than one element reads a slice.
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  for (auto [dim, expr] : llvm::enumerate(inputMap.getResults()))
    if (isa<AffineConstantExpr>(expr) && op.getShape(input)[dim] != 1)
      return std::nullopt;
  return View{input->get(), inputMap.compose(map)};
}

/// A merged dim's position in each of the dims it was merged from:
///   [0, 1] of tensor<?x28x…> at (d0, …) -> (d0 floordiv 28, d0 mod 28, …)
static std::optional<View> lookThroughCollapse(tensor::CollapseShapeOp op,
                                               AffineMap map) {
  RankedTensorType type = op.getSrcType();
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  SmallVector<AffineExpr> results(type.getRank(), zero);
  for (auto [group, index] :
       llvm::zip(op.getReassociationIndices(), map.getResults())) {
    // Dims of one element stay at 0.
    SmallVector<int64_t> dims = llvm::filter_to_vector(
        group, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
    AffineExpr rest = index;
    for (int64_t dim : llvm::reverse(dims)) {
      int64_t size = type.getDimSize(dim);
      if (dim == dims.front()) {
        results[dim] = rest;
        break;
      }
      if (ShapedType::isDynamic(size) || size == 0)
        return std::nullopt;
      results[dim] = rest % size;
      rest = rest.floorDiv(size);
    }
  }
  return View{op.getSrc(),
              AffineMap::get(map.getNumDims(), 0, results, op.getContext())};
}

/// The position in a dim that was split into several:
///   [[0, 1]] of tensor<4x8x…> at (d0, d1, …) -> (d0 * 8 + d1, …)
static std::optional<View> lookThroughExpand(tensor::ExpandShapeOp op,
                                             AffineMap map) {
  RankedTensorType type = op.getResultType();
  SmallVector<AffineExpr> results;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    AffineExpr position = getAffineConstantExpr(0, op.getContext());
    for (int64_t dim : group) {
      int64_t size = type.getDimSize(dim);
      // Dims of one element stay at 0.
      if (size == 1)
        continue;
      bool isFirst = position == 0;
      if (!isFirst && ShapedType::isDynamic(size))
        return std::nullopt;
      position =
          isFirst ? map.getResult(dim) : position * size + map.getResult(dim);
    }
    results.push_back(position);
  }
  return View{op.getSrc(),
              AffineMap::get(map.getNumDims(), 0, results, op.getContext())};
}

std::optional<View> fusion::lookThrough(const View &view) {
  Operation *op = view.value.getDefiningOp();
  AffineMap scalar =
      AffineMap::get(view.map.getNumDims(), 0, view.map.getContext());
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op)) {
    // A fill may convert.
    Value value = fill.getInputs()[0];
    if (value.getType() != getElementTypeOrScalar(view.value.getType()))
      return std::nullopt;
    return View{value, scalar};
  }
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return View{splat.getInput(), scalar};
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return lookThroughCollapse(collapse, view.map);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return lookThroughExpand(expand, view.map);
  if (auto linalgOp = dyn_cast_or_null<LinalgOp>(op))
    return lookThroughLinalg(linalgOp, view.map);
  return std::nullopt;
}

View fusion::lookThroughWhere(View view,
                              function_ref<bool(const View &)> accept) {
  std::optional<View> next = view;
  while ((next = lookThrough(*next)))
    if (accept(*next))
      view = *next;
  return view;
}

unsigned fusion::getNumDimResults(AffineMap map) {
  return llvm::count_if(map.getResults(), llvm::IsaPred<AffineDimExpr>);
}

View fusion::lookThroughBroadcasts(View view) {
  std::optional<View> next = view;
  while ((next = lookThrough(*next)))
    if (next->map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
        (getNumDimResults(next->map) < getNumDimResults(view.map) ||
         !isa<ShapedType>(next->value.getType())))
      view = *next;
  return view;
}

/// `value` under another shape of the same elements if it is a constant, or
/// null.
static Value reshapeIfConstant(OpBuilder &builder, Location loc, Value value,
                               RankedTensorType type) {
  ElementsAttr constant = getConstantTensor(value);
  TypedAttr reshaped = constant && type.hasStaticShape()
                           ? reshapeConstant(constant, type)
                           : TypedAttr();
  if (!reshaped)
    return {};
  return arith::ConstantOp::create(builder, loc, reshaped);
}

Value fusion::collapseShape(OpBuilder &builder, Location loc, Value value,
                            ArrayRef<ReassociationIndices> groups) {
  auto type = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(value.getType()), groups);
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
      expand && expand.getSrcType() == type &&
      llvm::equal(expand.getReassociationIndices(), groups))
    return expand.getSrc();
  if (Value constant = reshapeIfConstant(builder, loc, value, type))
    return constant;
  return tensor::CollapseShapeOp::create(builder, loc, type, value, groups);
}

Value fusion::expandShape(OpBuilder &builder, Location loc, Value value,
                          RankedTensorType type,
                          ArrayRef<ReassociationIndices> groups) {
  if (Value constant = reshapeIfConstant(builder, loc, value, type))
    return constant;
  return tensor::ExpandShapeOp::create(builder, loc, type, value, groups);
}

bool fusion::spansResult(const View &view, ShapedType result) {
  return getNumDimResults(view.map) == view.map.getNumDims() &&
         !(llvm::is_contained(result.getShape(), 1) &&
           getConstantTensor(view.value));
}

BlockArgument fusion::readInEpilogue(RewriterBase &rewriter,
                                     FusionRootOpInterface root,
                                     const View &view) {
  auto type = dyn_cast<RankedTensorType>(view.value.getType());
  if (!type)
    return getOrAddEpilogueOperand(rewriter, root, view.value, {});
  ShapedType result = root.getInitType();
  bool isWhole = spansResult(view, result);
  SmallVector<int64_t> dims;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, expr] : llvm::enumerate(view.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isLeftOut = !dim || (!isWhole && type.getDimSize(position) == 1 &&
                              result.getDimSize(dim.getPosition()) == 1);
    if (isLeftOut) {
      (groups.empty() ? leading : groups.back()).push_back(position);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(position);
    dims.push_back(dim.getPosition());
  }
  Value value = view.value;
  if (static_cast<int64_t>(dims.size()) != type.getRank()) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(root);
    value = collapseShape(rewriter, root.getLoc(), value, groups);
  }
  return getOrAddEpilogueOperand(rewriter, root, value, dims);
}
