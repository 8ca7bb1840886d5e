//===-- Paths.cpp - The ways that emitted code goes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line for each: a kernel's plan says which it takes. A path that is new in
// lib/Conversion/FusionToVector needs a line here.
//
//===----------------------------------------------------------------------===//

#include "Paths.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

using Plan = KernelPlan;
using Root = FusionRootOpInterface;
using Target = TargetInfo;
using Kind = KernelPlan::Kind;

StringRef fuzz::stringifyKernelKind(Kind kind) {
  switch (kind) {
  case Kind::Contraction:
    return "contraction";
  case Kind::Depthwise:
    return "depthwise";
  case Kind::Planes:
    return "planes";
  case Kind::Pool:
    return "pool";
  }
  llvm_unreachable("unknown kind");
}

/// Channels of the last panel; nothing if they are known at run time only.
static std::optional<int64_t> getLastPanel(const Plan &plan) {
  if (!plan.channels.isStatic())
    return std::nullopt;
  return plan.getLastPanelSize();
}
static bool hasIdleLanes(const Plan &plan) {
  auto last = getLastPanel(plan);
  return last && *last % plan.lanes != 0 && *last > plan.lanes;
}
static bool hasFewerThanLanes(const Plan &plan) {
  auto last = getLastPanel(plan);
  return last && *last < plan.lanes;
}
static bool hasNarrowPanel(const Plan &plan) {
  auto last = getLastPanel(plan);
  return last && *last != plan.getPanelSize() &&
         plan.channels.getStatic() > plan.getPanelSize();
}
static bool hasShortVectors(const Plan &plan, Root root, const Target &target) {
  return plan.lanes < target.getLanes(root.getAccumulatorType());
}
static bool hasOneHeight(const Plan &plan) {
  return !plan.cut.atRunTime && plan.cut.low == 0;
}
static bool hasTwoHeights(const Plan &plan) {
  return !plan.cut.atRunTime && plan.cut.low > 0 && plan.cut.tall > 0;
}

/// Some step of a window along a dim of tiles for which `isAtEdge` holds, given
/// the rows that read the image and those of the tile.
static bool hasEdge(const Plan &plan,
                    bool (*isAtEdge)(const WindowSteps &, int64_t height)) {
  if (plan.cut.atRunTime)
    return false;
  for (const ReductionLoop &loop : plan.reductions) {
    if (!loop.window || !plan.isInTiles(loop.window->rowDim) ||
        !loop.window->size.isStatic())
      continue;
    for (const TileClass &tiles : plan.getTileClasses()) {
      bool isCut = loop.window->rowDim == plan.cutDim;
      for (const WindowSteps &steps :
           plan.getSteps(loop, tiles.row, tiles.height))
        if (isAtEdge(steps, isCut ? tiles.height : plan.wholeRows))
          return true;
    }
  }
  return false;
}

/// Some stretch of pixels for which `isAtEdge` holds, given the elements that
/// it reads.
static bool hasPixels(const Plan &plan,
                      bool (*isTaken)(const PixelClass &, int64_t pixels,
                                      int64_t span)) {
  if (!plan.rows.back().isStatic())
    return false;
  const ReductionLoop &loop = plan.reductions.back();
  if (loop.window && !loop.window->size.isStatic())
    return false;
  return llvm::any_of(plan.getPixelClasses(), [&](const PixelClass &pixels) {
    int64_t span = 0;
    if (loop.window)
      span = (pixels.width - 1) * loop.window->stride +
             (loop.size.getStatic() - 1) * loop.window->dilation + 1;
    return isTaken(pixels, plan.pixels, span);
  });
}

static bool hasWindow(const Plan &plan, bool inTiles) {
  return llvm::any_of(plan.reductions, [&](const ReductionLoop &loop) {
    return loop.window && plan.isInTiles(loop.window->rowDim) == inTiles &&
           (loop.window->low != 0 || loop.size != 1);
  });
}

