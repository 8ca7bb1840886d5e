//===-- FusionWindow.cpp - Windows over images ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What convolutions and pools share: dims of images, pads, window attributes.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

int64_t roots::getImageChannelDim(ImageLayout layout, int64_t rank) {
  return layout == ImageLayout::ChannelsFirst ? 1 : rank - 1;
}

int64_t roots::getImageSpatialStart(ImageLayout layout) {
  return layout == ImageLayout::ChannelsFirst ? 2 : 1;
}

SmallVector<int64_t> roots::getImageSpatialDims(ImageLayout layout,
                                                int64_t rank) {
  int64_t start = getImageSpatialStart(layout);
  return llvm::to_vector(llvm::seq(start, start + rank - 2));
}

SmallVector<int64_t> roots::orDefault(ArrayRef<int64_t> given, int64_t count,
                                      int64_t value) {
  if (!given.empty())
    return SmallVector<int64_t>(given);
  return SmallVector<int64_t>(std::max<int64_t>(count, 0), value);
}

bool roots::allEqual(ArrayRef<int64_t> values, int64_t to) {
  return llvm::all_of(values, [&](int64_t value) { return value == to; });
}

bool roots::hasPadding(ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  return !allEqual(low, 0) || !allEqual(high, 0);
}

SmallVector<int64_t> roots::addPads(ArrayRef<int64_t> pads,
                                    ArrayRef<int64_t> more) {
  SmallVector<int64_t> sums;
  for (auto [pad, other] : llvm::zip_equal(pads, more))
    sums.push_back(pad + other);
  return sums;
}

LogicalResult roots::verifyImageRanks(Operation *op, ShapedType input,
                                      ShapedType init) {
  int64_t rank = input.getRank();
  if (rank < 3 || rank > 5)
    return op->emitOpError("expected an input of rank 3 to 5, got rank ")
           << rank;
  if (init.getRank() != rank)
    return op->emitOpError("expected an init of rank ")
           << rank << ", got rank " << init.getRank();
  return success();
}

LogicalResult roots::verifyWindow(Operation *op, StringRef name,
                                  ArrayRef<int64_t> values, int64_t count,
                                  int64_t least) {
  if (static_cast<int64_t>(values.size()) != count)
    return op->emitOpError("expected ")
           << count << " values in " << name << ", got " << values.size();
  for (int64_t value : values)
    if (value < least)
      return op->emitOpError("expected values of at least ")
             << least << " in " << name << ", got " << value;
  return success();
}

LogicalResult roots::verifyWindowedSize(Operation *op, int64_t dim,
                                        int64_t input, int64_t window,
                                        int64_t stride, int64_t dilation,
                                        int64_t low, int64_t high,
                                        int64_t output) {
  if (ShapedType::isDynamic(window))
    return success();
  if (window < 1)
    return op->emitOpError("expected a window of at least 1, got ") << window;
  bool isDynamic = ShapedType::isDynamic(input);
  int64_t span, padded = isDynamic ? 0 : input;
  if (llvm::MulOverflow(dilation, window - 1, span) ||
      llvm::AddOverflow(span, int64_t(1), span) ||
      llvm::AddOverflow(padded, low, padded) ||
      llvm::AddOverflow(padded, high, padded))
    return op->emitOpError("expected sizes that fit in 64 bits in dim ") << dim;
  if (isDynamic)
    return success();
  if (padded < span)
    return op->emitOpError("expected a padded input of at least ")
           << span << " elements in dim " << dim << ", got " << padded;
  int64_t want = (padded - span) / stride + 1;
  if (!ShapedType::isDynamic(output) && want != output)
    return op->emitOpError("expected result size ")
           << want << " in dim " << dim << ", got " << output;
  return success();
}
