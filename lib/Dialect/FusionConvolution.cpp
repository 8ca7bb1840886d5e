//===-- FusionConvolution.cpp - Convolutions and their transposes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fusion.conv and fusion.conv_transpose share: the dims of filters, the
// relations of channels, and the linalg.generic that both mean.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

using utils::IteratorType;

FilterDims roots::getFilterDims(FilterLayout layout, int64_t rank) {
  switch (layout) {
  case FilterLayout::OutInSpatial:
    return {0, 1, 2};
  case FilterLayout::SpatialInOut:
    return {rank - 1, rank - 2, 0};
  case FilterLayout::OutSpatialIn:
    return {0, rank - 1, 1};
  case FilterLayout::Packed:
    return {-1, rank - 2, 1};
  }
  llvm_unreachable("unknown filter layout");
}

LogicalResult roots::verifyFilterChannels(Operation *op, FilterLayout layout,
                                          ShapedType filter, int64_t groups,
                                          int64_t inputChannels,
                                          int64_t outputChannels) {
  if (groups < 1)
    return op->emitOpError("expected at least 1 group, got ") << groups;
  int64_t rank = filter.getRank();
  FilterDims dims = getFilterDims(layout, rank);
  int64_t perGroup = filter.getDimSize(dims.in);
  if (!ShapedType::isDynamic(inputChannels)) {
    if (inputChannels % groups != 0)
      return op->emitOpError("expected input channels that ")
             << groups << " groups divide, got " << inputChannels;
    if (!ShapedType::isDynamic(perGroup) && perGroup != inputChannels / groups)
      return op->emitOpError("expected ")
             << inputChannels / groups << " filter input channels, got "
             << perGroup;
  }
  if (!ShapedType::isDynamic(outputChannels) && outputChannels % groups != 0)
    return op->emitOpError("expected output channels that ")
           << groups << " groups divide, got " << outputChannels;
  if (layout == FilterLayout::Packed) {
    int64_t block = filter.getDimSize(rank - 1), blocks = filter.getDimSize(0);
    if (block < 1)
      return op->emitOpError("expected a static block of output channels, got ")
             << filter;
    if (!ShapedType::isDynamic(outputChannels) &&
        !ShapedType::isDynamic(blocks)) {
      int64_t want = groups * llvm::divideCeil(outputChannels / groups, block);
      if (blocks != want)
        return op->emitOpError("expected ")
               << want << " blocks of output channels, got " << blocks;
    }
  } else if (int64_t got = filter.getDimSize(dims.out);
             !ShapedType::isDynamic(got) &&
             !ShapedType::isDynamic(outputChannels) && got != outputChannels) {
    return op->emitOpError("expected ")
           << outputChannels << " filter output channels, got " << got;
  }
  return success();
}

LogicalResult roots::verifyBatch(Operation *op, ShapedType input,
                                 ShapedType init) {
  int64_t in = input.getDimSize(0), out = init.getDimSize(0);
  if (!ShapedType::isDynamic(in) && !ShapedType::isDynamic(out) && in != out)
    return op->emitOpError("expected batch size ") << in << ", got " << out;
  return success();
}

/// Splits dim `dim` of `value` into (groups, the rest).
static Value splitDim(OpBuilder &builder, Location loc, Value value,
                      int64_t dim, int64_t groups) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[dim]))
    shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  SmallVector<ReassociationIndices> groupsOfDims;
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
    groupsOfDims.push_back({next++});
    if (i == dim)
      groupsOfDims.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groupsOfDims);
}

Value roots::buildConvolution(OpBuilder &builder, FusionRootOpInterface root,
                              Convolution conv) {
  Location loc = root.getLoc();
  ShapedType initType = root.getInitType();
  int64_t rank = initType.getRank(), spatial = rank - 2;
  int64_t inputChannel = getImageChannelDim(conv.inputLayout, rank);
  int64_t outputChannel = getImageChannelDim(conv.outputLayout, rank);
  FilterDims filterDims = conv.filterDims;
  Value acc = createFilled(builder, root,
                           builder.getZeroAttr(root.getAccumulatorType()));
  SmallVector<int64_t> kernel(cast<ShapedType>(conv.filter.getType())
                                  .getShape()
                                  .slice(filterDims.spatial, spatial));
  bool grouped = conv.groups != 1;
  if (grouped) {
    conv.input = splitDim(builder, loc, conv.input, inputChannel, conv.groups);
    conv.filter =
        splitDim(builder, loc, conv.filter, filterDims.out, conv.groups);
    acc = splitDim(builder, loc, acc, outputChannel, conv.groups);
  }

  // Loops: batch, (group), output channel, output position…, input channel,
  // filter position….
  MLIRContext *context = root.getContext();
  unsigned next = 0;
  auto newDim = [&] { return getAffineDimExpr(next++, context); };
  AffineExpr batch = newDim();
  AffineExpr group = grouped ? newDim() : AffineExpr();
  AffineExpr out = newDim();
  SmallVector<AffineExpr> outputAt, inputAt, filterAt;
  for (int64_t i = 0; i < spatial; ++i)
    outputAt.push_back(newDim());
  unsigned numParallel = next;
  AffineExpr in = newDim();
  for (int64_t i = 0; i < spatial; ++i) {
    filterAt.push_back(newDim());
    AffineExpr tap = conv.flipped ? kernel[i] - 1 - filterAt[i] : filterAt[i];
    inputAt.push_back(outputAt[i] * conv.strides[i] + tap * conv.dilations[i]);
  }

  auto imageMap = [&](ImageLayout layout, AffineExpr channel,
                      ArrayRef<AffineExpr> positions) {
    SmallVector<AffineExpr> channels, results{batch};
    if (grouped)
      channels.push_back(group);
    channels.push_back(channel);
    if (layout == ImageLayout::ChannelsFirst)
      results.append(channels);
    results.append(positions.begin(), positions.end());
    if (layout == ImageLayout::ChannelsLast)
      results.append(channels);
    return AffineMap::get(next, 0, results, context);
  };
  SmallVector<AffineExpr> filterResults(rank);
  filterResults[filterDims.out] = out;
  filterResults[filterDims.in] = in;
  llvm::copy(filterAt, filterResults.begin() + filterDims.spatial);
  if (grouped)
    filterResults.insert(filterResults.begin() + filterDims.out, group);

  SmallVector<AffineMap> maps{imageMap(conv.inputLayout, in, inputAt),
                              AffineMap::get(next, 0, filterResults, context),
                              imageMap(conv.outputLayout, out, outputAt)};
  SmallVector<IteratorType> iterators(next, IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, IteratorType::parallel);
  Value result = linalg::GenericOp::create(
                     builder, loc, acc.getType(),
                     ValueRange{conv.input, conv.filter}, acc, maps, iterators,
                     [](OpBuilder &nested, Location bodyLoc, ValueRange args) {
                       Value sum = createMultiplyAdd(nested, bodyLoc, args[2],
                                                     args[0], args[1]);
                       linalg::YieldOp::create(nested, bodyLoc, sum);
                     })
                     .getResult(0);
  if (!grouped)
    return result;
  SmallVector<ReassociationIndices> merge;
  for (int64_t i = 0, position = 0; i < rank; ++i) {
    merge.push_back({position++});
    if (i == outputChannel)
      merge.back().push_back(position++);
  }
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get(initType.getShape(), root.getAccumulatorType()),
      result, merge);
}