/// An epilogue operand besides scalars, for which `holds`.
static bool hasOperand(const Plan &plan,
                       bool (*holds)(const OperandStrides &operand)) {
  return llvm::any_of(plan.epilogue, holds);
}
static bool movesAlongRows(const OperandStrides &operand) {
  return llvm::any_of(operand.rows,
                      [](const Extent &stride) { return stride != 0; });
}

static bool isChannelsFirst(Root root, bool isInput) {
  auto conv = dyn_cast<ConvOp>(root.getOperation());
  return conv && (isInput ? conv.getInputLayout() : conv.getOutputLayout()) ==
                     ImageLayout::ChannelsFirst;
}

static int64_t getNumSpatial(Root root) {
  if (auto conv = dyn_cast<ConvOp>(root.getOperation()))
    return conv.getNumSpatialDims();
  if (auto pool = dyn_cast<PoolOp>(root.getOperation()))
    return int64_t(pool.getWindow().size());
  return 0;
}

static bool isPadded(Root root) {
  ArrayRef<int64_t> low, high;
  if (auto conv = dyn_cast<ConvOp>(root.getOperation())) {
    low = conv.getPadLow();
    high = conv.getPadHigh();
  } else if (auto pool = dyn_cast<PoolOp>(root.getOperation())) {
    low = pool.getPadLow();
    high = pool.getPadHigh();
  }
  auto isSome = [](int64_t pad) { return pad != 0; };
  return llvm::any_of(low, isSome) || llvm::any_of(high, isSome);
}

static int64_t getWindowSize(const Plan &plan) {
  int64_t size = 1;
  for (const ReductionLoop &loop : ArrayRef(plan.reductions).take_back(2))
    size *= loop.size.isStatic() ? loop.size.getStatic() : 1;
  return size;
}

#define IF(condition)                                                          \
  [](const Plan &plan, Root root, const Target &target) -> bool {              \
    (void)plan, (void)root, (void)target;                                      \
    return condition;                                                          \
  }

