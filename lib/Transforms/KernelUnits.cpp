//===-- KernelUnits.cpp - The work of a kernel and its parts --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much work an op is, and how it is cut into units that threads share.
//
//===----------------------------------------------------------------------===//

#include "KernelUnits.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The sum of two attributes or values.
static OpFoldResult createSum(OpBuilder &builder, Location loc,
                              OpFoldResult lhs, OpFoldResult rhs) {
  auto a = getConstantIntValue(lhs), b = getConstantIntValue(rhs);
  if (a && b)
    return builder.getIndexAttr(*a + *b);
  if (a && *a == 0)
    return rhs;
  Value left = getValueOrCreateConstantIndexOp(builder, loc, lhs);
  Value right = getValueOrCreateConstantIndexOp(builder, loc, rhs);
  return arith::AddIOp::create(builder, loc, left, right).getResult();
}

/// The trips of each loop of `op`, or the sizes of what a copy copies.
static SmallVector<OpFoldResult> createTrips(OpBuilder &builder,
                                             Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return memref::getMixedSizes(builder, op->getLoc(), copy.getSource());
  auto tilable = dyn_cast<TilingInterface>(op);
  if (!tilable)
    return {};
  return llvm::map_to_vector(tilable.getIterationDomain(builder),
                             [](Range range) { return range.size; });
}

OpFoldResult fusion::createKernelWork(OpBuilder &builder, Operation *op,
                                      const TargetInfo &target) {
  Location loc = op->getLoc();
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    int64_t flops = getFlops(root);
    if (ShapedType::isDynamic(flops) && hasKernel(root, target))
      return createKernelFlops(builder, root, target);
    return builder.getIndexAttr(ShapedType::isDynamic(flops) ? 0 : flops);
  }
  OpFoldResult work = builder.getIndexAttr(0);
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type)
      continue;
    SmallVector<OpFoldResult> factors =
        memref::getMixedSizes(builder, loc, operand);
    int64_t bytes = DataLayout::closest(op).getTypeSize(type.getElementType());
    // A byte moved counts as one operation. A core does about eight in that
    // time, but what fits its second-level cache is moved faster by one core
    // than between two, of which each has a part.
    factors.push_back(builder.getIndexAttr(bytes));
    work = createSum(builder, loc, work, createProduct(builder, loc, factors));
  }
  SmallVector<OpFoldResult> trips = createTrips(builder, op);
  if (!isa<linalg::LinalgOp>(op) || trips.empty())
    return work;
  trips.push_back(builder.getIndexAttr(2));
  OpFoldResult steps = createProduct(builder, loc, trips);
  auto moved = getConstantIntValue(work), computed = getConstantIntValue(steps);
  if (moved && computed)
    return builder.getIndexAttr(std::max(*moved, *computed));
  return createSum(builder, loc, work, steps);
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

namespace {
/// Loops of an op whose trips may be shared among threads: a unit is `rows`
/// trips of one loop, or one trip of each of several loops.
struct Cut {
  SmallVector<unsigned> loops;
  int64_t rows = 1;
};
} // namespace

/// True if a step of `loop` moves the elements that `expression` names by a
/// step in the same direction.
static bool isSliceable(AffineExpr expression, unsigned loop) {
  if (!expression.isFunctionOfDim(loop) || isa<AffineDimExpr>(expression))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isSliceable(binary.getLHS(), loop) &&
           isSliceable(binary.getRHS(), loop);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() > 0 && isSliceable(binary.getLHS(), loop);
}

/// True if elements are read from the last to the first: upstream takes no
/// slice of such an operand, not even its whole.
static bool isReversed(AffineMap map) {
  bool reversed = false;
  map.walkExprs([&](AffineExpr expression) {
    auto product = dyn_cast<AffineBinaryOpExpr>(expression);
    auto factor = product ? dyn_cast<AffineConstantExpr>(product.getRHS())
                          : AffineConstantExpr();
    reversed |= factor && product.getKind() == AffineExprKind::Mul &&
                factor.getValue() < 0;
  });
  return reversed;
}

