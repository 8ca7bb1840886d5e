//===-- GraphRoots.cpp - Random convolutions and pools --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named ops in their layouts, and generic ones in any.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Window Graph::window(const Tensor &image, Layout layout, bool mayPad) {
  Window window;
  bool pads = mayPad && random.chance(55);
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t size = image.shape[layout.spatial(i)];
    int64_t kernel = random.pick<int64_t>({1, 1, 2, 3, 3, 3, 5, 7});
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
    window.kernel.push_back(kernel);
    window.dilations.push_back(dilation);
    window.strides.push_back(random.chance(60) ? 1 : random.range(1, 3));
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
  for (int64_t i = 0; i < layout.numSpatial(); ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t at = layout.spatial(i);
    shape[at] = (shape[at] - reach) / window.strides[i] + 1;
    sizes[at] = windowSize(sizes[at], -reach, window.strides[i]);
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
    lows[at] = b.getIndexAttr(low[i]);
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
  if (elementType.isInteger())
    return b.getI32Type();
  if (elementType.getIntOrFloatBitWidth() == 16 && random.chance(40))
    return b.getF32Type();
  return elementType;
}

//===----------------------------------------------------------------------===//
// Named convolutions
//===----------------------------------------------------------------------===//

namespace {
using ConvBuilder = Operation *(*)(ImplicitLocOpBuilder &, Type, ValueRange,
                                   Value, Attribute, Attribute);
/// Filters: K is where the window's dims are; M multiplies depthwise channels.
struct ConvForm {
  int64_t numSpatial;
  bool channelsLast;
  StringLiteral filter;
  ConvBuilder create;
};
} // namespace

template <typename Op>
static Operation *createConv(ImplicitLocOpBuilder &b, Type type,
                             ValueRange inputs, Value init, Attribute strides,
                             Attribute dilations) {
  return Op::create(b, TypeRange{type}, inputs, ValueRange{init}, strides,
                    dilations);
}

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

static SmallVector<const ConvForm *> findForms(ArrayRef<ConvForm> forms,
                                               Layout layout) {
  SmallVector<const ConvForm *> found;
  for (const ConvForm &form : forms)
    if (form.numSpatial == layout.numSpatial() &&
        form.channelsLast == layout.channelsLast)
      found.push_back(&form);
  return found;
}

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
  bool hasZeroPoints = image.elementType().isInteger(8) && random.chance(40);
  SmallVector<const ConvForm *> forms =
      findForms(hasZeroPoints ? ArrayRef<ConvForm>(kZeroPointConvs)
                              : ArrayRef<ConvForm>(kConvs),
                layout);
  if (forms.empty())
    return genericConv(image, layout);
  const ConvForm &form = *random.pickFrom(forms);
  Window window = this->window(image, layout);
  image =
      pad(image, layout, window.low, window.high, random.chance(90) ? 0 : 1);
  int64_t inputs = image.shape[layout.channel()];
  int64_t outputs =
      random.pick<int64_t>({1, 2, 3, 4, 8, 8, 15, 16, 16, 17, 32});
  Tensor filter =
      parameter(getFilterShape(form.filter, window.kernel, inputs, outputs, 1),
                image.elementType());
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes = windowSizes(image, layout, window, shape);
  shape[layout.channel()] = outputs;
  sizes[layout.channel()] = b.getIndexAttr(outputs);
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
  SmallVector<const ConvForm *> forms = findForms(kDepthwise, layout);
  if (forms.empty())
    return genericConv(image, layout);
  const ConvForm &form = *random.pickFrom(forms);
  bool hasMultiplier = form.filter.contains('M');
  int64_t multiplier = hasMultiplier ? random.range(1, 3) : 1;
  Window window = this->window(image, layout);
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

//===----------------------------------------------------------------------===//
// Generic convolutions
//===----------------------------------------------------------------------===//