static constexpr RootPath kRootPaths[] = {
    // Rows.
    {Kind::Contraction, "tiles of one height",
     IF(hasOneHeight(plan) && plan.cut.height > 1)},
    {Kind::Contraction, "tiles of two heights", IF(hasTwoHeights(plan))},
    {Kind::Contraction, "tiles of one row",
     IF(hasOneHeight(plan) && plan.cut.height == 1)},
    {Kind::Contraction, "rows at run time, a rest of one part",
     IF(plan.cut.atRunTime && plan.cut.height > 1 &&
        plan.cut.getPartHeight() == plan.cut.height - 1)},
    {Kind::Contraction, "rows at run time, a rest of two parts",
     IF(plan.cut.atRunTime && plan.cut.getPartHeight() < plan.cut.height - 1)},
    {Kind::Contraction, "rows at run time, tiles of one row",
     IF(plan.cut.atRunTime && plan.cut.height == 1)},
    {Kind::Contraction, "tiles of whole rows of an image",
     IF(plan.wholeRows > 1)},
    {Kind::Contraction, "panels before rows", IF(!plan.panelFastest)},
    // Channels.
    {Kind::Contraction, "a last vector with idle lanes",
     IF(hasIdleLanes(plan))},
    {Kind::Contraction, "fewer channels than lanes",
     IF(hasFewerThanLanes(plan))},
    {Kind::Contraction, "a narrower last panel", IF(hasNarrowPanel(plan))},
    {Kind::Contraction, "half vectors",
     IF(hasShortVectors(plan, root, target))},
    {Kind::Contraction, "channels at run time", IF(!plan.channels.isStatic())},
    {Kind::Contraction, "several groups", IF(plan.groups > 1)},
    // Weights.
    {Kind::Contraction, "packed weights", IF(plan.packedWeights)},
    {Kind::Contraction, "weights of run time", IF(!plan.packedWeights)},
    {Kind::Contraction, "weights of each batch",
     IF(movesAlongRows(plan.weights))},
    {Kind::Contraction, "weights fetched ahead", IF(plan.prefetchSteps > 0)},
    {Kind::Contraction, "no fused multiply-add", IF(!plan.fusedMultiplyAdd)},
    // Windows and padding.
    {Kind::Contraction, "a window over rows of tiles",
     IF(hasWindow(plan, /*inTiles=*/true))},
    {Kind::Contraction, "a window over other rows",
     IF(hasWindow(plan, /*inTiles=*/false))},
    {Kind::Contraction, "first columns in padding",
     IF(hasEdge(plan, [](const WindowSteps &steps,
                         int64_t) { return steps.firstRow > 0; }))},
    {Kind::Contraction, "last columns in padding",
     IF(hasEdge(plan, [](const WindowSteps &steps,
                         int64_t height) { return steps.endRow < height; }))},
    // Borders.
    {Kind::Contraction, "channels-first image",
     IF(isChannelsFirst(root, /*isInput=*/true))},
    {Kind::Contraction, "channels-first result",
     IF(plan.init.isChannelsFirst())},
    {Kind::Contraction, "channels-first result, idle lanes",
     IF(plan.init.isChannelsFirst() &&
        (hasIdleLanes(plan) || hasFewerThanLanes(plan)))},
    {Kind::Contraction, "channels-first result, channels at run time",
     IF(plan.init.isChannelsFirst() && !plan.channels.isStatic())},
    {Kind::Contraction, "channels-first epilogue operand",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return operand.isChannelsFirst();
                   }))},
    // Epilogues.
    {Kind::Contraction, "init is read", IF(root.readsInit())},
    {Kind::Contraction, "channels-first init is read",
     IF(root.readsInit() && plan.init.isChannelsFirst())},
    {Kind::Contraction, "an operand along channels",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return operand.hasChannels() && !movesAlongRows(operand);
                   }))},
    {Kind::Contraction, "an operand along rows",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return !operand.hasChannels() && movesAlongRows(operand);
                   }))},
    {Kind::Contraction, "an operand along both",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return operand.hasChannels() && movesAlongRows(operand);
                   }))},
    {Kind::Contraction, "an operand that is a scalar",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return !operand.hasChannels() && !movesAlongRows(operand);
                   }))},
    {Kind::Contraction, "result of another type than its sums",
     IF(getElementTypeOrSelf(root.getInitType()) != root.getAccumulatorType())},
    {Kind::Contraction, "1 spatial dim", IF(getNumSpatial(root) == 1)},
    {Kind::Contraction, "3 spatial dims", IF(getNumSpatial(root) == 3)},

    {Kind::Depthwise, "one row at once", IF(plan.cut.height == 1)},
    {Kind::Depthwise, "two rows at once",
     IF(hasOneHeight(plan) && plan.cut.height == 2)},
    {Kind::Depthwise, "two rows at once, then one", IF(hasTwoHeights(plan))},
    {Kind::Depthwise, "rows at run time", IF(plan.cut.atRunTime)},
    {Kind::Depthwise, "pixels at run time", IF(!plan.rows.back().isStatic())},
    {Kind::Depthwise, "whole pixels at once",
     IF(hasPixels(plan, [](const PixelClass &pixels, int64_t atOnce,
                           int64_t) { return pixels.width == atOnce; }))},
    {Kind::Depthwise, "a rest of pixels",
     IF(hasPixels(plan, [](const PixelClass &pixels, int64_t atOnce,
                           int64_t) { return pixels.width < atOnce; }))},
    {Kind::Depthwise, "first columns in padding",
     IF(hasPixels(plan, [](const PixelClass &pixels, int64_t,
                           int64_t) { return pixels.fromColumn > 0; }))},
    {Kind::Depthwise, "last columns in padding",
     IF(hasPixels(plan, [](const PixelClass &pixels, int64_t,
                           int64_t span) { return pixels.toColumn < span; }))},
    {Kind::Depthwise, "several stretches of a row",
     IF(plan.rows.back().isStatic() &&
        plan.rows.back().getStatic() > plan.pixelsOfUnit)},
    {Kind::Depthwise, "a window in loops",
     IF(getWindowSize(plan) > Plan::kMaxUnrolledWindow)},
    {Kind::Depthwise, "a last vector with idle lanes", IF(hasIdleLanes(plan))},
    {Kind::Depthwise, "fewer channels than lanes", IF(hasFewerThanLanes(plan))},
    {Kind::Depthwise, "a narrower last panel", IF(hasNarrowPanel(plan))},
    {Kind::Depthwise, "half vectors", IF(hasShortVectors(plan, root, target))},
    {Kind::Depthwise, "channels-first result", IF(plan.init.isChannelsFirst())},
    {Kind::Depthwise, "init is read", IF(root.readsInit())},
    {Kind::Depthwise, "1 spatial dim", IF(getNumSpatial(root) == 1)},
    {Kind::Depthwise, "3 spatial dims", IF(getNumSpatial(root) == 3)},

    {Kind::Planes, "stride of 1", IF(plan.stagedRow.phases == 1)},
    {Kind::Planes, "a phase for each step of the stride",
     IF(plan.stagedRow.phases > 1)},
    {Kind::Planes, "padding", IF(isPadded(root))},
    {Kind::Planes, "no padding", IF(!isPadded(root))},
    {Kind::Planes, "one vector of pixels", IF(plan.vectors == 1)},
    {Kind::Planes, "several vectors of pixels", IF(plan.vectors > 1)},
    {Kind::Planes, "a last vector with idle lanes",
     IF(hasIdleLanes(plan) || hasFewerThanLanes(plan))},
    {Kind::Planes, "short vectors", IF(hasShortVectors(plan, root, target))},
    {Kind::Planes, "whole rows at once",
     IF(plan.rows.back().isStatic() && plan.rows.back() != 1 &&
        plan.rows.back().getStatic() % plan.pixels == 0)},
    {Kind::Planes, "a rest of rows",
     IF(plan.rows.back().isStatic() && plan.rows.back() != 1 &&
        plan.rows.back().getStatic() % plan.pixels != 0)},
    {Kind::Planes, "rows at run time", IF(!plan.rows.back().isStatic())},
    {Kind::Planes, "several stretches of a plane",
     IF(plan.rows.back().isStatic() &&
        plan.rows.back().getStatic() > plan.pixelsOfUnit)},
    {Kind::Planes, "an operand along channels",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return !operand.hasChannels() && movesAlongRows(operand);
                   }))},
    {Kind::Planes, "an operand along both",
     IF(hasOperand(plan,
                   [](const OperandStrides &operand) {
                     return operand.hasChannels() && movesAlongRows(operand);
                   }))},
    {Kind::Planes, "1 spatial dim", IF(getNumSpatial(root) == 1)},

    {Kind::Pool, "whole vectors",
     IF(plan.channels.isStatic() &&
        plan.channels.getStatic() % plan.lanes == 0)},
    {Kind::Pool, "a last vector with idle lanes", IF(hasIdleLanes(plan))},
    {Kind::Pool, "fewer channels than lanes", IF(hasFewerThanLanes(plan))},
    {Kind::Pool, "padding", IF(isPadded(root))},
    {Kind::Pool, "an average that counts padding",
     IF(isPadded(root) &&
        cast<PoolOp>(root.getOperation()).getKind() == PoolKind::Average &&
        cast<PoolOp>(root.getOperation()).getCountIncludePad())},
    {Kind::Pool, "an average that counts no padding",
     IF(isPadded(root) &&
        cast<PoolOp>(root.getOperation()).getKind() == PoolKind::Average &&
        !cast<PoolOp>(root.getOperation()).getCountIncludePad())},
    {Kind::Pool, "sizes at run time",
     IF(llvm::any_of(plan.rows,
                     [](const Extent &size) { return !size.isStatic(); }))},
    {Kind::Pool, "an epilogue with an operand", IF(!plan.epilogue.empty())},
    {Kind::Pool, "1 spatial dim", IF(getNumSpatial(root) == 1)},
    {Kind::Pool, "3 spatial dims", IF(getNumSpatial(root) == 3)},
};
#undef IF

ArrayRef<RootPath> fuzz::getRootPaths() { return kRootPaths; }
