//===-- PlanMemory.cpp - One arena for the entry's buffers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-plan-memory: lifetimes of buffers over all their aliases,
// then places in the workspace argument (Analysis/MemoryPlan.h).
//
//===----------------------------------------------------------------------===//

#include "DynamicArena.h"
#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Analysis/MemoryPlan.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Transforms/Passes.h"
#include "ResolveSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONPLANMEMORYPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool isPlannableType(MemRefType type) {
  return type.getLayout().isIdentity() && !type.getMemorySpace();
}

//===----------------------------------------------------------------------===//
// Loop-carried buffers
//===----------------------------------------------------------------------===//

/// The buffer that `value` is a view of, as far as views go.
static Value getViewBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (value != view.getViewDest())
      break;
    value = view.getViewSource();
  }
  return value;
}

/// A dense buffer of its own with what is in `source`.
static Value createCopy(OpBuilder &builder, Location loc, Value source) {
  auto type = cast<MemRefType>(source.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(builder.createOrFold<memref::DimOp>(loc, source, dim));
  Value copy = memref::AllocOp::create(builder, loc, type, sizes);
  memref::CopyOp::create(builder, loc, source, copy);
  return copy;
}

/// A loop that yields another buffer than it was given needs a new one in each
/// trip. With a buffer of its own that each trip copies into, all of them have
/// one place:
///   for iter_args(%a = %init) { …; yield %new }
///     -> copy %init, %c; for iter_args(%a = %c) { …; copy %new, %a; yield %a }
static void carryInPlace(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  SmallVector<unsigned> changed;
  for (auto [i, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<MemRefType>(carried.getType());
    if (type && isPlannableType(type) && yield->getOperand(i) != carried &&
        keepsSizes(loop, carried))
      changed.push_back(i);
  }

  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  for (unsigned i : changed)
    loop.getInitArgsMutable()[i].assign(
        createCopy(builder, loc, loop.getInitArgs()[i]));

  // A yielded buffer that is not of this trip may be one that the copies below
  // overwrite (a swap): it is saved first.
  builder.setInsertionPoint(yield);
  SmallVector<Value> results;
  for (unsigned i : changed) {
    Value result = yield->getOperand(i);
    Value base = getViewBase(result);
    auto alloc = base.getDefiningOp<memref::AllocOp>();
    if (changed.size() > 1 && !(alloc && loop->isAncestor(alloc)))
      result = createCopy(builder, loc, result);
    results.push_back(result);
  }
  for (auto [i, result] : llvm::zip_equal(changed, results)) {
    Value carried = loop.getRegionIterArg(i);
    memref::CopyOp::create(builder, loc, result, carried);
    yield->setOperand(i, carried);
  }
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

namespace {
/// The steps of a function: each op begins at one and ends at one; what is
/// nested in it lies between.
class Steps {
public:
  explicit Steps(func::FuncOp function) { number(function.front()); }
  int64_t getBegin(Operation *op) const { return steps.at(op).first; }
  int64_t getEnd(Operation *op) const { return steps.at(op).second; }

private:
  void number(Block &block) {
    for (Operation &op : block) {
      int64_t begin = next++;
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          number(nested);
      steps[&op] = {begin, next++};
    }
  }
  DenseMap<Operation *, std::pair<int64_t, int64_t>> steps;
  int64_t next = 0;
};

/// An allocation that gets a place in the arena.
struct Planned {
  memref::AllocOp alloc;
  BufferLifetime lifetime;
  SmallVector<Operation *> deallocs;
};
} // namespace

/// True if a body of `op` runs in one thread, in the order of its blocks, so
/// that what is allocated in it may have a fixed place.
static bool runsInOrder(Operation *op) {
  if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp, scf::IndexSwitchOp,
           scf::ExecuteRegionOp, memref::AllocaScopeOp>(op))
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || region.hasOneBlock();
  });
}

/// True if a buffer of one of `op`'s bodies may be seen behind `op` but not in
/// another run of a body.
static bool yieldsOnce(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
             memref::AllocaScopeOp>(op);
}

