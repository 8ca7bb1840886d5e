//===-- FusionRoot.h - What all roots share, behind their .td ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the methods that FusionOps.td generates for every root. Private to
// the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_DIALECT_FUSIONROOT_H
#define FUSIONDIALECT_LIB_DIALECT_FUSIONROOT_H

#include "FusionDialect/Dialect/Fusion.h"

namespace mlir::fusion::roots {

// FusionRoot.cpp
/// For builders: a root on tensors has a result of its init's type.
SmallVector<Type> getResultTypes(Value init);
/// For builders: the region with the identity epilogue of `type`.
void addIdentityEpilogue(OpBuilder &builder, OperationState &state, Type type);
/// Relations between operands, results and epilogue_dims that every root has.
LogicalResult verifyRoot(FusionRootOpInterface root);
/// The epilogue's arguments, ops and yield.
LogicalResult verifyEpilogue(FusionRootOpInterface root);
void getRootEffects(FusionRootOpInterface root,
                    SmallVectorImpl<MemoryEffects::EffectInstance> &effects);
LogicalResult reifyRootShapes(FusionRootOpInterface root, OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes);

// FusionWindow.cpp, for roots that move a window over an image
/// An image's channel dim, and its first spatial dim.
int64_t getImageChannelDim(ImageLayout layout, int64_t rank);
int64_t getImageSpatialStart(ImageLayout layout);
SmallVector<int64_t> getImageSpatialDims(ImageLayout layout, int64_t rank);
/// For builders: `given`, or `count` times `value` if it is empty.
SmallVector<int64_t> orDefault(ArrayRef<int64_t> given, int64_t count,
                               int64_t value);
/// True if all of `values` are `to`.
bool allEqual(ArrayRef<int64_t> values, int64_t to);
bool hasPadding(ArrayRef<int64_t> low, ArrayRef<int64_t> high);
/// The pads of a root and of a pad before it, together.
SmallVector<int64_t> addPads(ArrayRef<int64_t> pads, ArrayRef<int64_t> more);
/// An input of rank 3 to 5 and an init of the same rank.
LogicalResult verifyImageRanks(Operation *op, ShapedType input,
                               ShapedType init);
/// `values` of attribute `name`: `count` of them, each at least `least`.
LogicalResult verifyWindow(Operation *op, StringRef name,
                           ArrayRef<int64_t> values, int64_t count,
                           int64_t least);
/// The size of result dim `dim` of a windowed op; dynamic sizes are accepted.
LogicalResult verifyWindowedSize(Operation *op, int64_t dim, int64_t input,
                                 int64_t window, int64_t stride,
                                 int64_t dilation, int64_t low, int64_t high,
                                 int64_t output);
/// Strides, dilations and pads of `op`, one for each of `count` spatial dims.
template <typename OpTy>
LogicalResult verifyWindows(OpTy op, int64_t count) {
  return success(
      succeeded(verifyWindow(op, "strides", op.getStrides(), count, 1)) &&
      succeeded(verifyWindow(op, "dilations", op.getDilations(), count, 1)) &&
      succeeded(verifyWindow(op, "pad_low", op.getPadLow(), count, 0)) &&
      succeeded(verifyWindow(op, "pad_high", op.getPadHigh(), count, 0)));
}

// FusionConvolution.cpp, for convolutions and their transposes
FilterDims getFilterDims(FilterLayout layout, int64_t rank);
/// Groups that divide the channels, and a filter that has as many of them.
LogicalResult verifyFilterChannels(Operation *op, FilterLayout layout,
                                   ShapedType filter, int64_t groups,
                                   int64_t inputChannels,
                                   int64_t outputChannels);
LogicalResult verifyBatch(Operation *op, ShapedType input, ShapedType init);
/// A sum of products over windows of `input`, which has all that they reach.
struct Convolution {
  Value input, filter;
  FilterDims filterDims;
  int64_t groups;
  ImageLayout inputLayout, outputLayout;
  SmallVector<int64_t> strides, dilations;
  /// The filter's last tap meets the window's first element.
  bool flipped;
};
/// As a linalg.generic on a zero-filled tensor of the accumulator's type.
Value buildConvolution(OpBuilder &builder, FusionRootOpInterface root,
                       Convolution conv);

// FusionAssembly.cpp
/// `NAME ins(…) outs(…) {attributes} epilogue(…) {…} range(…) -> type`;
/// `numInputs` own inputs come before the epilogue's.
ParseResult parseRoot(OpAsmParser &parser, OperationState &result,
                      unsigned numInputs, bool hasKind);
void printRoot(FusionRootOpInterface root, OpAsmPrinter &printer);

// FusionTiling.cpp
SmallVector<utils::IteratorType>
getRootIteratorTypes(FusionRootOpInterface root);
SmallVector<Range> getRootIterationDomain(FusionRootOpInterface root,
                                          OpBuilder &builder);
FailureOr<TilingResult> tileRoot(FusionRootOpInterface root, OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes);

// FusionBufferize.cpp
bool rootAccessesElementwise(FusionRootOpInterface root,
                             ArrayRef<OpOperand *> operands);
bufferization::AliasingValueList
getRootAliasingValues(FusionRootOpInterface root, OpOperand &operand);
/// True if two tensors are computed in slices of one, which have no element in
/// common: parts of a concatenation.
bool areApart(Value a, Value b);
LogicalResult bufferizeRoot(FusionRootOpInterface root, RewriterBase &rewriter,
                            const bufferization::BufferizationOptions &options,
                            bufferization::BufferizationState &state);

// FusionDecompose.cpp
/// `input` padded by zero or `value` in `dims`; itself where all pads are 0.
Value padInput(OpBuilder &builder, Location loc, Value input,
               ArrayRef<int64_t> dims, ArrayRef<int64_t> low,
               ArrayRef<int64_t> high, TypedAttr value);
/// A new tensor of the root's result shape and accumulator type, filled with
/// `value`.
Value createFilled(OpBuilder &builder, FusionRootOpInterface root,
                   TypedAttr value);
/// `acc + lhs * rhs` in acc's type.
Value createMultiplyAdd(OpBuilder &builder, Location loc, Value acc, Value lhs,
                        Value rhs);

// FusionTiling.cpp
Value extractSlice(OpBuilder &builder, Location loc, Value source,
                   ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes);

} // namespace mlir::fusion::roots

#endif // FUSIONDIALECT_LIB_DIALECT_FUSIONROOT_H
