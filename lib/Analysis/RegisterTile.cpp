//===-- RegisterTile.cpp - The cheapest tile for a shape ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the innermost loop: each step takes as long as its multiply-adds,
// its loads or, with few sums, the latency of one multiply-add; a whole tile
// takes no less than its weights and its input need on their way from the cache
// that holds them.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/RegisterTile.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

/// What is known at run time only.
static constexpr int64_t kLarge = 1 << 14;

static int64_t orLarge(int64_t size) {
  return ShapedType::isDynamic(size) ? kLarge : size;
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  // The most that is told apart.
  constexpr int64_t kMost = int64_t(1) << 40;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(product, orLarge(size), product) || product > kMost)
      return kMost;
  return product;
}

TiledWork TiledWork::get(FusionRootOpInterface root, const TargetInfo &target) {
  TiledWork work;
  work.lanes = target.getLanes(root.getAccumulatorType());
  auto input = cast<ShapedType>(root->getOperand(0).getType());
  int64_t elementBytes = llvm::divideCeil(input.getElementTypeBitWidth(), 8);
  work.inputBytes = getProduct(input.getShape()) * elementBytes;
  if (OpOperand *weights = root.getWeights())
    work.weightBytes = llvm::divideCeil(
        getElementTypeOrSelf(weights->get()).getIntOrFloatBitWidth(), 8);
  SmallVector<int64_t> rows(root.getInitType().getShape());
  rows.erase(rows.begin() + root.getChannelDim());

  // The lines that neighbouring rows of the input make one: all, unless a
  // window jumps at their ends.
  bool isOneLine = true;
  if (auto conv = dyn_cast<ConvOp>(*root)) {
    work.groups = conv.getGroups();
    work.channels = orLarge(conv.getOutputChannels()) / work.groups;
    int64_t inputs = orLarge(conv.getInputChannels());
    SmallVector<int64_t> kernel = conv.getKernelSizes();
    work.depth = inputs / work.groups * getProduct(kernel);
    work.rowBytes = elementBytes * conv.getStrides().back();
    if (conv.getInputLayout() == ImageLayout::ChannelsLast)
      work.rowBytes *= inputs;
    auto isOne = [](int64_t size) { return size == 1; };
    isOneLine = !conv.hasPadding() && llvm::all_of(kernel, isOne) &&
                llvm::all_of(conv.getStrides(), isOne);
  } else if (auto matmul = dyn_cast<MatmulOp>(*root)) {
    work.channels = orLarge(root.getInitType().getShape().back());
    work.depth = orLarge(matmul.getK());
    work.rowBytes = work.depth * elementBytes;
    ShapedType rhs = matmul.getRhs().getType();
    isOneLine =
        matmul.getRhsLayout() == MatrixLayout::Packed || rhs.getRank() <= 2;
  }
  work.channels = std::max<int64_t>(work.channels, 1);
  work.width = isOneLine || rows.empty() ? getProduct(rows)
                                         : orLarge(rows.pop_back_val());
  work.lines = isOneLine ? 1 : getProduct(rows);
  return work;
}

int64_t fusion::getMaxRows(const TargetInfo &target, int64_t vectors) {
  // More rows are more streams than a core follows.
  constexpr int64_t kMaxRows = 14;
  return std::clamp<int64_t>((target.vectorRegisters - vectors - 1) / vectors,
                             1, kMaxRows);
}

bool fusion::shareSets(int64_t bytes) {
  return bytes != 0 && bytes % TargetInfo::kL1WayBytes == 0;
}

int64_t fusion::limitRows(const TargetInfo &target, int64_t rows,
                          int64_t bytes) {
  return shareSets(bytes) ? std::clamp<int64_t>(target.getL1Ways() - 1, 1, rows)
                          : rows;
}

bool fusion::isPanelFastest(const TargetInfo &target, double weightBytes,
                            double inputBytes) {
  return weightBytes <= std::max(inputBytes, target.l2Bytes / 2.0);
}

/// Bytes in a cycle of what is read again and again, `bytes` in all.
static double getBandwidth(const TargetInfo &target, double bytes) {
  // The first level holds other things, too.
  return bytes * 2 <= target.l1Bytes ? target.l1Bandwidth
         : bytes <= target.l2Bytes   ? target.l2Bandwidth
         : bytes <= target.l3Bytes   ? target.l3Bandwidth
                                     : target.memoryBandwidth;
}

