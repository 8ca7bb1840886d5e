//===-- ResolveSizes.cpp - Rules for sizes of tensors ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that carries a tensor or a buffer, or a branch that yields one, has a
// known size where all that it yields has the same.
//
//===----------------------------------------------------------------------===//

#include "ResolveSizes.h"
#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mlir::fusion;

/// Values that one question about equal arithmetic may look at.
static constexpr unsigned kMaxCompared = 64;

namespace {
/// A size: a constant, a dim of a tensor or buffer, or (`dim` < 0) a value.
struct Size {
  Value value;
  int64_t dim = -1;
  int64_t constant = 0;
  bool operator==(const Size &other) const {
    return value == other.value && dim == other.dim &&
           constant == other.constant;
  }
};

/// The dim that `op` reads, if it is constant and one of its tensor's.
std::optional<int64_t> getKnownDim(ShapedDimOpInterface op) {
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  auto type = cast<ShapedType>(op.getShapedValue().getType());
  if (!dim || !type.hasRank() || *dim < 0 || *dim >= type.getRank())
    return std::nullopt;
  return dim;
}

/// The dynamic sizes that `op` makes its result with, if it says them.
std::optional<ValueRange> getMadeSizes(Operation *op) {
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return empty.getDynamicSizes();
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(op))
    return alloc.getDynamicSizes();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return expand.getOutputShape();
  // Dims that a slice drops are static.
  if (isa_and_nonnull<tensor::ExtractSliceOp, memref::SubViewOp>(op)) {
    ValueRange sizes = cast<OffsetSizeAndStrideOpInterface>(op).getSizes();
    auto type = cast<ShapedType>(op->getResult(0).getType());
    if (sizes.size() == size_t(type.getNumDynamicDims()))
      return sizes;
  }
  return std::nullopt;
}

/// The dim that becomes dim `dim` of `collapse`, if all others of its group
/// have one element.
std::optional<int64_t> getOnlyDim(tensor::CollapseShapeOp collapse,
                                  int64_t dim) {
  std::optional<int64_t> only;
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  for (int64_t part : groups[dim]) {
    if (collapse.getSrcType().getDimSize(part) == 1)
      continue;
    if (only)
      return std::nullopt;
    only = part;
  }
  return only;
}

/// The loop that carries `value` into its trips or out of them, if one does,
/// and the argument that it carries it in.
std::pair<scf::ForOp, BlockArgument> getCarried(Value value) {
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop, loop.getTiedLoopRegionIterArg(cast<OpResult>(value))};
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop =
      argument
          ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp())
          : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return {};
  return {loop, argument};
}

/// Whether `value` and `other` are the same arithmetic on the same values.
/// `seen` are pairs that were compared before.
bool areSameArithmetic(Value value, Value other,
                       llvm::DenseSet<std::pair<Value, Value>> &seen) {
  if (value == other || seen.contains({value, other}))
    return true;
  Operation *op = value.getDefiningOp(), *otherOp = other.getDefiningOp();
  if (!op || !otherOp || !isPure(op) || op->getNumRegions() != 0 ||
      seen.size() == kMaxCompared)
    return false;
  seen.insert({value, other});
  return cast<OpResult>(value).getResultNumber() ==
             cast<OpResult>(other).getResultNumber() &&
         op->getName() == otherOp->getName() &&
         op->getAttrDictionary() == otherOp->getAttrDictionary() &&
         op->getResultTypes() == otherOp->getResultTypes() &&
         op->getNumOperands() == otherOp->getNumOperands() &&
         llvm::all_of_zip(op->getOperands(), otherOp->getOperands(),
                          [&](Value operand, Value otherOperand) {
                            return areSameArithmetic(operand, otherOperand,
                                                     seen);
                          });
}

/// Whether two sizes are the same arithmetic, or bounds of values say that they
/// are equal.
bool areEqual(const Size &size, const Size &other) {
  if (size == other)
    return true;
  if (!size.value && !other.value)
    return false;
  llvm::DenseSet<std::pair<Value, Value>> seen;
  if (size.value && other.value && size.dim == other.dim &&
      areSameArithmetic(size.value, other.value, seen))
    return true;
  Builder builder((size.value ? size : other).value.getContext());
  auto toVariable = [&](const Size &known) {
    using Variable = ValueBoundsConstraintSet::Variable;
    if (!known.value)
      return Variable(OpFoldResult(builder.getIndexAttr(known.constant)));
    return known.dim < 0 ? Variable(known.value)
                         : Variable(known.value, known.dim);
  };
  FailureOr<bool> equal =
      ValueBoundsConstraintSet::areEqual(toVariable(size), toVariable(other));
  return succeeded(equal) && *equal;
}

