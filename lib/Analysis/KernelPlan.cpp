//===-- KernelPlan.cpp - How a root's kernel cuts its work ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is supported, and tiles and their order as they follow from strides.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/RegisterTile.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "KernelPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

/// Nothing if it is known at run time only.
static std::optional<int64_t> getBytes(Value value) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

//===-- What there is a kernel for ----------------------------------------===//

/// True if a vector of `type` lies in memory as its elements do.
static bool hasVectors(Type type) { return getWholeBytes(type) != 0; }

bool KernelPlanner::checkTypes() {
  Type accumulator = root.getAccumulatorType();
  bool isPool = isa<PoolOp>(root.getOperation());
  if (isPool && !isa<FloatType>(accumulator))
    return refuse("unsupported-type", "the pool's kernel takes floats only");
  if (!isPool && !accumulator.isF32() && !accumulator.isF64() &&
      !accumulator.isInteger(32) && !accumulator.isInteger(64))
    return refuse("unsupported-type",
                  "the kernel sums in f32, f64, i32 and i64 only");
  // What is summed is extended to the accumulator.
  SmallVector<Value> summed{root->getOperand(0)};
  if (OpOperand *weights = root.getWeights())
    summed.push_back(weights->get());
  for (Value operand : summed) {
    Type type = getElementTypeOrScalar(operand.getType());
    if (!hasVectors(type) ||
        isa<FloatType>(type) != isa<FloatType>(accumulator) ||
        (type != accumulator &&
         type.getIntOrFloatBitWidth() >= accumulator.getIntOrFloatBitWidth()))
      return refuse("unsupported-type",
                    "an input is wider than its sums or of another kind");
  }
  for (Value operand : root->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type) {
      if (!operand.getType().isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the kernel takes numbers");
      continue;
    }
    if (!hasVectors(type.getElementType()))
      return refuse("unsupported-type", "an operand's elements are no bytes");
    if (llvm::is_contained(type.getShape(), 0))
      return refuse("no-kernel", "an operand has no elements");
  }
  return true;
}

bool KernelPlanner::checkEpilogue() {
  for (Operation &op : root.getEpilogueBlock().without_terminator()) {
    if (!isEpilogueOp(&op, reason))
      return false;
    for (Type type : op.getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return refuse("unsupported-type", "the epilogue has no vector form");
    // Vectors are computed whole, beyond the last channel too.
    if (!isSpeculatable(&op))
      return refuse("no-kernel", "the epilogue has an op that may trap");
  }
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
    if (!llvm::is_sorted(root.getEpilogueOperandDims(i)))
      return refuse("no-kernel", "an epilogue operand is transposed");
  return true;
}

/// Packed weights are read as one run of elements.
bool KernelPlanner::checkWeights() {
  if (!plan.packedWeights && plan.kind != KernelPlan::Kind::Depthwise)
    return true;
  auto type = cast<ShapedType>(root.getWeights()->get().getType());
  if (type.hasStaticShape() && llvm::equal(getStrides(*root.getWeights()),
                                           computeStrides(type.getShape())))
    return true;
  return refuse("no-kernel", "the packed weights have gaps");
}

//===-- Tiles and their order ---------------------------------------------===//

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

FailureOr<KernelPlan> KernelPlanner::run() {
  if (!checkTypes())
    return failure();
  relateEpilogue();
  if (!checkEpilogue())
    return failure();
  bool planned = TypeSwitch<Operation *, bool>(root.getOperation())
                     .Case([&](ConvOp op) { return planConv(op); })
                     .Case([&](MatmulOp op) { return planMatmul(op); })
                     .Case([&](PoolOp op) { return planPool(op); })
                     .Default([&](Operation *) {
                       return refuse("no-kernel", "the op has no kernel");
                     });
  if (!planned || !checkWeights())
    return failure();
  switch (plan.kind) {
  case KernelPlan::Kind::Contraction:
    halveVectors();
    mergeRows(getMaxHeight());
    mergeReductions(plan.reductions);
    cutRows(getMaxHeight());
    if (!checkPadding())
      return failure();
    break;
  case KernelPlan::Kind::Depthwise:
    halveVectors();
    cutPixels();
    if (!checkPadding())
      return failure();
    break;
  case KernelPlan::Kind::Planes:
    cutPlanes();
    break;
  case KernelPlan::Kind::Pool:
    // A tile is a row of pixels, whatever their number.
    plan.cut.tall = 1;
    plan.cutDim = plan.rows.size() - 1;
    break;
  }
  orderUnits();
  plan.fusedMultiplyAdd = target.hasMultiplyAdd;
  return plan;
}

//===-- Interface ---------------------------------------------------------===//

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

std::pair<int64_t, int64_t>
PaddedWindow::getRows(int64_t step, int64_t firstRow, int64_t numRows) const {
  // Position 0 and the one after the last, as seen from the first row.
  int64_t begin = low - step * dilation, end = begin + size.getStatic();
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(
        llvm::divideCeilSigned(position, stride) - firstRow, 0, numRows);
  };
  return {clamp(begin), clamp(end)};
}

