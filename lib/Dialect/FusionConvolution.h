//===-- FusionConvolution.h - Convolutions and their transposes -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the methods of fusion.conv and fusion.conv_transpose, which name
// the dims of images and filters alike.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_DIALECT_FUSIONCONVOLUTION_H
#define FUSIONDIALECT_LIB_DIALECT_FUSIONCONVOLUTION_H

#include "FusionRoot.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fusion::roots {

template <typename OpTy>
int64_t getInputChannels(OpTy op) {
  ShapedType type = op.getInput().getType();
  return type.getDimSize(
      getImageChannelDim(op.getInputLayout(), type.getRank()));
}

template <typename OpTy>
SmallVector<int64_t> getKernelSizes(OpTy op) {
  return llvm::to_vector(op.getFilter().getType().getShape().slice(
      op.getFilterDims().spatial, op.getNumSpatialDims()));
}

template <typename OpTy>
bool isDepthwise(OpTy op) {
  int64_t groups = op.getGroups();
  return op.getFilter().getType().getDimSize(op.getFilterDims().in) == 1 &&
         op.getInputChannels() == groups && op.getOutputChannels() == groups;
}

/// What a tile reads of the image and the filter.
template <typename OpTy>
class InputSlices {
public:
  InputSlices(OpBuilder &builder, OpTy op)
      : sizes(tensor::getMixedSizes(builder, op.getLoc(), op.getInput())),
        offsets(sizes.size(), builder.getIndexAttr(0)), op(op),
        filterSizes(
            tensor::getMixedSizes(builder, op.getLoc(), op.getFilter())),
        filterOffsets(filterSizes.size(), builder.getIndexAttr(0)) {}

  /// Cuts batch and channels as the tile of the result has them. Fails for what
  /// is no convolution again: a tile of blocks of packed channels, and of one
  /// with groups, except for depthwise: as many as it has channels.
  LogicalResult cutChannels(OpTy tiled, OpFoldResult initChannels,
                            ArrayRef<OpFoldResult> tileOffsets,
                            ArrayRef<OpFoldResult> tileSizes) {
    offsets[0] = tileOffsets[0];
    sizes[0] = tileSizes[0];
    FilterDims dims = op.getFilterDims();
    int64_t channel = op.getChannelDim();
    if (isEqualConstantIntOrValue(tileSizes[channel], initChannels))
      return success();
    if (dims.out < 0)
      return failure();
    filterOffsets[dims.out] = tileOffsets[channel];
    filterSizes[dims.out] = tileSizes[channel];
    if (op.getGroups() == 1)
      return success();
    std::optional<int64_t> channels = getConstantIntValue(tileSizes[channel]);
    if (!channels || !op.isDepthwise())
      return failure();
    int64_t inputChannel =
        getImageChannelDim(op.getInputLayout(), sizes.size());
    offsets[inputChannel] = tileOffsets[channel];
    sizes[inputChannel] = tileSizes[channel];
    tiled.setGroups(*channels);
    return success();
  }

  /// Gives `tiled` the slices.
  void assignTo(OpBuilder &builder, OpTy tiled) {
    Location loc = op.getLoc();
    tiled.getInputMutable().assign(
        extractSlice(builder, loc, op.getInput(), offsets, sizes));
    tiled.getFilterMutable().assign(
        extractSlice(builder, loc, op.getFilter(), filterOffsets, filterSizes));
  }

  /// Of the image.
  SmallVector<OpFoldResult> sizes, offsets;

private:
  OpTy op;
  SmallVector<OpFoldResult> filterSizes, filterOffsets;
};

} // namespace mlir::fusion::roots

#endif // FUSIONDIALECT_LIB_DIALECT_FUSIONCONVOLUTION_H
