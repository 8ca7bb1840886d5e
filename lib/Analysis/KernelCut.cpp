//===-- KernelCut.cpp - Tiles and their order -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows and reductions that are one are merged, rows cut into tiles; padding is
// skipped where that costs little code.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/RegisterTile.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "KernelPlanner.h"

using namespace mlir;
using namespace mlir::fusion;

//===-- Vectors -----------------------------------------------------------===//

/// Takes vectors of half the bits where they leave fewer lanes idle: 24
/// channels are three of 8 lanes, not two of 16. On CPUs that start one
/// multiply-add of whole vectors in a cycle, that is two of halves.
void KernelPlanner::halveVectors() {
  if (target.vectorBits < 512 || target.multiplyAddPorts > 1 ||
      !plan.channels.isStatic())
    return;
  int64_t channels = plan.channels.getStatic(), half = plan.lanes / 2;
  // Less is not worth twice the instructions.
  if (10 * llvm::alignTo(channels, half) >
      9 * llvm::alignTo(channels, plan.lanes))
    return;
  plan.lanes = half;
  plan.vectors *= 2;
}

/// The rows of a tile beside the vectors that channels take.
int64_t KernelPlanner::getMaxHeight() const {
  int64_t vectors = plan.vectors;
  if (plan.channels.isStatic())
    vectors = std::min<int64_t>(
        vectors, llvm::divideCeil(plan.channels.getStatic(), plan.lanes));
  return getMaxRows(target, vectors);
}

//===-- Dims that are one -------------------------------------------------===//

/// Merges neighbouring row dims that every operand steps through evenly, and
/// drops those of size 1: a pointwise convolution is one long row of pixels.
/// Rows that fill a tile of `maxHeight` and whose number is static stay apart
/// from such as have none, since their tiles are static.
void KernelPlanner::mergeRows(int64_t maxHeight) {
  SmallVector<OperandStrides *> operands{&plan.input, &plan.weights,
                                         &plan.init};
  for (OperandStrides &strides : plan.epilogue)
    operands.push_back(&strides);
  auto erase = [&](int64_t dim) {
    for (ReductionLoop &loop : plan.reductions)
      if (loop.window && loop.window->rowDim > dim)
        --loop.window->rowDim;
    plan.rows.erase(plan.rows.begin() + dim);
    for (OperandStrides *strides : operands)
      strides->rows.erase(strides->rows.begin() + dim);
  };
  // Tiles of what is channels-first are turned along the last dim, which is one
  // of neighbours: where rows lie in a larger buffer, the others are not.
  auto isRowOfNeighbours = [&](int64_t dim) {
    return dim > 0 && dim + 1 == static_cast<int64_t>(plan.rows.size()) &&
           llvm::any_of(operands, [&](OperandStrides *strides) {
             return strides->isChannelsFirst() && strides->rows[dim - 1] != 1;
           });
  };
  for (int64_t dim = plan.rows.size() - 1; dim >= 0; --dim) {
    if (isInWindow(dim))
      continue;
    if (plan.rows[dim] == 1 && plan.rows.size() > 1 &&
        !isRowOfNeighbours(dim)) {
      erase(dim);
      continue;
    }
    int64_t next = dim + 1;
    if (next == static_cast<int64_t>(plan.rows.size()) || isInWindow(next) ||
        (!plan.rows[dim].isStatic() && plan.rows[next].isStatic() &&
         plan.rows[next].getStatic() >= maxHeight) ||
        !llvm::all_of(operands, [&](OperandStrides *strides) {
          return strides->rows[dim] == plan.rows[next] * strides->rows[next];
        }))
      continue;
    plan.rows[next] = plan.rows[next] * plan.rows[dim];
    erase(dim);
  }
}

void fusion::mergeReductions(SmallVectorImpl<ReductionLoop> &loops) {
  llvm::erase_if(loops, [](const ReductionLoop &loop) {
    return loop.size == 1 && !loop.window;
  });
  for (int64_t i = static_cast<int64_t>(loops.size()) - 2; i >= 0; --i) {
    ReductionLoop &outer = loops[i], &inner = loops[i + 1];
    if (outer.window || inner.window ||
        outer.inputStride != inner.size * inner.inputStride ||
        outer.weightsStride != inner.size * inner.weightsStride)
      continue;
    inner.size = inner.size * outer.size;
    loops.erase(loops.begin() + i);
  }
}

//===-- Padding -----------------------------------------------------------===//

/// True if it takes a row's place in `rowDim` to know what of its window is in
/// padding.
bool KernelPlanner::isInWindow(int64_t rowDim) const {
  return llvm::any_of(plan.reductions, [&](const ReductionLoop &loop) {
    return loop.window && loop.window->rowDim == rowDim;
  });
}

/// Tiles at the edges of an image have code of their own, of which there is not
/// to be too much.
bool KernelPlanner::canSkipPadding() const {
  constexpr int64_t kMaxBodies = 24;
  SmallVector<const ReductionLoop *> windows;
  for (const ReductionLoop &loop : plan.reductions)
    if (loop.window && plan.isInTiles(loop.window->rowDim))
      windows.push_back(&loop);
  if (windows.empty())
    return true;
  if (plan.cut.atRunTime ||
      !llvm::all_of(windows, [](const ReductionLoop *loop) {
        return loop->window->size.isStatic();
      }))
    return false;
  int64_t bodies = 0;
  for (const TileClass &tiles : plan.getTileClasses()) {
    int64_t product = 1;
    for (const ReductionLoop *loop : windows)
      product *= plan.getSteps(*loop, tiles.row, tiles.height).size();
    bodies += product;
  }
  return bodies <= kMaxBodies;
}