/// Grouped or not, with the filter's dims in any order.
Tensor Graph::genericConv(Tensor image, Layout layout) {
  if (image.type().isDynamicDim(unsigned(layout.channel())))
    return {};
  int64_t n = layout.numSpatial();
  int64_t channels = image.shape[layout.channel()];
  SmallVector<int64_t> divisors;
  for (int64_t d = 1; d <= channels; ++d)
    if (channels % d == 0)
      divisors.push_back(d);
  int64_t groups = random.chance(70) ? random.pickFrom(divisors) : 1;
  bool isGrouped = groups > 1 || random.chance(20);
  int64_t inputs = channels / groups;
  int64_t outputs = random.pick<int64_t>({1, 2, 3, 8, 16});
  Window window = this->window(image, layout);
  image = pad(image, layout, window.low, window.high, 0);
  if (isGrouped) {
    // The channels become two dims.
    SmallVector<ReassociationIndices> split;
    for (int64_t dim = 0, to = 0; dim < image.rank(); ++dim) {
      split.push_back({to++});
      if (dim == layout.channel())
        split.back().push_back(to++);
    }
    SmallVector<int64_t> shape = image.shape;
    shape[layout.channel()] = groups;
    shape.insert(shape.begin() + layout.channel() + 1, inputs);
    SmallVector<OpFoldResult> sizes = dims(image);
    sizes[layout.channel()] = b.getIndexAttr(groups);
    sizes.insert(sizes.begin() + layout.channel() + 1, b.getIndexAttr(inputs));
    SmallVector<int64_t> types(image.type().getShape());
    types[layout.channel()] = groups;
    types.insert(types.begin() + layout.channel() + 1, inputs);
    image = result(tensor::ExpandShapeOp::create(
                       b, RankedTensorType::get(types, image.elementType()),
                       image.value, split, sizes),
                   shape);
  }
  // Loops: batch, group, out channel, out spatial…, in channel, window….
  int64_t numLoops = 4 + 2 * n;
  auto d = [&](int64_t dim) { return b.getAffineDimExpr(unsigned(dim)); };
  AffineExpr batch = d(0), group = d(1), out = d(2), in = d(3 + n);
  SmallVector<AffineExpr> spatial, points, kernel;
  for (int64_t i = 0; i < n; ++i) {
    points.push_back(d(3 + i));
    kernel.push_back(d(4 + n + i));
    spatial.push_back(d(3 + i) * window.strides[i] +
                      d(4 + n + i) * window.dilations[i]);
  }
  // A dim of size 1 for the group is left out where there is none.
  auto drop = [&](SmallVector<AffineExpr> exprs) {
    if (!isGrouped)
      llvm::erase(exprs, group);
    return exprs;
  };
  auto arrange = [&](ArrayRef<AffineExpr> channelDims,
                     ArrayRef<AffineExpr> spatialDims, bool last) {
    SmallVector<AffineExpr> exprs{batch};
    if (!last)
      llvm::append_range(exprs, channelDims);
    llvm::append_range(exprs, spatialDims);
    if (last)
      llvm::append_range(exprs, channelDims);
    return drop(exprs);
  };
  bool outLast = random.chance(85) ? layout.channelsLast : random.chance(50);
  SmallVector<AffineExpr> imageExprs =
      arrange({group, in}, spatial, layout.channelsLast);
  SmallVector<AffineExpr> outExprs = arrange({group, out}, points, outLast);
  SmallVector<AffineExpr> filterExprs{group, out, in};
  llvm::append_range(filterExprs, kernel);
  filterExprs = drop(filterExprs);
  for (size_t i = filterExprs.size(); i-- > 1;)
    if (random.chance(50))
      std::swap(filterExprs[i],
                filterExprs[size_t(random.range(0, int64_t(i)))]);
  SmallVector<int64_t> loopSizes(size_t(numLoops), 1);
  SmallVector<OpFoldResult> loopDims(size_t(numLoops), b.getIndexAttr(1));
  auto setLoop = [&](int64_t loop, int64_t size, OpFoldResult dim) {
    loopSizes[loop] = size;
    loopDims[loop] = dim;
  };
  setLoop(0, image.shape[0], dim(image, 0));
  setLoop(1, groups, b.getIndexAttr(groups));
  setLoop(2, outputs, b.getIndexAttr(outputs));
  setLoop(3 + n, inputs, b.getIndexAttr(inputs));
  int64_t firstSpatial = layout.channelsLast ? 1 : (isGrouped ? 3 : 2);
  for (int64_t i = 0; i < n; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t size =
        (image.shape[firstSpatial + i] - reach) / window.strides[i] + 1;
    setLoop(
        3 + i, size,
        windowSize(dim(image, firstSpatial + i), -reach, window.strides[i]));
    setLoop(4 + n + i, window.kernel[i], b.getIndexAttr(window.kernel[i]));
  }
  auto getLoop = [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  };
  SmallVector<int64_t> filterShape, shape;
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : filterExprs)
    filterShape.push_back(loopSizes[getLoop(expr)]);
  for (AffineExpr expr : outExprs) {
    shape.push_back(loopSizes[getLoop(expr)]);
    sizes.push_back(loopDims[getLoop(expr)]);
  }
  int64_t products = 1;
  for (int64_t size : loopSizes)
    products *= size;
  budget -= products;
  if (budget < 0)
    return {};
  Tensor filter = parameter(filterShape, image.elementType());
  Type sumType = accumulator(image.elementType());
  Tensor init = initial(shape, sizes, sumType, -1);
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef<AffineExpr>(imageExprs), ArrayRef<AffineExpr>(filterExprs),
        ArrayRef<AffineExpr>(outExprs)})
    maps.push_back(
        AffineMap::get(unsigned(numLoops), 0, exprs, b.getContext()));
  // Without groups the loop is there, but nothing reads it: take it out.
  if (!isGrouped)
    for (AffineMap &map : maps) {
      SmallVector<AffineExpr> renamed;
      for (int64_t i = 0; i < numLoops; ++i)
        renamed.push_back(d(i > 1 ? i - 1 : i));
      map = map.replaceDimsAndSymbols(renamed, {}, unsigned(numLoops) - 1, 0);
    }
  SmallVector<utils::IteratorType> iterators(size_t(3 + n),
                                             utils::IteratorType::parallel);
  if (!isGrouped)
    iterators.pop_back();
  iterators.append(size_t(1 + n), utils::IteratorType::reduction);
  bool isSwapped = random.chance(20);
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, ValueRange{image.value, filter.value},
      ValueRange{init.value}, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder outer = b;
        b = ImplicitLocOpBuilder(loc, builder);
        Value x = inType(args[0], sumType), w = inType(args[1], sumType);
        if (isSwapped)
          std::swap(x, w);
        Value sum;
        if (isa<FloatType>(sumType)) {
          Value product = arith::MulFOp::create(b, x, w);
          sum = arith::AddFOp::create(b, args[2], product);
        } else {
          Value product = arith::MulIOp::create(b, x, w);
          sum = arith::AddIOp::create(b, args[2], product);
        }
        linalg::YieldOp::create(b, sum);
        b = outer;
      });
  Tensor output = result(op, shape);
  if (!isGrouped)
    return output;
  int64_t at = outLast ? 1 + n : 1;
  SmallVector<ReassociationIndices> join;
  for (int64_t dim = 0; dim < output.rank(); ++dim) {
    if (dim == at + 1)
      join.back().push_back(dim);
    else
      join.push_back({dim});
  }
  shape[at] *= shape[at + 1];
  shape.erase(shape.begin() + at + 1);
  return result(tensor::CollapseShapeOp::create(b, output.value, join), shape);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

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
  Value kernel =
      tensor::EmptyOp::create(b, window.kernel, elementType).getResult();
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
