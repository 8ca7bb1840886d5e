//===-- GraphRoots.cpp - Random convolutions and pools --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows, padding, and named ops in their layouts.
//
//===----------------------------------------------------------------------===//

#include "GraphForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Window Graph::window(const Tensor &image, Layout layout, bool mayPad) {
  Window window;
  bool pads = mayPad && random.chance(55), isLarge = random.chance(2);
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t size = image.shape[layout.spatial(i)];
    int64_t kernel = random.pick<int64_t>({1, 1, 2, 3, 3, 3, 5, 7});
    // More than what is unrolled.
    if (isLarge)
      kernel = 9;
    int64_t dilation = random.chance(15) ? random.range(2, 3) : 1;
    int64_t low = 0, high = 0;
    int64_t reach = (kernel - 1) * dilation;
    if (pads) {
      low = random.chance(60) ? reach / 2 : random.range(0, reach + 1);
      high = random.chance(60) ? reach - reach / 2 : random.range(0, reach + 1);
    }
    if (low + size + high <= reach) {
      kernel = std::min<int64_t>(size, 2);
      dilation = 1;
      low = high = 0;
    }
    // A window of nothing.
    if (!isTosa && random.chance(1) && random.chance(30))
      kernel = 0;
    window.kernel.push_back(kernel);
    window.dilations.push_back(dilation);
    window.strides.push_back(random.chance(60) ? 1 : random.range(1, 3));
    // linalg's verifier looks at the place before the only one.
    int64_t stride = window.strides.back();
    if (kernel == 0 &&
        (low + size + high + dilation - 1) / stride * stride < dilation)
      window.kernel.back() = 1;
    window.low.push_back(low);
    window.high.push_back(high);
  }
  return window;
}

SmallVector<OpFoldResult> Graph::windowSizes(const Tensor &image, Layout layout,
                                             const Window &window,
                                             SmallVectorImpl<int64_t> &shape) {
  shape = image.shape;
  SmallVector<OpFoldResult> sizes = dims(image);
  bool isLoose = random.chance(image.isStatic() ? 3 : 12);
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t at = layout.spatial(i);
    sizes[at] = windowCount(sizes[at], shape[at], reach, window.strides[i],
                            isLoose, shape[at]);
  }
  return sizes;
}

Tensor Graph::pad(Tensor image, Layout layout, ArrayRef<int64_t> low,
                  ArrayRef<int64_t> high, double value) {
  if (llvm::all_of(low, [](int64_t n) { return n == 0; }) &&
      llvm::all_of(high, [](int64_t n) { return n == 0; }))
    return image;
  SmallVector<OpFoldResult> lows(image.rank(), b.getIndexAttr(0)),
      highs(image.rank(), b.getIndexAttr(0));
  SmallVector<int64_t> shape = image.shape;
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t at = layout.spatial(i);
    lows[at] = hasDynamic && random.chance(4)
                   ? OpFoldResult(unknownSize(low[i]))
                   : OpFoldResult(b.getIndexAttr(low[i]));
    highs[at] = b.getIndexAttr(high[i]);
    shape[at] += low[i] + high[i];
  }
  Value number = scalar(image.elementType(), value);
  return result(tensor::PadOp::create(b, /*resultType=*/Type(), image.value,
                                      lows, highs, number),
                shape);
}

/// What importers sum in.
Type Graph::accumulator(Type elementType) {
  if (elementType.isIndex())
    return elementType;
  if (elementType.isInteger())
    return b.getI32Type();
  if (elementType.getIntOrFloatBitWidth() == 16 && random.chance(40))
    return b.getF32Type();
  return elementType;
}

//===----------------------------------------------------------------------===//
// Named convolutions
//===----------------------------------------------------------------------===//

static constexpr ConvForm kConvs[] = {
    {1, true, "KIO", createConv<linalg::Conv1DNwcWcfOp>},
    {1, false, "OIK", createConv<linalg::Conv1DNcwFcwOp>},
    {2, true, "KIO", createConv<linalg::Conv2DNhwcHwcfOp>},
    {2, true, "OKI", createConv<linalg::Conv2DNhwcFhwcOp>},
    {2, false, "OIK", createConv<linalg::Conv2DNchwFchwOp>},
    {3, true, "KIO", createConv<linalg::Conv3DNdhwcDhwcfOp>},
    {3, false, "OIK", createConv<linalg::Conv3DNcdhwFcdhwOp>},
};

static constexpr ConvForm kZeroPointConvs[] = {
    {2, true, "KIO", createConv<linalg::Conv2DNhwcHwcfQOp>},
    {2, true, "OKI", createConv<linalg::Conv2DNhwcFhwcQOp>},
    {2, false, "OIK", createConv<linalg::Conv2DNchwFchwQOp>},
    {3, true, "KIO", createConv<linalg::Conv3DNdhwcDhwcfQOp>},
};