SmallVector<WindowSteps> PaddedWindow::getSteps(int64_t numSteps,
                                                int64_t firstRow,
                                                int64_t numRows) const {
  SmallVector<WindowSteps> all;
  for (int64_t k = 0; k < numSteps; ++k) {
    auto [from, end] = getRows(k, firstRow, numRows);
    WindowSteps steps{k, k + 1, from, end};
    if (steps.firstRow >= steps.endRow)
      continue;
    if (!all.empty() && all.back().to == k &&
        all.back().firstRow == steps.firstRow &&
        all.back().endRow == steps.endRow)
      ++all.back().to;
    else
      all.push_back(steps);
  }
  return all;
}

SmallVector<WindowSteps> KernelPlan::getSteps(const ReductionLoop &loop,
                                              int64_t firstRow,
                                              int64_t height) const {
  bool isCut = loop.window->rowDim == cutDim;
  return loop.window->getSteps(loop.size.getStatic(), isCut ? firstRow : 0,
                               isCut ? height : wholeRows);
}

/// The end of the indices from `begin` on that are like it, at most `end`. What
/// they are compared by grows or shrinks, so that two that are alike have only
/// such between them: images of any size are halved, not walked.
static int64_t getEndOfAlike(int64_t begin, int64_t end,
                             function_ref<bool(int64_t)> isAlike) {
  while (end - begin > 1) {
    int64_t middle = begin + (end - begin) / 2;
    (isAlike(middle) ? begin : end) = middle;
  }
  return end;
}

SmallVector<TileClass> KernelPlan::getTileClasses() const {
  int64_t numTiles = cut.tall + cut.low;
  SmallVector<TileClass> classes;
  auto *loop = llvm::find_if(reductions, [&](const ReductionLoop &reduction) {
    return reduction.window && reduction.window->rowDim == cutDim;
  });
  // Rows of a stretch that are in padding are branched around.
  bool isSeen = loop != reductions.end() && !hasStretches();
  auto getRow = [&](int64_t tile) {
    return tile * cut.height - std::max<int64_t>(tile - cut.tall, 0);
  };
  for (int64_t tile = 0; tile < numTiles;) {
    bool isTall = tile < cut.tall;
    int64_t height = isTall ? cut.height : cut.height - 1;
    auto isAlike = [&](int64_t other) {
      return !isSeen ||
             llvm::all_of(llvm::seq(loop->size.getStatic()), [&](int64_t k) {
               auto getRows = [&](int64_t which) {
                 return loop->window->getRows(k, getRow(which), height);
               };
               return getRows(tile) == getRows(other);
             });
    };
    int64_t end = getEndOfAlike(tile, isTall ? cut.tall : numTiles, isAlike);
    classes.push_back({tile, end, getRow(tile), height});
    tile = end;
  }
  return classes;
}

SmallVector<PixelClass> KernelPlan::getPixelClasses() const {
  int64_t size = rows.back().getStatic();
  const std::optional<PaddedWindow> &window = reductions.back().window;
  auto getColumns = [&](int64_t first, int64_t width) {
    if (!window)
      return std::pair<int64_t, int64_t>(0, 0);
    int64_t span =
        (width - 1) * window->stride +
        getWindowSpan(reductions.back().size.getStatic(), window->dilation);
    int64_t origin = window->low - first * window->stride;
    return std::pair(
        std::clamp<int64_t>(origin, 0, span),
        std::clamp<int64_t>(origin + window->size.getStatic(), 0, span));
  };
  SmallVector<PixelClass> classes;
  for (int64_t first = 0; first < size;) {
    int64_t width = std::min(pixels, size - first);
    auto [from, to] = getColumns(first, width);
    // Whole tiles.
    int64_t count =
        getEndOfAlike(0, std::max<int64_t>((size - first) / pixels, 1),
                      [&, from = from, to = to](int64_t tile) {
                        return getColumns(first + tile * pixels, width) ==
                               std::pair(from, to);
                      });
    classes.push_back({first, first + count * width, width, from, to});
    first += count * width;
  }
  return classes;
}

Extent KernelPlan::getFlops() const {
  // A multiplication and an addition are two.
  Extent flops = channels * groups * (kind == Kind::Pool ? 1 : 2);
  for (const Extent &size : rows)
    flops = flops * size;
  for (const ReductionLoop &loop : reductions)
    flops = flops * loop.size;
  return flops;
}

