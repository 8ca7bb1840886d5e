//===-- GraphGenericConv.cpp - Random generic convolutions ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grouped or not, with the dims of operands in any order.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

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
  bool isLoose = random.chance(image.isStatic() ? 3 : 12);
  for (int64_t i = 0; i < n; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1, count;
    OpFoldResult stated =
        windowCount(dim(image, firstSpatial + i), image.shape[firstSpatial + i],
                    reach, window.strides[i], isLoose, count);
    setLoop(3 + i, count, stated);
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