/// The loops of `op` that write different elements in different trips, in the
/// order of the result's dims.
static SmallVector<unsigned> getSliceableLoops(TilingInterface op) {
  auto isParallel = [types = op.getLoopIteratorTypes()](unsigned loop) {
    return types[loop] == utils::IteratorType::parallel;
  };
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation());
  if (!linalgOp) {
    auto loops =
        llvm::to_vector(llvm::seq<unsigned>(op.getLoopIteratorTypes().size()));
    llvm::erase_if(loops, [&](unsigned loop) { return !isParallel(loop); });
    return loops;
  }

  if (llvm::any_of(linalgOp.getIndexingMapsArray(), isReversed))
    return {};
  SmallVector<unsigned> loops;
  AffineMap result =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (AffineExpr expression : result.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim || !isParallel(dim.getPosition()))
      continue;
    bool inAllResults =
        llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
          return llvm::is_contained(
              linalgOp.getMatchingIndexingMap(&init).getResults(), expression);
        });
    bool everywhere =
        llvm::all_of(linalgOp.getIndexingMapsArray(), [&](AffineMap map) {
          return llvm::all_of(map.getResults(), [&](AffineExpr result) {
            return isSliceable(result, dim.getPosition());
          });
        });
    if (inAllResults && everywhere)
      loops.push_back(dim.getPosition());
  }
  return loops;
}

/// True if an input's elements are next to each other along `loop`.
static bool isInnermostOfInput(Operation *op, unsigned loop) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  return llvm::any_of(linalgOp.getDpsInputOperands(), [&](OpOperand *input) {
    ArrayRef<AffineExpr> results =
        linalgOp.getMatchingIndexingMap(input).getResults();
    return !results.empty() &&
           results.back() == getAffineDimExpr(loop, op->getContext());
  });
}

/// Chooses the loop that is cut: the outermost one with enough trips for many
/// threads. The one along which the result's elements are next to each other is
/// cut only if there is no other, one of an input only if there is none but
/// these, and then into parts that fill vectors: blocks of both are turned in
/// registers. Where trips are known at run time only, all loops but two are
/// cut, or all but one of two.
static std::optional<Cut> chooseCut(TilingInterface op,
                                    ArrayRef<OpFoldResult> trips) {
  constexpr int64_t kManyTrips = 8, kElementsOfUnit = 512, kRowsOfBlock = 16,
                    kMaxSearch = 1 << 16;
  SmallVector<unsigned> loops = getSliceableLoops(op);
  llvm::erase_if(loops, [&](unsigned loop) {
    std::optional<int64_t> known = getConstantIntValue(trips[loop]);
    return known && *known <= 1;
  });
  if (loops.empty())
    return {};
  std::optional<SmallVector<int64_t>> known = getConstantIntValues(trips);
  if (!known && loops.size() == 1)
    // Known trips need not divide into such units.
    return Cut{loops,
               getConstantIntValue(trips[loops[0]]) ? 1 : kElementsOfUnit};
  SmallVector<unsigned> candidates(loops);
  if (loops.size() > 1)
    candidates.pop_back();
  SmallVector<unsigned> apart = llvm::filter_to_vector(
      candidates, [&](unsigned loop) { return !isInnermostOfInput(op, loop); });
  bool turned = apart.size() < candidates.size();
  if (!apart.empty())
    candidates = apart;
  if (!known) {
    if (!turned && candidates.size() > 1)
      candidates.pop_back();
    if (!apart.empty() || !turned)
      return Cut{candidates, 1};
    candidates.truncate(1);
    return Cut{candidates,
               getConstantIntValue(trips[candidates[0]]) ? 1 : kRowsOfBlock};
  }
  unsigned chosen = candidates.front();
  for (unsigned loop : candidates) {
    if ((*known)[chosen] >= kManyTrips)
      break;
    if ((*known)[loop] > (*known)[chosen])
      chosen = loop;
  }

  // Short rows go together, as many as divide the whole.
  int64_t total = (*known)[chosen];
  int64_t rowTrips = std::max<int64_t>(getSaturatedProduct(*known) / total, 1);
  int64_t least =
      std::max<int64_t>(llvm::divideCeil(kElementsOfUnit, rowTrips),
                        turned && apart.empty() ? kRowsOfBlock : int64_t(1));
  // What is larger than any network has is not searched to its end.
  int64_t end = std::min(total, least + kMaxSearch);
  for (int64_t rows = least; rows < end; ++rows)
    if (total % rows == 0)
      return Cut{{chosen}, rows};
  return Cut{{chosen}, total};
}

/// The number of units; the last one may have fewer rows if their number is
/// known at run time only, or where the kernel is called, through a cast.
static OpFoldResult createUnits(OpBuilder &builder, Location loc,
                                const Cut &cut, ArrayRef<OpFoldResult> trips) {
  SmallVector<OpFoldResult> factors;
  for (unsigned loop : cut.loops)
    factors.push_back(trips[loop]);
  if (cut.rows == 1)
    return createProduct(builder, loc, factors);
  if (std::optional<int64_t> known = getConstantIntValue(factors.front()))
    return builder.getIndexAttr(llvm::divideCeil(*known, cut.rows));
  Value more = cast<Value>(createSum(builder, loc, factors.front(),
                                     builder.getIndexAttr(cut.rows - 1)));
  Value rows = arith::ConstantIndexOp::create(builder, loc, cut.rows);
  return arith::DivUIOp::create(builder, loc, more, rows).getResult();
}

