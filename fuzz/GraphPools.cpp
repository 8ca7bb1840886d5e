//===-- GraphPools.cpp - Random pools -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named ones, averages, and pools of the whole image.
//
//===----------------------------------------------------------------------===//

#include "GraphForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

static constexpr ConvForm kPools[] = {
    {1, true, "sum", createConv<linalg::PoolingNwcSumOp>},
    {1, true, "max", createConv<linalg::PoolingNwcMaxOp>},
    {1, true, "min", createConv<linalg::PoolingNwcMinOp>},
    {1, false, "sum", createConv<linalg::PoolingNcwSumOp>},
    {1, false, "max", createConv<linalg::PoolingNcwMaxOp>},
    {2, true, "sum", createConv<linalg::PoolingNhwcSumOp>},
    {2, true, "max", createConv<linalg::PoolingNhwcMaxOp>},
    {2, true, "min", createConv<linalg::PoolingNhwcMinOp>},
    {2, false, "sum", createConv<linalg::PoolingNchwSumOp>},
    {2, false, "max", createConv<linalg::PoolingNchwMaxOp>},
    {3, true, "sum", createConv<linalg::PoolingNdhwcSumOp>},
    {3, true, "max", createConv<linalg::PoolingNdhwcMaxOp>},
    {3, true, "min", createConv<linalg::PoolingNdhwcMinOp>},
};

/// What never wins, and now and then what does.
static double getPoolStart(StringRef kind, Type type, Random &random) {
  if (kind == "sum")
    return random.chance(90) ? 0 : 2;
  double sign = kind == "max" ? -1 : 1;
  if (random.chance(8))
    return 0;
  if (!isa<FloatType>(type))
    return sign * 128 + (sign > 0 ? -1 : 0);
  return random.chance(60) ? sign * HUGE_VAL : sign * 3.0e4;
}

Tensor Graph::pool(Tensor image, Layout layout) {
  SmallVector<const ConvForm *> forms = findForms(kPools, layout);
  if (forms.empty())
    return {};
  const ConvForm &form = *random.pickFrom(forms);
  Window window = this->window(image, layout);
  Type elementType = image.elementType();
  double start = getPoolStart(form.filter, elementType, random);
  image = pad(image, layout, window.low, window.high,
              random.chance(80) ? start : 0);
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes = windowSizes(image, layout, window, shape);
  int64_t area = 1;
  for (int64_t size : window.kernel)
    area *= size;
  Tensor init = filled(shape, sizes, elementType, start);
  budget -= init.size() * area;
  if (budget < 0)
    return {};
  SmallVector<OpFoldResult> kernelSizes =
      getAsIndexOpFoldResult(b.getContext(), window.kernel);
  if (hasDynamic && random.chance(6))
    kernelSizes.back() = unknownSize(window.kernel.back());
  Value kernel = tensor::EmptyOp::create(b, kernelSizes, elementType);
  Operation *op = form.create(b, init.value.getType(), {image.value, kernel},
                              init.value, b.getI64TensorAttr(window.strides),
                              b.getI64TensorAttr(window.dilations));
  Tensor output = result(op, shape);
  if (form.filter != "sum" || !isa<FloatType>(elementType) || random.chance(30))
    return output;
  // An average.
  return map({output}, {b.getMultiDimIdentityMap(unsigned(output.rank()))},
             elementType, [&](ArrayRef<Value> args) -> Value {
               Value count = scalar(elementType, double(area));
               return arith::DivFOp::create(b, args[0], count);
             });
}

/// A pool whose window is the image, whatever its size.
Tensor Graph::wholePool(Tensor image, Layout layout) {
  Type elementType = image.elementType();
  SmallVector<OpFoldResult> sizes = dims(image), window;
  SmallVector<int64_t> shape = image.shape;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t at = layout.spatial(i);
    window.push_back(sizes[at]);
    sizes[at] = b.getIndexAttr(1);
    shape[at] = 1;
  }
  Tensor init = filled(shape, sizes, elementType, 0);
  Value kernel = tensor::EmptyOp::create(b, window, elementType);
  auto create = layout.channelsLast ? createConv<linalg::PoolingNhwcSumOp>
                                    : createConv<linalg::PoolingNchwSumOp>;
  Attribute ones = b.getI64TensorAttr({1, 1});
  return result(create(b, init.value.getType(), {image.value, kernel},
                       init.value, ones, ones),
                shape);
}

/// The whole image by a reduction, as importers state it.
Tensor Graph::globalPool(Tensor image, Layout layout) {
  if (image.rank() == 4 && random.chance(40))
    return wholePool(image, layout);
  Type elementType = image.elementType();
  SmallVector<int64_t> spatial, shape{image.shape[0]};
  SmallVector<OpFoldResult> sizes{dim(image, 0)};
  int64_t area = 1;
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    spatial.push_back(layout.spatial(i));
    area *= image.shape[layout.spatial(i)];
  }
  shape.push_back(image.shape[layout.channel()]);
  sizes.push_back(dim(image, layout.channel()));
  bool isMax = random.chance(25);
  bool isFloat = isa<FloatType>(elementType);
  Tensor output = reduceDims(image, spatial, shape, sizes, isMax);
  if (isMax || !isFloat)
    return output;
  return map({output}, {b.getMultiDimIdentityMap(2)}, elementType,
             [&](ArrayRef<Value> args) -> Value {
               Value count = scalar(elementType, double(area));
               return arith::DivFOp::create(b, args[0], count);
             });
}