/// True if `user` makes an alias that the flow analysis does not know of.
static bool hasUnknownAlias(Operation *user,
                            const BufferViewFlowAnalysis::ValueSetT &aliases) {
  // The results of a loop are aliases of what it carries, each of its own.
  if (isa<RegionBranchOpInterface>(user))
    return false;
  return llvm::any_of(user->getResults(), [&](Value result) {
    return isa<BaseMemRefType>(result.getType()) && !aliases.contains(result);
  });
}

/// `alloc` with its lifetime, if it may have a fixed place.
static std::optional<Planned> getPlanned(memref::AllocOp alloc,
                                         const BufferViewFlowAnalysis &flow,
                                         const Steps &steps,
                                         DynamicArena &dynamic) {
  MemRefType type = alloc.getType();
  if (!isPlannableType(type) ||
      (!type.hasStaticShape() && !dynamic.canPlace(alloc)) ||
      alloc.getAlignment().value_or(1) > kBufferAlignment)
    return {};

  Planned planned = {alloc, {}, {}};
  SmallVector<Operation *> uses;
  auto aliases = flow.resolve(alloc);
  for (Value alias : aliases) {
    // What a loop carries into its next trip is alive beside that trip's own.
    auto carried = dyn_cast<BlockArgument>(alias);
    if (carried && carried.getOwner()->getParentOp()->isProperAncestor(alloc))
      return {};
    for (Operation *user : alias.getUsers()) {
      if (isa<func::ReturnOp>(user) || hasUnknownAlias(user, aliases))
        return {};
      if (isa<memref::DeallocOp>(user))
        planned.deallocs.push_back(user);
      else if (!isa<ViewLikeOpInterface>(user))
        uses.push_back(user);
    }
  }

  // The block that sees all uses: a value yielded by an scf.if lives on outside
  // it; one that survives a trip of a loop has no fixed place.
  Block *block = alloc->getBlock();
  while (!llvm::all_of(uses, [&](Operation *use) {
    return block->findAncestorOpInBlock(*use);
  })) {
    if (!yieldsOnce(block->getParentOp()))
      return {};
    block = block->getParentOp()->getBlock();
  }
  for (Operation *parent = alloc->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp())
    if (!runsInOrder(parent))
      return {};

  // From the first op that writes or reads it to the last, each as a whole: a
  // buffer used in a loop that it was not made in lives for all trips.
  BufferLifetime &lifetime = planned.lifetime;
  lifetime.first = lifetime.last = steps.getBegin(alloc);
  bool first = true;
  for (Operation *use : uses) {
    Operation *inBlock = block->findAncestorOpInBlock(*use);
    int64_t begin = steps.getBegin(inBlock), end = steps.getEnd(inBlock);
    lifetime.first = first ? begin : std::min(lifetime.first, begin);
    lifetime.last = first ? end : std::max(lifetime.last, end);
    first = false;
  }
  if (!type.hasStaticShape()) {
    lifetime.bytes = dynamic.estimateBytes(alloc);
    return planned;
  }
  lifetime.bytes =
      type.getNumElements() * getElementStride(alloc, type.getElementType());
  return planned;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FusionPlanMemoryPass final
    : fusion::impl::FusionPlanMemoryPassBase<FusionPlanMemoryPass> {
  using FusionPlanMemoryPassBase::FusionPlanMemoryPassBase;
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateResolveSizesPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = getRecordedEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    if (failed(arena ? prepareLoops(*entry) : resolveSizes(*entry)))
      return signalPassFailure();
    DynamicArena dynamic(*entry, getShapesFunction(*entry));
    SmallVector<Planned> buffers = collect(*entry, dynamic);
    size_t numStatic = llvm::count_if(buffers, [](Planned &planned) {
      return planned.alloc.getType().hasStaticShape();
    });
    auto lifetimes = llvm::map_to_vector(
        buffers, [](const Planned &planned) { return planned.lifetime; });
    ArrayRef<BufferLifetime> all = lifetimes;
    MemoryPlan plan = planMemory(all.take_front(numStatic));
    SlotPlan slots = planSlots(all.drop_front(numStatic));

    auto allocs = llvm::map_to_vector(
        buffers, [](const Planned &planned) { return planned.alloc; });
    SmallVector<Value> starts =
        dynamic.place(ArrayRef(allocs).drop_front(numStatic), slots, plan.size);
    if (failed(rewrite(*entry, buffers, plan, starts)))
      return signalPassFailure();

    Builder builder(&getContext());
    SmallVector<NamedAttribute> facts = {
        builder.getNamedAttr("workspace_size",
                             builder.getI64IntegerAttr(plan.size)),
        builder.getNamedAttr("workspace_live",
                             builder.getI64IntegerAttr(plan.liveBytes))};
    std::string sentence =
        llvm::formatv("{0} buffers in an arena of {1} bytes; {2} bytes are "
                      "alive at once",
                      numStatic, plan.size, plan.liveBytes);
    if (getShapesFunction(*entry)) {
      facts.push_back(builder.getNamedAttr(
          "workspace_slots", builder.getI64IntegerAttr(slots.numSlots)));
      sentence += llvm::formatv("; {0} buffers of dynamic size in {1} slots",
                                buffers.size() - numStatic, slots.numSlots);
    }
    updateEntry(*entry, facts);
    remarkFused(entry->getLoc(), "plan-memory", sentence);
  }

  /// Sizes of what loops carry are known outside of them; then it has one
  /// place.
  LogicalResult prepareLoops(func::FuncOp entry) {
    if (failed(resolveSizes(entry)))
      return failure();
    entry.walk(carryInPlace);
    // The buffers that loops have of their own are as large as what they are
    // copies of, which other loops may carry.
    return resolveSizes(entry);
  }

  LogicalResult resolveSizes(func::FuncOp entry) {
    SmallVector<Operation *> dims;
    entry.walk([&](memref::DimOp op) { dims.push_back(op); });
    return applyBounded(dims, patterns);
  }

  /// Those of static size first.
  SmallVector<Planned> collect(func::FuncOp entry, DynamicArena &dynamic) {
    SmallVector<Planned> buffers, ofDynamicSize;
    // Without structured control flow there are no steps.
    if (!arena || !entry.getBody().hasOneBlock())
      return buffers;
    BufferViewFlowAnalysis flow(entry);
    Steps steps(entry);
    entry.walk([&](memref::AllocOp alloc) {
      if (std::optional<Planned> planned =
              getPlanned(alloc, flow, steps, dynamic))
        (alloc.getType().hasStaticShape() ? buffers : ofDynamicSize)
            .push_back(std::move(*planned));
    });
    buffers.append(std::make_move_iterator(ofDynamicSize.begin()),
                   std::make_move_iterator(ofDynamicSize.end()));
    return buffers;
  }

  LogicalResult rewrite(func::FuncOp entry, ArrayRef<Planned> buffers,
                        const MemoryPlan &plan, ArrayRef<Value> starts) {
    OpBuilder builder(&getContext());
    auto workspaceType =
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    if (failed(entry.insertArgument(entry.getNumArguments(), workspaceType, {},
                                    entry.getLoc())))
      return failure();
    Value workspace = entry.getArguments().back();

    SmallPtrSet<Operation *, 8> deallocs;
    for (auto [index, planned] : llvm::enumerate(buffers)) {
      memref::AllocOp alloc = planned.alloc;
      builder.setInsertionPoint(alloc);
      Location loc = alloc.getLoc();
      size_t numStatic = plan.offsets.size();
      Value start = index < numStatic ? arith::ConstantIndexOp::create(
                                            builder, loc, plan.offsets[index])
                                      : starts[index - numStatic];
      Value view =
          memref::ViewOp::create(builder, loc, alloc.getType(), workspace,
                                 start, alloc.getDynamicSizes());
      deallocs.insert_range(planned.deallocs);
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
    for (Operation *dealloc : deallocs)
      dealloc->erase();
    return success();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
