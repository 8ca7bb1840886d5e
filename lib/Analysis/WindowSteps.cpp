//===-- WindowSteps.cpp - What of a window lies in padding ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles and pixels that meet the same of it are one class, with code of its
// own.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"

using namespace mlir;
using namespace mlir::fusion;

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
