//===-- GraphTranspose.cpp - Random transposed convolutions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of images with zeros between their elements, as importers write
// them.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Some of the first and last elements along the spatial dims are left out.
Tensor Graph::cutBorder(Tensor image, Layout layout, const Window &window) {
  SmallVector<OpFoldResult> offsets(image.rank(), b.getIndexAttr(0)),
      strides(image.rank(), b.getIndexAttr(1)), sizes = dims(image);
  SmallVector<int64_t> shape = image.shape;
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t at = layout.spatial(i), first = random.range(0, 2),
            last = random.range(0, 1);
    if (shape[at] - first - last < window.kernel[i])
      continue;
    shape[at] -= first + last;
    bool hides = hasDynamic && random.chance(30);
    offsets[at] = hides ? OpFoldResult(unknownSize(first))
                        : OpFoldResult(b.getIndexAttr(first));
    sizes[at] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(),
        AffineMap::get(1, 0, b.getAffineDimExpr(0) - (first + last)),
        {sizes[at]});
  }
  return result(
      tensor::ExtractSliceOp::create(b, image.value, offsets, sizes, strides),
      shape);
}

/// Zeros are inserted by a slice with strides; the convolution reads the filter
/// flipped or as it is.
Tensor Graph::convTranspose(Tensor image, Layout layout) {
  if (image.size() == 0 || image.size() > 4000)
    return {};
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> offsets(image.rank(), b.getIndexAttr(0)),
      strides(image.rank(), b.getIndexAttr(1)), sizes = dims(image),
                                                wideSizes = sizes;
  SmallVector<int64_t> wide = image.shape;
  Window window;
  bool isSparse = image.size() <= 64 && random.chance(4);
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t at = layout.spatial(i), stride = random.range(1, 3),
            kernel = random.range(1, 4);
    // More phases than there may be.
    if (isSparse)
      stride = 33;
    int64_t before = random.range(0, kernel - 1),
            after = random.range(0, kernel);
    int64_t size = (image.shape[at] - 1) * stride + 1;
    if (before + size + after < kernel)
      before = kernel;
    strides[at] = b.getIndexAttr(stride);
    offsets[at] = hasDynamic && random.chance(20)
                      ? OpFoldResult(unknownSize(before))
                      : OpFoldResult(b.getIndexAttr(before));
    wide[at] = before + size + after;
    AffineExpr expr =
        (b.getAffineDimExpr(0) - 1) * stride + (1 + before + after);
    wideSizes[at] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(1, 0, expr), {sizes[at]});
    window.kernel.push_back(kernel);
    window.strides.push_back(1);
    window.dilations.push_back(1);
  }
  Tensor zeros =
      filled(wide, wideSizes, image.elementType(), random.chance(95) ? 0 : 1);
  Tensor spread =
      result(tensor::InsertSliceOp::create(b, image.value, zeros.value, offsets,
                                           sizes, strides),
             wide);
  if (random.chance(20))
    spread = cutBorder(spread, layout, window);
  if (random.chance(20)) {
    SmallVector<int64_t> low, high;
    for (int64_t kernel : window.kernel) {
      low.push_back(random.range(0, kernel - 1));
      high.push_back(random.range(0, kernel - 1));
    }
    spread = pad(spread, layout, low, high, 0);
  }
  int64_t inputs = image.shape[layout.channel()],
          outputs = random.pick<int64_t>({1, 3, 4, 8, 16});
  SmallVector<int64_t> filterShape;
  if (layout.channelsLast) {
    llvm::append_range(filterShape, window.kernel);
    filterShape.append({inputs, outputs});
  } else {
    filterShape.append({outputs, inputs});
    llvm::append_range(filterShape, window.kernel);
  }
  Tensor filter = parameter(filterShape, image.elementType());
  SmallVector<OpFoldResult> outSizes =
      windowSizes(spread, layout, window, shape);
  shape[layout.channel()] = outputs;
  outSizes[layout.channel()] = b.getIndexAttr(outputs);
  Tensor init = initial(shape, outSizes, accumulator(image.elementType()),
                        layout.channel());
  budget -= init.size() * filter.size() / outputs;
  if (budget < 0)
    return {};
  auto create = [&](auto tag) -> Operation * {
    using Op = decltype(tag);
    return Op::create(b, TypeRange{init.value.getType()},
                      ValueRange{spread.value, filter.value},
                      ValueRange{init.value},
                      Attribute(b.getI64TensorAttr(window.strides)),
                      Attribute(b.getI64TensorAttr(window.dilations)));
  };
  Operation *op;
  switch (layout.numSpatial()) {
  case 1:
    op = layout.channelsLast ? create(linalg::Conv1DNwcWcfOp())
                             : create(linalg::Conv1DNcwFcwOp());
    break;
  case 2:
    op = layout.channelsLast ? create(linalg::Conv2DNhwcHwcfOp())
                             : create(linalg::Conv2DNchwFchwOp());
    break;
  default:
    op = layout.channelsLast ? create(linalg::Conv3DNdhwcDhwcfOp())
                             : create(linalg::Conv3DNcdhwFcdhwOp());
  }
  return result(op, shape);
}