/// Follows sizes to where they come from. What loops carry may take turns
/// (`yield %b, %a`), and loops read what others carried, so every loop that is
/// met is taken to keep all sizes, but for what then does not, until nothing
/// changes.
class SizeTracer {
public:
  Size trace(Value shaped, int64_t dim) {
    Size size = follow(shaped, dim);
    while (settle())
      size = follow(shaped, dim);
    return size;
  }
  /// Whether the tensor that `loop` carries in `argument` keeps its size.
  bool keepsSize(scf::ForOp loop, BlockArgument argument, int64_t dim) {
    meet(loop);
    settle();
    return kept.contains({argument, dim});
  }

private:
  void meet(scf::ForOp loop);
  bool settle();
  Size follow(Value shaped, int64_t dim);

  DenseSet<Operation *> loops;
  /// Sizes of what those loops carry, and which are taken for their inits'.
  SmallVector<std::pair<BlockArgument, int64_t>> carriedSizes;
  DenseSet<std::pair<Value, int64_t>> kept;
  /// How many of `carriedSizes` have been looked at.
  size_t numSettled = 0;
};

void SizeTracer::meet(scf::ForOp loop) {
  if (!loops.insert(loop).second)
    return;
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (auto type = dyn_cast<ShapedType>(carried.getType());
        type && type.hasRank())
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim)) {
          kept.insert({carried, dim});
          carriedSizes.push_back({carried, dim});
        }
}

/// Returns true if a size that was taken for another is not the same.
bool SizeTracer::settle() {
  bool any = false;
  for (bool changed = numSettled != carriedSizes.size(); changed;) {
    changed = false;
    // More of them may be met.
    for (size_t i = 0; i < carriedSizes.size(); ++i) {
      auto [carried, dim] = carriedSizes[i];
      if (!kept.contains({carried, dim}))
        continue;
      auto loop = cast<scf::ForOp>(carried.getOwner()->getParentOp());
      Size yielded = follow(loop.getTiedLoopYieldedValue(carried)->get(), dim);
      if (areEqual(yielded, follow(loop.getTiedLoopInit(carried)->get(), dim)))
        continue;
      kept.erase({carried, dim});
      changed = any = true;
    }
  }
  numSettled = carriedSizes.size();
  return any;
}

Size SizeTracer::follow(Value shaped, int64_t dim) {
  for (;;) {
    auto type = cast<ShapedType>(shaped.getType());
    if (type.hasRank() && !type.isDynamicDim(dim))
      return {{}, -1, type.getDimSize(dim)};
    Operation *op = shaped.getDefiningOp();
    if (auto [loop, carried] = getCarried(shaped); loop) {
      meet(loop);
      if (!kept.contains({carried, dim}))
        return {shaped, dim};
      shaped = loop.getTiedLoopInit(carried)->get();
    } else if (auto written =
                   dyn_cast_or_null<DestinationStyleOpInterface>(op)) {
      shaped = written.getTiedOpOperand(cast<OpResult>(shaped))->get();
    } else if (isa_and_nonnull<tensor::CastOp, memref::CastOp>(op)) {
      shaped = op->getOperand(0);
    } else if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op);
               collapse && getOnlyDim(collapse, dim)) {
      dim = *getOnlyDim(collapse, dim);
      shaped = collapse.getSrc();
    } else if (std::optional<ValueRange> sizes = getMadeSizes(op)) {
      Value size = (*sizes)[type.getDynamicDimIndex(dim)];
      auto read = size.getDefiningOp<ShapedDimOpInterface>();
      std::optional<int64_t> index = read ? getKnownDim(read) : std::nullopt;
      if (!index)
        return {size};
      shaped = read.getShapedValue();
      dim = *index;
    } else {
      return {shaped, dim};
    }
  }
}

