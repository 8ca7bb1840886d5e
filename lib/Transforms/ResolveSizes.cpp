//===-- ResolveSizes.cpp - Rules for sizes of tensors ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that carries a tensor, or a branch that yields one, has a known size
// where all that it yields has the same.
//
//===----------------------------------------------------------------------===//

#include "ResolveSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A size: a constant, a dim of a tensor, or (`dim` < 0) a value.
struct Size {
  Value value;
  int64_t dim = -1;
  int64_t constant = 0;
  bool operator==(const Size &other) const {
    return value == other.value && dim == other.dim &&
           constant == other.constant;
  }
};

Size traceSize(Value tensor, int64_t dim);

/// The dim that `op` reads, if it is constant and one of its tensor's.
std::optional<int64_t> getKnownDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!dim || !type || *dim < 0 || *dim >= type.getRank())
    return std::nullopt;
  return dim;
}

/// Whether the tensor that `loop` carries in `argument` keeps its size.
bool keepsSize(scf::ForOp loop, BlockArgument argument, int64_t dim) {
  Size size = traceSize(loop.getTiedLoopYieldedValue(argument)->get(), dim);
  return size == Size{argument, dim} ||
         size == traceSize(loop.getTiedLoopInit(argument)->get(), dim);
}

/// Where the size of `tensor` comes from.
Size traceSize(Value tensor, int64_t dim) {
  for (;;) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (type && !type.isDynamicDim(dim))
      return {{}, -1, type.getDimSize(dim)};
    if (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>()) {
      tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
    } else if (auto castOp = tensor.getDefiningOp<tensor::CastOp>()) {
      tensor = castOp.getSource();
    } else if (auto loop = tensor.getDefiningOp<scf::ForOp>()) {
      BlockArgument argument =
          loop.getTiedLoopRegionIterArg(cast<OpResult>(tensor));
      if (!keepsSize(loop, argument, dim))
        return {tensor, dim};
      tensor = loop.getTiedLoopInit(argument)->get();
    } else if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
      Value size = empty.getDynamicSize(dim);
      auto read = size.getDefiningOp<tensor::DimOp>();
      std::optional<int64_t> index = read ? getKnownDim(read) : std::nullopt;
      if (!index)
        return {size};
      tensor = read.getSource();
      dim = *index;
    } else {
      return {tensor, dim};
    }
  }
}

/// dim(for(… iter_args(%a = %init) { …; yield %b })) -> dim(%init), and that of
/// %a, if %b has the size of %a or of %init.
struct DimOfCarried final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = getKnownDim(op);
    auto loop = op.getSource().getDefiningOp<scf::ForOp>();
    auto argument = dyn_cast<BlockArgument>(op.getSource());
    if (loop)
      argument = loop.getTiedLoopRegionIterArg(cast<OpResult>(op.getSource()));
    else if (argument)
      loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || !dim || argument == loop.getInductionVar())
      return rewriter.notifyMatchFailure(op, "expected a carried tensor");
    Value init = loop.getTiedLoopInit(argument)->get();
    if (!keepsSize(loop, argument, *dim))
      return rewriter.notifyMatchFailure(op,
                                         "expected a loop that keeps sizes");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(init); });
    return success();
  }
};

/// dim(if { yield %a } else { yield %b }) -> the size of both, if it is one
/// from outside.
struct DimOfBranches final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = getKnownDim(op);
    auto branches = op.getSource().getDefiningOp<scf::IfOp>();
    if (!branches || !dim)
      return rewriter.notifyMatchFailure(op, "expected a result of branches");
    unsigned number = cast<OpResult>(op.getSource()).getResultNumber();
    Size size = traceSize(branches.thenYield().getOperand(number), *dim);
    if (!(size == traceSize(branches.elseYield().getOperand(number), *dim)) ||
        (size.value &&
         branches->isAncestor(size.value.getParentRegion()->getParentOp())))
      return rewriter.notifyMatchFailure(op, "expected equal sizes");
    if (!size.value)
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, size.constant);
    else if (size.dim < 0)
      rewriter.replaceOp(op, size.value);
    else
      rewriter.replaceOpWithNewOp<tensor::DimOp>(op, size.value, size.dim);
    return success();
  }
};
} // namespace

void fusion::populateResolveSizesPatterns(RewritePatternSet &patterns) {
  patterns.add<DimOfCarried, DimOfBranches>(patterns.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, patterns.getContext());
}
