//===-- KernelPlanes.cpp - Depthwise convolutions plane by plane ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of them there is a kernel for, and its plan.
//
//===----------------------------------------------------------------------===//

#include "KernelPlanner.h"

using namespace mlir;
using namespace mlir::fusion;

/// Rows of the result that are summed at once: 4 rows under a window of 3 x 3
/// load 18 vectors for 36 multiply-adds. Fewer take longer, even with 16
/// registers, where the filter is read from the stack.
static constexpr int64_t kRowsAtOnce = 4;

/// Input rows under `rows` rows of the result, or columns likewise.
static int64_t getSpan(ConvOp conv, int64_t dim, int64_t rows) {
  return (rows - 1) * conv.getStrides()[dim] +
         getWindowSpan(conv.getKernelSizes()[dim], conv.getDilations()[dim]);
}

/// The place of a spatial dim in an image.
static int64_t getImageDim(ImageLayout layout, int64_t dim) {
  return dim + (layout == ImageLayout::ChannelsFirst ? 2 : 1);
}

//===-- What there is a kernel for ----------------------------------------===//

bool fusion::canBePlanar(ConvOp conv) {
  // The window is unrolled. Input rows are kept on the stack.
  constexpr int64_t kMaxWindow = 64, kMaxStride = 4, kMaxElements = 1 << 14;
  int64_t dims = conv.getNumSpatialDims(), last = dims - 1;
  if (!conv.isDepthwise() || dims > 2 ||
      !conv.getFilter().getType().hasStaticShape() ||
      llvm::product_of(conv.getKernelSizes()) > kMaxWindow ||
      conv.getStrides()[last] > kMaxStride)
    return false;
  // Sums of what is larger may not fit in 64 bits.
  for (int64_t i = 0; i < dims; ++i)
    if (conv.getStrides()[i] > kMaxElements ||
        getSpan(conv, i, 1) > kMaxElements)
      return false;
  int64_t width = conv.getInput().getType().getDimSize(
      getImageDim(conv.getInputLayout(), last));
  if (ShapedType::isDynamic(width) ||
      ShapedType::isDynamic(conv.getInit().getType().getDimSize(
          getImageDim(conv.getOutputLayout(), last))))
    return false;
  int64_t rows = dims == 2 ? getSpan(conv, 0, kRowsAtOnce) : 1;
  width += conv.getPadLow()[last] + conv.getPadHigh()[last];
  return rows <= kMaxElements && width <= kMaxElements / rows;
}

bool fusion::isPlanar(ConvOp conv) {
  return conv.getInputLayout() == ImageLayout::ChannelsFirst &&
         conv.getOutputLayout() == ImageLayout::ChannelsFirst &&
         canBePlanar(conv);
}

//===-- The plan ----------------------------------------------------------===//

bool KernelPlanner::planPlanes(ConvOp op) {
  plan.kind = KernelPlan::Kind::Planes;
  laneDim = static_cast<int64_t>(resultSizes.size()) - 1;
  plan.groups = 1;
  plan.channels = resultSizes.back();
  // One panel: neither side of a row is in two of them. A short row needs no
  // long vectors.
  plan.lanes = target.getLanes(root.getAccumulatorType());
  while (plan.lanes > 4 && plan.channels.getStatic() <= plan.lanes / 2)
    plan.lanes /= 2;
  plan.vectors = llvm::divideCeil(plan.channels.getStatic(), plan.lanes);

  FilterDims dims = op.getFilterDims();
  SmallVector<Extent> strides = getStrides(op.getInputMutable());
  SmallVector<Extent> filterStrides = getStrides(op.getFilterMutable());
  if (strides.back() != 1)
    return refuse("no-kernel", "the input has strided rows");
  // The rows are those of the result: where one begins in the input is up to
  // the padding.
  plan.input.rows = {strides[0], strides[1], 0};
  SmallVector<Extent> sizes = getSizes(op.getInputMutable());
  plan.imageSizes.assign(sizes.begin() + 2, sizes.end());
  plan.weights.rows = {0, filterStrides[dims.out], 0};
  for (auto [i, size] : llvm::enumerate(op.getKernelSizes()))
    plan.reductions.push_back(
        {size, strides[i + 2] * getDilation(size, op.getDilations()[i]),
         filterStrides[dims.spatial + i]});
  if (!planInit())
    return false;
  if (plan.init.isChannelsFirst() ||
      llvm::any_of(plan.epilogue, [](const OperandStrides &operand) {
        return operand.isChannelsFirst();
      }))
    return refuse("no-kernel", "a row of the result has gaps");
  if (op.getNumSpatialDims() == 2)
    return true;
  // A line is a plane of one row.
  plan.reductions.insert(plan.reductions.begin(), {1, 0, 0});
  plan.rows.push_back(1);
  plan.init.rows.push_back(0);
  for (OperandStrides &operand : plan.epilogue)
    operand.rows.push_back(0);
  return true;
}

/// Tiles of rows, in stretches whose input rows fit into half of a first-level
/// cache.
void KernelPlanner::cutPlanes() {
  constexpr int64_t kStagedBytes = 1 << 14;
  auto conv = cast<ConvOp>(root.getOperation());
  int64_t last = conv.getNumSpatialDims() - 1, lanes = plan.lanes;
  plan.cutDim = plan.rows.size() - 2;
  plan.cut = RowCut::get(plan.rows[plan.cutDim], 1);

  StagedRow &row = plan.stagedRow;
  row.phases = conv.getStrides()[last];
  int64_t low = conv.getPadLow()[last];
  int64_t width = conv.getInput().getType().getShape().back();
  row.margin = llvm::alignTo(llvm::divideCeil(low, row.phases), lanes);
  // Vectors are read whole, beyond the last pixel too.
  int64_t end = getSpan(conv, last, plan.vectors * lanes) - low;
  row.length = llvm::alignTo(
      row.margin + llvm::divideCeil(std::max(end, width), row.phases), lanes);

  plan.pixels = plan.pixelsOfUnit = 1;
  if (last == 0)
    return;
  plan.pixels = kRowsAtOnce;
  int64_t bytes =
      row.getSize() * root.getAccumulatorType().getIntOrFloatBitWidth() / 8;
  int64_t stride = conv.getStrides()[0];
  int64_t rows = (kStagedBytes / bytes - getSpan(conv, 0, 1)) / stride + 1;
  plan.pixelsOfUnit = std::max<int64_t>(rows / kRowsAtOnce, 1) * kRowsAtOnce;
  evenStretches();
}
