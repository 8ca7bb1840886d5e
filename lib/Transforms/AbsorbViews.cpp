//===-- AbsorbViews.cpp - A root's result by other names ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An elementwise op behind a transpose or a reshape of a root's result is the
// same op before it, if each operand beside it can be read in the root's order:
//   expand(root) + bias at (d3) -> expand(root + bias at (d2))
//
//===----------------------------------------------------------------------===//

#include "AbsorbViews.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

bool fusion::isRenaming(Operation *op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return transpose.hasPureTensorSemantics();
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType()) &&
           isa<RankedTensorType>(cast.getType());
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

RenamedResult fusion::getRenamedResult(Value value) {
  RenamedResult result;
  Operation *op = value.getDefiningOp();
  for (; op && isRenaming(op); op = op->getOperand(0).getDefiningOp())
    result.steps.push_back(op);
  std::reverse(result.steps.begin(), result.steps.end());
  result.root = dyn_cast_or_null<FusionRootOpInterface>(op);
  return result;
}

Type RenamedView::getType() const {
  return reshapes.empty() ? value.getType() : Type(reshapes.back().type);
}

//===-- Maps of operands --------------------------------------------------===//

/// result dim i is source dim permutation[i].
static void renameThroughTranspose(linalg::TransposeOp op, RenamedView &view) {
  SmallVector<AffineExpr> dims;
  for (int64_t dim : op.getPermutation())
    dims.push_back(getAffineDimExpr(dim, op.getContext()));
  view.map = view.map.replaceDimsAndSymbols(dims, {}, dims.size(), 0);
}

/// The dims of `group` that an operand of the result's size goes through: those
/// of more than one element, or the first.
static SmallVector<int64_t> getWalkedDims(RankedTensorType type,
                                          ArrayRef<int64_t> group) {
  SmallVector<int64_t> dims = llvm::filter_to_vector(
      group, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
  if (dims.empty())
    dims.push_back(group.front());
  return dims;
}

/// Each source dim has become a group of dims: what goes through all of a group
/// in its order gets them merged.
static LogicalResult renameThroughExpand(tensor::ExpandShapeOp op,
                                         RenamedView &view) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getResultType();
  auto groups = op.getReassociationIndices();
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto findGroup = [&](int64_t dim) {
    return llvm::find_if(
               groups,
               [&](auto &group) { return llvm::is_contained(group, dim); }) -
           groups.begin();
  };
  // Where each source dim is walked; dims of one element go with what precedes
  // them, the first ones with what follows.
  SmallVector<ReassociationIndices> merged;
  SmallVector<AffineExpr> mergedExprs;
  ReassociationIndices leading;
  ArrayRef<AffineExpr> results = view.map.getResults();
  SmallVector<AffineExpr> exprs(results.size(), zero);
  auto leaveOut = [&](int64_t position) {
    (merged.empty() ? leading : merged.back()).push_back(position);
  };
  bool merges = false;
  for (int64_t i = 0, e = results.size(); i < e;) {
    auto dim = dyn_cast<AffineDimExpr>(results[i]);
    int64_t group = dim ? findGroup(dim.getPosition()) : -1;
    SmallVector<int64_t> walked;
    if (dim)
      walked = getWalkedDims(type, groups[group]);
    if (!dim || !llvm::is_contained(walked, dim.getPosition())) {
      leaveOut(i++);
      continue;
    }
    merged.push_back(merged.empty() ? leading : ReassociationIndices());
    mergedExprs.push_back(getAffineDimExpr(group, context));
    exprs[i] = mergedExprs.back();
    merges |= walked.size() > 1;
    for (int64_t next : walked) {
      // Between them may only stand what does not move.
      while (i < e && results[i] != getAffineDimExpr(next, context)) {
        auto other = dyn_cast<AffineDimExpr>(results[i]);
        if (other && type.getDimSize(other.getPosition()) != 1)
          return failure();
        leaveOut(i++);
      }
      if (i == e)
        return failure();
      leaveOut(i++);
    }
  }
  if (merges) {
    view.reshapes.push_back(
        {merged, tensor::CollapseShapeOp::inferCollapsedType(
                     cast<RankedTensorType>(view.getType()), merged)});
    exprs = mergedExprs;
  }
  view.map = AffineMap::get(groups.size(), 0, exprs, context);
  return success();
}

/// Groups of source dims have become one: what goes through it gets it split.
static LogicalResult renameThroughCollapse(tensor::CollapseShapeOp op,
                                           RenamedView &view) {
  MLIRContext *context = op.getContext();
  RankedTensorType source = op.getSrcType();
  auto groups = op.getReassociationIndices();
  SmallVector<ReassociationIndices> split;
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  bool keepsShape = true;
  for (auto [position, result] : llvm::enumerate(view.map.getResults())) {
    split.emplace_back();
    auto add = [&](AffineExpr expr, int64_t size) {
      split.back().push_back(shape.size());
      exprs.push_back(expr);
      shape.push_back(size);
    };
    auto dim = dyn_cast<AffineDimExpr>(result);
    int64_t size = cast<RankedTensorType>(view.getType()).getDimSize(position);
    if (!dim) {
      add(result, size);
      continue;
    }
    const ReassociationIndices &group = groups[dim.getPosition()];
    if (group.size() == 1) {
      add(getAffineDimExpr(group.front(), context), size);
      continue;
    }
    keepsShape = false;
    int64_t unknown = 0;
    for (int64_t sourceDim : group) {
      unknown += source.isDynamicDim(sourceDim);
      add(getAffineDimExpr(sourceDim, context), source.getDimSize(sourceDim));
    }
    if (unknown != ShapedType::isDynamic(size))
      return failure();
  }
  if (!keepsShape)
    view.reshapes.push_back(
        {split, cast<RankedTensorType>(view.getType()).clone(shape)});
  view.map = AffineMap::get(source.getRank(), 0, exprs, context);
  return success();
}

LogicalResult fusion::renameToSource(Operation *step, RenamedView &view) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(step)) {
    renameThroughTranspose(transpose, view);
    return success();
  }
  if (isa<tensor::CastOp>(step))
    return success();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(step))
    return renameThroughExpand(expand, view);
  return renameThroughCollapse(cast<tensor::CollapseShapeOp>(step), view);
}

//===-- Rewriting ---------------------------------------------------------===//

Value fusion::createReshapes(OpBuilder &builder, Location loc,
                             const RenamedView &view) {
  Value value = view.value;
  for (const Reshape &reshape : view.reshapes) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    value =
        reshape.type.getRank() < rank
            ? collapseShape(builder, loc, value, reshape.groups)
            : expandShape(builder, loc, value, reshape.type, reshape.groups);
  }
  return value;
}

Value fusion::cloneSteps(RewriterBase &rewriter, ArrayRef<Operation *> steps,
                         Value value) {
  Type element = getElementTypeOrScalar(value.getType());
  for (Operation *step : steps) {
    Location loc = step->getLoc();
    if (auto transpose = dyn_cast<linalg::TransposeOp>(step)) {
      Value init = transpose.getInit();
      if (getElementTypeOrScalar(init.getType()) != element)
        init = tensor::EmptyOp::create(
            rewriter, loc, tensor::getMixedSizes(rewriter, loc, init), element);
      value = linalg::TransposeOp::create(rewriter, loc, value, init,
                                          transpose.getPermutation())
                  ->getResult(0);
      continue;
    }
    Operation *clone = rewriter.clone(*step);
    clone->setOperand(0, value);
    Value result = clone->getResult(0);
    result.setType(cast<RankedTensorType>(result.getType()).clone(element));
    value = result;
  }
  return value;
}