/// Sets in `offsets` and `sizes` what is the part `unit` of the cut loops.
static void setPart(OpBuilder &builder, Location loc, const Cut &cut,
                    ArrayRef<OpFoldResult> trips, Value unit,
                    MutableArrayRef<OpFoldResult> offsets,
                    MutableArrayRef<OpFoldResult> sizes) {
  for (unsigned loop : llvm::reverse(ArrayRef(cut.loops).drop_front())) {
    Value size = getValueOrCreateConstantIndexOp(builder, loc, trips[loop]);
    offsets[loop] =
        arith::RemUIOp::create(builder, loc, unit, size).getResult();
    sizes[loop] = builder.getIndexAttr(1);
    unit = arith::DivUIOp::create(builder, loc, unit, size);
  }
  unsigned first = cut.loops.front();
  offsets[first] = unit;
  sizes[first] = builder.getIndexAttr(cut.rows);
  if (cut.rows == 1)
    return;
  Value rows = arith::ConstantIndexOp::create(builder, loc, cut.rows);
  Value start = arith::MulIOp::create(builder, loc, unit, rows);
  offsets[first] = start;
  if (getConstantIntValue(trips[first]))
    return;
  Value left =
      arith::SubIOp::create(builder, loc, cast<Value>(trips[first]), start);
  sizes[first] = arith::MinUIOp::create(builder, loc, left, rows).getResult();
}

/// A copy whose two sides lie in one piece is a memcpy.
static void replaceByMemcpy(OpBuilder &builder, Operation *op) {
  auto copy = dyn_cast<linalg::CopyOp>(op);
  if (!copy)
    return;
  Value source = copy.getInputs()[0], target = copy.getOutputs()[0];
  auto isOnePiece = [](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return type.hasStaticShape() && type.getNumElements() > 0 &&
           memref::isStaticShapeAndContiguousRowMajor(type);
  };
  if (!isOnePiece(source) || !isOnePiece(target) ||
      getElementTypeOrSelf(source) != getElementTypeOrSelf(target))
    return;
  builder.setInsertionPoint(copy);
  memref::CopyOp::create(builder, copy.getLoc(), source, target);
  copy.erase();
}

FailureOr<OpFoldResult>
fusion::restrictToRange(OpBuilder &builder, Operation *op, Value lo, Value hi,
                        const TargetInfo &target, bool cut, OpBuilder &caller,
                        Operation *original) {
  Location loc = op->getLoc();
  if (auto root = dyn_cast<FusionRootOpInterface>(op)) {
    std::string reason;
    if (!hasKernel(root, target, &reason))
      return emitError(loc)
             << "expected a root that has a kernel, got " << reason;
    OpFoldResult units =
        createKernelUnits(caller, root, original->getOperands(), target);
    root.getRangeMutable().assign({lo, hi});
    return units;
  }

  builder.setInsertionPoint(op);
  auto tilable = dyn_cast<TilingInterface>(op);
  std::optional<Cut> chosen;
  SmallVector<OpFoldResult> trips;
  if (cut && tilable) {
    trips = createTrips(builder, op);
    chosen = chooseCut(tilable, trips);
  }
  if (!chosen) {
    Value any =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lo, hi);
    auto guard = scf::IfOp::create(builder, loc, any, /*else=*/false);
    op->moveBefore(guard.thenBlock()->getTerminator());
    replaceByMemcpy(builder, op);
    return OpFoldResult(builder.getIndexAttr(1));
  }

  OpFoldResult units =
      createUnits(caller, loc, *chosen, createTrips(caller, original));
  SmallVector<OpFoldResult> offsets(trips.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes(trips);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, lo, hi, one);
  builder.setInsertionPointToStart(loop.getBody());
  setPart(builder, loc, *chosen, trips, loop.getInductionVar(), offsets, sizes);
  FailureOr<TilingResult> tiled =
      tilable.getTiledImplementation(builder, offsets, sizes);
  if (failed(tiled))
    return emitError(loc) << "expected an op that can be sliced, got "
                          << op->getName();
  op->erase();
  for (Operation *part : tiled->tiledOps)
    replaceByMemcpy(builder, part);
  return units;
}