static constexpr ConvForm kDepthwise[] = {
    {1, true, "KI", createConv<linalg::DepthwiseConv1DNwcWcOp>},
    {1, false, "IK", createConv<linalg::DepthwiseConv1DNcwCwOp>},
    {1, true, "KIM", createConv<linalg::DepthwiseConv1DNwcWcmOp>},
    {2, true, "KI", createConv<linalg::DepthwiseConv2DNhwcHwcOp>},
    {2, false, "IK", createConv<linalg::DepthwiseConv2DNchwChwOp>},
    {2, true, "KIM", createConv<linalg::DepthwiseConv2DNhwcHwcmOp>},
    {3, true, "KI", createConv<linalg::DepthwiseConv3DNdhwcDhwcOp>},
    {3, false, "IK", createConv<linalg::DepthwiseConv3DNcdhwCdhwOp>},
    {3, true, "KIM", createConv<linalg::DepthwiseConv3DNdhwcDhwcmOp>},
};

static SmallVector<int64_t> getFilterShape(StringRef form,
                                           ArrayRef<int64_t> kernel,
                                           int64_t inputs, int64_t outputs,
                                           int64_t multiplier) {
  SmallVector<int64_t> shape;
  for (char letter : form) {
    if (letter == 'K')
      llvm::append_range(shape, kernel);
    else
      shape.push_back(letter == 'I'   ? inputs
                      : letter == 'O' ? outputs
                                      : multiplier);
  }
  return shape;
}

Tensor Graph::conv(Tensor image, Layout layout) {
  if (findForms(kConvs, layout).empty())
    return genericConv(image, layout);
  Window window = this->window(image, layout);
  int64_t outputs =
      random.pick<int64_t>({1, 2, 3, 4, 8, 8, 15, 16, 16, 17, 32});
  return convWith(image, layout, window, outputs);
}

Tensor Graph::convWith(Tensor image, Layout layout, const Window &window,
                       int64_t outputs) {
  bool hasZeroPoints = image.elementType().isInteger(8) && random.chance(50);
  SmallVector<const ConvForm *> forms =
      findForms(hasZeroPoints ? ArrayRef<ConvForm>(kZeroPointConvs)
                              : ArrayRef<ConvForm>(kConvs),
                layout);
  if (forms.empty())
    return {};
  const ConvForm &form = *random.pickFrom(forms);
  image =
      pad(image, layout, window.low, window.high, random.chance(90) ? 0 : 1);
  int64_t inputs = image.shape[layout.channel()];
  Tensor filter =
      parameter(getFilterShape(form.filter, window.kernel, inputs, outputs, 1),
                image.elementType());
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes = windowSizes(image, layout, window, shape);
  shape[layout.channel()] = outputs;
  sizes[layout.channel()] = hasDynamic && random.chance(4)
                                ? OpFoldResult(unknownSize(outputs))
                                : OpFoldResult(b.getIndexAttr(outputs));
  Tensor init =
      initial(shape, sizes, accumulator(image.elementType()), layout.channel());
  budget -= init.size() * filter.size() / outputs;
  if (budget < 0)
    return {};
  SmallVector<Value> operands{image.value, filter.value};
  if (hasZeroPoints)
    for (int i = 0; i < 2; ++i)
      operands.push_back(scalar(
          b.getI32Type(), random.chance(50) ? 0 : double(random.range(-9, 9))));
  Operation *op = form.create(b, init.value.getType(), operands, init.value,
                              b.getI64TensorAttr(window.strides),
                              b.getI64TensorAttr(window.dilations));
  return result(op, shape);
}

Tensor Graph::depthwise(Tensor image, Layout layout) {
  if (findForms(kDepthwise, layout).empty())
    return genericConv(image, layout);
  return depthwiseWith(image, layout, this->window(image, layout));
}

Tensor Graph::depthwiseWith(Tensor image, Layout layout, const Window &window) {
  SmallVector<const ConvForm *> forms = findForms(kDepthwise, layout);
  const ConvForm &form = *random.pickFrom(forms);
  bool hasMultiplier = form.filter.contains('M');
  int64_t multiplier = hasMultiplier ? random.range(1, 3) : 1;
  image =
      pad(image, layout, window.low, window.high, random.chance(90) ? 0 : -1);
  int64_t channels = image.shape[layout.channel()];
  Tensor filter = parameter(
      getFilterShape(form.filter, window.kernel, channels, 0, multiplier),
      image.elementType());
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes = windowSizes(image, layout, window, shape);
  if (hasMultiplier) {
    shape.push_back(multiplier);
    sizes.push_back(b.getIndexAttr(multiplier));
  }
  Tensor init = initial(shape, sizes, accumulator(image.elementType()),
                        hasMultiplier ? -1 : layout.channel());
  budget -= init.size() * filter.size() / (channels * multiplier);
  if (budget < 0)
    return {};
  Operation *op = form.create(
      b, init.value.getType(), {image.value, filter.value}, init.value,
      b.getI64TensorAttr(window.strides), b.getI64TensorAttr(window.dilations));
  Tensor output = result(op, shape);
  if (!hasMultiplier)
    return output;
  // Importers join the two dims of channels.
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < image.rank(); ++dim)
    groups.push_back({dim});
  groups.back().push_back(image.rank());
  shape.pop_back();
  shape.back() *= multiplier;
  return result(tensor::CollapseShapeOp::create(b, output.value, groups),
                shape);
}