/// The same of a depthwise convolution, whose window is to be unrolled: rows in
/// padding are branched around.
bool KernelPlanner::canSkipDepthwise() const {
  constexpr size_t kMaxClasses = 5;
  ArrayRef<ReductionLoop> loops(plan.reductions);
  int64_t size = 1;
  for (const ReductionLoop &loop : loops.take_back(2))
    size *= loop.size.getStatic();
  if (size > KernelPlan::kMaxUnrolledWindow)
    return false;
  if (!loops.back().window)
    return true;
  return plan.rows.back().isStatic() && loops.back().window->size.isStatic() &&
         plan.getPixelClasses().size() <= kMaxClasses;
}

/// On tensors, padding is still to become explicit where the kernel does not
/// skip it.
bool KernelPlanner::checkPadding() {
  plan.skipsPadding = plan.kind == KernelPlan::Kind::Depthwise
                          ? canSkipDepthwise()
                          : canSkipPadding();
  auto conv = dyn_cast<ConvOp>(*root);
  if (plan.skipsPadding || root.hasPureTensorSemantics() || !conv ||
      !conv.hasPadding())
    return true;
  return refuse("no-kernel", "the convolution's padding is not explicit");
}

//===-- Tiles -------------------------------------------------------------===//

RowCut RowCut::get(const Extent &size, int64_t maxHeight) {
  RowCut cut;
  if (!size.isStatic()) {
    cut.height = maxHeight;
    cut.atRunTime = true;
    return cut;
  }
  int64_t count = llvm::divideCeil(size.getStatic(), maxHeight);
  cut.height = llvm::divideCeil(size.getStatic(), count);
  cut.low = count * cut.height - size.getStatic();
  cut.tall = count - cut.low;
  return cut;
}

void KernelPlanner::cutRows(int64_t maxHeight) {
  int64_t last = plan.rows.size() - 1;
  plan.cutDim = last;
  // A tile has one panel of weights, so it spans no batches of the rhs.
  if (plan.weights.rows[last] != 0)
    maxHeight = 1;
  // Taller tiles lose a fifth.
  Extent step = plan.input.rows[last] *
                getWholeBytes(getElementTypeOrSelf(root->getOperand(0)));
  if (step.isStatic())
    maxHeight = limitRows(target, maxHeight, step.getStatic());
  if (last > 0 && plan.rows[last].isStatic() &&
      2 * plan.rows[last].getStatic() <= maxHeight &&
      plan.weights.rows[last - 1] == 0) {
    plan.wholeRows = plan.rows[last].getStatic();
    plan.cutDim = last - 1;
    plan.cut = RowCut::get(plan.rows[last - 1], maxHeight / plan.wholeRows);
    return;
  }
  plan.cut = RowCut::get(plan.rows[last], maxHeight);
}

/// Neighbouring pixels share what they read: 2 rows of 4 pixels under a window
/// of 3 x 3 load 24 vectors for 72 multiply-adds. With 16 registers the filter
/// leaves room for one row.
void KernelPlanner::cutPixels() {
  plan.cutDim = plan.rows.size() - 2;
  plan.cut =
      RowCut::get(plan.rows[plan.cutDim], target.vectorRegisters >= 32 ? 2 : 1);
  evenStretches();
}

/// Stretches are of nearly equal length, so that threads get equal shares of a
/// small image.
void KernelPlanner::evenStretches() {
  const Extent &size = plan.rows.back();
  if (!size.isStatic())
    return;
  int64_t units = llvm::divideCeil(size.getStatic(), plan.pixelsOfUnit);
  plan.pixelsOfUnit =
      llvm::alignTo(llvm::divideCeil(size.getStatic(), units), plan.pixels);
}

//===-- Order -------------------------------------------------------------===//

/// Nothing if it is known at run time only.
static std::optional<int64_t> getBytes(Value value) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

void KernelPlanner::orderUnits() {
  if (plan.kind != KernelPlan::Kind::Contraction)
    return;
  std::optional<int64_t> weightBytes = getBytes(root.getWeights()->get());
  std::optional<int64_t> inputBytes = getBytes(root->getOperand(0));
  plan.panelFastest = !weightBytes || isPanelFastest(target, *weightBytes,
                                                     inputBytes.value_or(0));
  // One row reads them as fast as they come: the hardware sees that stream, and
  // instructions that fetch ahead of it only get in its way.
  if (!plan.packedWeights || !weightBytes || *weightBytes <= target.l2Bytes ||
      plan.cut.height * plan.wholeRows == 1)
    return;
  // Far enough for two to be on their way at once, and not so far that they are
  // gone when their time comes.
  constexpr int64_t kLeastSteps = 16, kMostSteps = 64;
  int64_t lanes = plan.cut.height * plan.wholeRows * plan.getPanelSize();
  int64_t lanesOfCycle =
      target.getLanes(root.getAccumulatorType()) * target.multiplyAddPorts;
  int64_t cycles = std::max(lanes / lanesOfCycle, target.multiplyAddLatency);
  plan.prefetchSteps =
      std::clamp(2 * target.memoryLatency / cycles, kLeastSteps, kMostSteps);
}
