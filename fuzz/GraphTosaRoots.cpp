//===-- GraphTosaRoots.cpp - Roots of random TOSA graphs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows divide as TOSA wants: the last one ends at the image's end.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Of a TOSA window, sizes divide: the last window ends at the image's end.
static int64_t fitHigh(int64_t size, int64_t low, int64_t high, int64_t reach,
                       int64_t stride) {
  int64_t rest = (low + size + high - reach) % stride;
  return rest == 0 ? high : high + stride - rest;
}

Tensor Graph::tosaConv(Tensor image) {
  Type elementType = image.elementType();
  bool isInt = elementType.isInteger();
  Type sumType = isInt ? Type(b.getI32Type()) : elementType;
  Type accType = isInt ? Type(b.getI32Type()) : Type(b.getF32Type());
  bool isDepthwise = random.chance(35);
  Layout layout{true, 4};
  Window window = this->window(image, layout);
  SmallVector<int64_t> pads, shape = image.shape;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = image.shape[1 + i];
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t high =
        fitHigh(size, window.low[i], window.high[i], reach, window.strides[i]);
    pads.append({window.low[i], high});
    shape[1 + i] =
        (window.low[i] + size + high - reach) / window.strides[i] + 1;
  }
  int64_t channels = image.shape[3],
          outputs = random.pick<int64_t>({1, 3, 8, 16}),
          multiplier = random.range(1, 2);
  shape[3] = isDepthwise ? channels * multiplier : outputs;
  SmallVector<int64_t> filterShape =
      isDepthwise ? SmallVector<int64_t>{window.kernel[0], window.kernel[1],
                                         channels, multiplier}
                  : SmallVector<int64_t>{outputs, window.kernel[0],
                                         window.kernel[1], channels};
  Tensor filter = tosaParameter(filterShape, elementType);
  Tensor bias = tosaParameter({random.chance(80) ? shape[3] : 1}, sumType);
  Value inputZero = tosaZero(elementType, isInt ? random.range(-5, 5) : 0),
        filterZero = tosaZero(elementType, 0);
  Type resultType = RankedTensorType::get(shape, sumType);
  budget -= RankedTensorType::get(shape, sumType).getNumElements() *
            window.kernel[0] * window.kernel[1] * (isDepthwise ? 1 : channels);
  if (budget < 0)
    return {};
  if (isDepthwise)
    return result(tosa::DepthwiseConv2DOp::create(
                      b, resultType, image.value, filter.value, bias.value,
                      inputZero, filterZero, pads, window.strides,
                      window.dilations, accType),
                  shape);
  return result(tosa::Conv2DOp::create(b, resultType, image.value, filter.value,
                                       bias.value, inputZero, filterZero, pads,
                                       window.strides, window.dilations,
                                       accType),
                shape);
}

Tensor Graph::tosaTransposeConv(Tensor image) {
  Type elementType = image.elementType();
  bool isInt = elementType.isInteger();
  Type sumType = isInt ? Type(b.getI32Type()) : elementType;
  Type accType = isInt ? Type(b.getI32Type()) : Type(b.getF32Type());
  SmallVector<int64_t> pads, strides, shape = image.shape, kernel;
  for (int64_t i = 0; i < 2; ++i) {
    strides.push_back(random.range(1, 3));
    kernel.push_back(random.range(1, 4));
    for (int side = 0; side < 2; ++side)
      pads.push_back(random.chance(60) ? 0 : random.range(1 - kernel[i], 1));
    shape[1 + i] = (image.shape[1 + i] - 1) * strides[i] + pads[2 * i] +
                   pads[2 * i + 1] + kernel[i];
    if (shape[1 + i] <= 0)
      return {};
  }
  shape[3] = random.pick<int64_t>({1, 3, 8});
  Tensor filter = tosaParameter(
      {shape[3], kernel[0], kernel[1], image.shape[3]}, elementType);
  Tensor bias = tosaParameter({shape[3]}, sumType);
  Value inputZero = tosaZero(elementType, isInt ? random.range(-3, 3) : 0),
        filterZero = tosaZero(elementType);
  budget -= RankedTensorType::get(shape, sumType).getNumElements() * kernel[0] *
            kernel[1] * image.shape[3];
  if (budget < 0)
    return {};
  return result(tosa::TransposeConv2DOp::create(
                    b, RankedTensorType::get(shape, sumType), image.value,
                    filter.value, bias.value, inputZero, filterZero, pads,
                    strides, accType),
                shape);
}

Tensor Graph::tosaPool(Tensor image) {
  Type elementType = image.elementType();
  Window window = this->window(image, Layout{true, 4});
  SmallVector<int64_t> pads, shape = image.shape;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t size = image.shape[1 + i], reach = window.kernel[i];
    int64_t low = std::min(window.low[i], reach - 1),
            high = std::min(window.high[i], reach - 1);
    int64_t fitted = fitHigh(size, low, high, reach, window.strides[i]);
    if (low + size + high < reach || fitted >= reach) {
      // The stride that always fits.
      window.strides[i] = 1;
      fitted = high;
      if (low + size + high < reach)
        return {};
    }
    pads.append({low, fitted});
    shape[1 + i] = (low + size + fitted - reach) / window.strides[i] + 1;
  }
  Type resultType = RankedTensorType::get(shape, elementType);
  if (random.chance(50))
    return result(tosa::MaxPool2dOp::create(b, resultType, image.value,
                                            window.kernel, window.strides,
                                            pads),
                  shape);
  Type accType =
      elementType.isInteger() ? Type(b.getI32Type()) : Type(b.getF32Type());
  Value inputZero = tosaZero(elementType), outputZero = tosaZero(elementType);
  return result(tosa::AvgPool2dOp::create(b, resultType, image.value, inputZero,
                                          outputZero, window.kernel,
                                          window.strides, pads, accType),
                shape);
}

Tensor Graph::tosaMatmul(Tensor tensor) {
  if (tensor.rank() != 4)
    return {};
  Type elementType = tensor.elementType();
  SmallVector<int64_t> joined{
      tensor.shape[0], tensor.shape[1] * tensor.shape[2], tensor.shape[3]};
  Value matrix =
      tosa::ReshapeOp::create(b, RankedTensorType::get(joined, elementType),
                              tensor.value, tosaShape(joined));
  int64_t columns = random.pick<int64_t>({1, 4, 16});
  Tensor right = tosaParameter({joined[0], joined[2], columns}, elementType);
  SmallVector<int64_t> shape{joined[0], joined[1], columns};
  Type sumType = elementType.isInteger() ? Type(b.getI32Type()) : elementType;
  Value zeroA = tosaZero(elementType,
                         elementType.isInteger() ? random.range(-3, 3) : 0),
        zeroB = tosaZero(elementType);
  Value product =
      tosa::MatMulOp::create(b, RankedTensorType::get(shape, sumType), matrix,
                             right.value, zeroA, zeroB);
  SmallVector<int64_t> back{tensor.shape[0], tensor.shape[1], tensor.shape[2],
                            columns};
  return result(tosa::ReshapeOp::create(b, RankedTensorType::get(back, sumType),
                                        product, tosaShape(back)),
                back);
}