int64_t KernelPlan::getLastPanelSize() const {
  int64_t rest = channels.getStatic() % getPanelSize();
  return rest == 0 ? getPanelSize() : rest;
}

/// How many parts of `part` elements `extent` has, the last one perhaps
/// smaller.
static OpFoldResult createCount(OpBuilder &builder, Location loc,
                                const Extent &extent, int64_t part,
                                ValueRange operands) {
  if (extent.isStatic())
    return builder.getIndexAttr(llvm::divideCeil(extent.getStatic(), part));
  Value size = cast<Value>(extent.materialize(builder, loc, operands));
  Value more = arith::ConstantIndexOp::create(builder, loc, part - 1);
  Value divisor = arith::ConstantIndexOp::create(builder, loc, part);
  Value sum = builder.createOrFold<arith::AddIOp>(loc, size, more);
  return builder.createOrFold<arith::DivUIOp>(loc, sum, divisor);
}

SmallVector<OpFoldResult>
KernelPlan::createRowBlocks(OpBuilder &builder, Location loc,
                            ValueRange operands) const {
  SmallVector<OpFoldResult> blocks;
  for (const Extent &size : ArrayRef(rows).take_front(cutDim))
    blocks.push_back(size.materialize(builder, loc, operands));
  blocks.push_back(cut.atRunTime ? createCount(builder, loc, rows[cutDim],
                                               cut.height, operands)
                                 : builder.getIndexAttr(cut.tall + cut.low));
  if (hasStretches())
    blocks.push_back(
        createCount(builder, loc, rows.back(), pixelsOfUnit, operands));
  return blocks;
}

SmallVector<OpFoldResult> KernelPlan::createPanels(OpBuilder &builder,
                                                   Location loc,
                                                   ValueRange operands) const {
  return {builder.getIndexAttr(groups),
          createCount(builder, loc, channels, getPanelSize(), operands)};
}

FailureOr<KernelPlan> KernelPlan::get(FusionRootOpInterface root,
                                      const TargetInfo &target,
                                      std::string *reason) {
  return KernelPlanner(root, target, reason).run();
}

bool fusion::hasKernel(FusionRootOpInterface root, const TargetInfo &target,
                       std::string *reason) {
  return succeeded(KernelPlan::get(root, target, reason));
}

OpFoldResult fusion::createKernelUnits(OpBuilder &builder,
                                       FusionRootOpInterface root,
                                       ValueRange operands,
                                       const TargetInfo &target) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  assert(succeeded(plan) && "expected a root with a kernel");
  Location loc = root.getLoc();
  SmallVector<OpFoldResult> sides =
      plan->createRowBlocks(builder, loc, operands);
  llvm::append_range(sides, plan->createPanels(builder, loc, operands));
  return createProduct(builder, loc, sides);
}

OpFoldResult fusion::createKernelFlops(OpBuilder &builder,
                                       FusionRootOpInterface root,
                                       const TargetInfo &target) {
  FailureOr<KernelPlan> plan = KernelPlan::get(root, target);
  assert(succeeded(plan) && "expected a root with a kernel");
  return plan->getFlops().materialize(builder, root.getLoc(),
                                      root->getOperands());
}

int64_t fusion::getFlops(FusionRootOpInterface root) {
  if (!llvm::all_of(root->getOperandTypes(), [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return !shaped || shaped.hasStaticShape();
      }))
    return ShapedType::kDynamic;
  int64_t elements = root.getInitType().getNumElements();
  // The largest number where there are more: nobody computes as many.
  auto product = [](std::initializer_list<int64_t> factors,
                    ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> all(factors);
    llvm::append_range(all, sizes);
    int64_t result = 1;
    for (int64_t factor : all)
      if (llvm::MulOverflow(result, factor, result))
        return std::numeric_limits<int64_t>::max();
    return result;
  };
  return TypeSwitch<Operation *, int64_t>(root.getOperation())
      .Case([&](ConvOp op) {
        int64_t groups = op.getGroups();
        return product({2, elements, op.getInputChannels() / groups},
                       op.getKernelSizes());
      })
      .Case([&](ConvTransposeOp op) {
        int64_t groups = op.getGroups();
        return product({2, op.getInput().getType().getNumElements(),
                        op.getOutputChannels() / groups},
                       op.getKernelSizes());
      })
      .Case([&](MatmulOp op) { return product({2, elements, op.getK()}, {}); })
      .Case([&](PoolOp op) { return product({elements}, op.getWindow()); })
      .Default([&](Operation *) { return elements; });
}