/// dim(for(… iter_args(%a = %init) { …; yield %b })) -> dim(%init), and that of
/// %a, if %b has the size of %a or of %init.
struct DimOfCarried final : OpInterfaceRewritePattern<ShapedDimOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ShapedDimOpInterface op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = getKnownDim(op);
    Value source = op.getShapedValue();
    if (!dim || !getCarried(source).first)
      return rewriter.notifyMatchFailure(op, "expected a carried tensor");
    // Through one loop behind the other at once.
    SizeTracer tracer;
    Value init = source;
    for (;;) {
      auto [loop, argument] = getCarried(init);
      if (!loop || !tracer.keepsSize(loop, argument, *dim))
        break;
      init = loop.getTiedLoopInit(argument)->get();
    }
    if (init == source)
      return rewriter.notifyMatchFailure(op,
                                         "expected a loop that keeps sizes");
    rewriter.modifyOpInPlace(op, [&] { op->replaceUsesOfWith(source, init); });
    return success();
  }
};

/// Whether an assertion in front of `op` says that a size is what the other
/// knows it to be.
bool isAssertedEqual(const Size &size, const Size &other, Operation *op) {
  if (!size.value == !other.value)
    return false;
  const Size &open = size.value ? size : other,
             &known = size.value ? other : size;
  SmallVector<Value> names;
  if (open.dim < 0)
    names.push_back(open.value);
  else
    for (Operation *user : open.value.getUsers())
      if (auto dim = dyn_cast<tensor::DimOp>(user);
          dim && getKnownDim(dim) == open.dim)
        names.push_back(dim);
  auto asserts = [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        (getConstantIntValue(compare.getLhs()) != known.constant &&
         getConstantIntValue(compare.getRhs()) != known.constant))
      return false;
    return llvm::any_of(compare->getUsers(), [&](Operation *assertion) {
      Operation *here = assertion->getBlock()->findAncestorOpInBlock(*op);
      return isa<cf::AssertOp>(assertion) && here &&
             assertion->isBeforeInBlock(here);
    });
  };
  return llvm::any_of(names, [&](Value name) {
    return llvm::any_of(name.getUsers(), asserts);
  });
}

/// dim(if %c { yield %a } else { yield %b }) -> the size of both, or a select
/// of their sizes, if these come from outside.
struct DimOfBranches final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = getKnownDim(op);
    auto branches = op.getSource().getDefiningOp<scf::IfOp>();
    if (!branches || !dim)
      return rewriter.notifyMatchFailure(op, "expected a result of branches");
    unsigned number = cast<OpResult>(op.getSource()).getResultNumber();
    SizeTracer tracer;
    Size size = tracer.trace(branches.thenYield().getOperand(number), *dim);
    Size other = tracer.trace(branches.elseYield().getOperand(number), *dim);
    auto isFromOutside = [&](Size known) {
      return !known.value || !branches->isAncestor(
                                 known.value.getParentRegion()->getParentOp());
    };
    if (!isFromOutside(size) || !isFromOutside(other))
      return rewriter.notifyMatchFailure(op, "expected sizes from outside");
    // Where branches that read the result, too, see it from outside.
    rewriter.setInsertionPointAfter(branches);
    Value result = getValue(rewriter, op.getLoc(), size);
    if (!(size == other) && !isAssertedEqual(size, other, branches)) {
      Value otherResult = getValue(rewriter, op.getLoc(), other);
      result = arith::SelectOp::create(
          rewriter, op.getLoc(), branches.getCondition(), result, otherResult);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value getValue(OpBuilder &builder, Location loc, const Size &size) {
    if (!size.value)
      return arith::ConstantIndexOp::create(builder, loc, size.constant);
    if (size.dim < 0)
      return size.value;
    return tensor::DimOp::create(builder, loc, size.value, size.dim);
  }
};
} // namespace

bool fusion::keepsSizes(scf::ForOp loop, BlockArgument carried) {
  auto type = cast<ShapedType>(carried.getType());
  return llvm::all_of(llvm::seq(type.getRank()), [&](int64_t dim) {
    return !type.isDynamicDim(dim) ||
           SizeTracer().keepsSize(loop, carried, dim);
  });
}

bool fusion::haveEqualSizes(Value tensor, int64_t dim, Value other,
                            int64_t otherDim) {
  return areEqual(SizeTracer().trace(tensor, dim),
                  SizeTracer().trace(other, otherDim));
}

LogicalResult fusion::mergeAndResolve(func::FuncOp function,
                                      const FrozenRewritePatternSet &patterns) {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  return applyBounded(function.getBody(), patterns);
}

void fusion::populateResolveSizesPatterns(RewritePatternSet &patterns) {
  patterns.add<DimOfCarried, DimOfBranches>(patterns.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, patterns.getContext());
}