namespace {
/// Tiles or panels of one size.
struct Share {
  int64_t size, count;
};
} // namespace

static SmallVector<Share> getTileHeights(const TiledWork &work,
                                         int64_t maxRows) {
  int64_t whole = 1, rows = work.width, times = work.lines;
  if (2 * work.width <= maxRows && work.lines > 1) {
    whole = work.width;
    rows = work.lines;
    times = 1;
  }
  RowCut cut = RowCut::get(std::max<int64_t>(rows, 1), maxRows / whole);
  return {{cut.height * whole, cut.tall * times},
          {(cut.height - 1) * whole, cut.low * times}};
}

double fusion::estimateCycles(const TiledWork &work, const TargetInfo &target,
                              RegisterTile tile) {
  // Measured: a tile starts, ends and stores a vector of sums in so many.
  constexpr double kCyclesOfTile = 24, kCyclesOfSum = 2;
  double ports = target.multiplyAddPorts, latency = target.multiplyAddLatency;
  double loads = std::max(target.l1Bandwidth * 8.0 / target.vectorBits, 1.0);

  SmallVector<Share> heights =
      getTileHeights(work, limitRows(target, tile.rows, work.rowBytes));
  int64_t vectors = llvm::divideCeil(work.channels, work.lanes);
  int64_t full = vectors / tile.vectors;
  SmallVector<Share> widths{{tile.vectors, full}, {vectors % tile.vectors, 1}};

  double bytesOfVector = double(work.depth) * work.lanes * work.weightBytes;
  double allWeights = bytesOfVector * vectors * work.groups;
  bool panelFastest = isPanelFastest(target, allWeights, work.inputBytes);
  int64_t numTiles = 0;
  for (Share height : heights)
    numTiles += height.size ? height.count : 0;
  // The first tile reads a panel from where all weights are, others from where
  // the panel stays, or all panels do.
  double first = 1.0 / numTiles, far = 1 / getBandwidth(target, allWeights);
  double near = panelFastest
                    ? far
                    : 1 / getBandwidth(target, bytesOfVector * tile.vectors);
  double cyclesOfByte = first * far + (1 - first) * near;
  // A panel at a time reads the whole input for each.
  double inputCycles =
      panelFastest ? 0
                   : work.inputBytes / getBandwidth(target, work.inputBytes) /
                         (double(numTiles) * work.groups);

  double cycles = 0;
  for (Share height : heights)
    for (Share width : widths) {
      double sums = height.size * width.size;
      if (sums == 0)
        continue;
      double step =
          std::max({sums / ports, (height.size + width.size) / loads, latency});
      double read = bytesOfVector * width.size * cyclesOfByte + inputCycles;
      cycles += double(height.count) * width.count *
                (std::max(step * work.depth, read) + kCyclesOfTile +
                 kCyclesOfSum * sums);
    }
  return cycles * work.groups;
}

RegisterTile fusion::chooseRegisterTile(const TiledWork &work,
                                        const TargetInfo &target) {
  // Two vectors are the best of most shapes; others must promise to be better
  // by more than the model may be wrong, and the first of equals is taken.
  constexpr int64_t kCandidates[] = {2, 4, 3, 1};
  constexpr double kGain = 0.97;
  int64_t most = llvm::divideCeil(work.channels, work.lanes);
  RegisterTile best{getMaxRows(target, 1), 1};
  double least = 0;
  for (int64_t vectors : kCandidates) {
    if (vectors > most)
      continue;
    RegisterTile tile{getMaxRows(target, vectors), vectors};
    double cycles = estimateCycles(work, target, tile);
    if (least != 0 && cycles >= least)
      continue;
    best = tile;
    least = vectors == kCandidates[0] ? cycles * kGain : cycles;
  }
  return best;
}

int64_t fusion::getPackedBlock(FusionRootOpInterface root,
                               const TargetInfo &target) {
  TiledWork work = TiledWork::get(root, target);
  return work.lanes * chooseRegisterTile(work, target).vectors;
}
