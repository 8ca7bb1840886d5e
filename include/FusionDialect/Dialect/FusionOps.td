//===-- FusionOps.td - Roots and the yield of their epilogues --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSION_OPS
#define FUSION_OPS

include "FusionDialect/Dialect/FusionEnums.td"
include "FusionDialect/Dialect/FusionInterfaces.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Fusion_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or strided memref", "::mlir::ShapedType">;
def Fusion_DimsArrayAttr : TypedArrayAttrBase<DenseI64ArrayAttr, "array of i64 arrays">;

class Fusion_Op<string mnemonic, list<Trait> traits = []> : Op<Fusion_Dialect, mnemonic, traits>;

/// A root states its operands, attributes and own relations; the rest is shared (lib/Dialect/FusionRoot*.cpp).
class Fusion_RootOp<string mnemonic, list<Trait> traits = []> : Fusion_Op<mnemonic, traits # [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock, DestinationStyleOpInterface,
    FusionRootOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain",
      "getTiledImplementation", "getResultTilePosition", "generateResultTileValue"]>,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface, ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
      "bufferizesToElementwiseAccess", "getAliasingValues", "isNotConflicting", "bufferize"]>]> {
  let results = (outs Variadic<AnyRankedTensor>:$result_tensors);
  let regions = (region SizedRegion<1>:$epilogue_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;

  // What TableGen does not generate of FusionRootOpInterface and DestinationStyleOpInterface.
  code sharedDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    int64_t getChannelDim();
    ::mlir::OpOperand *getWeights();
    int64_t getWeightsChannelDim();
    ::mlir::OpOperand *getPaddedInput();
    ::llvm::SmallVector<int64_t> getSpatialDims();
    ::mlir::TypedAttr getPaddingValue();
    void addPadding(::llvm::ArrayRef<int64_t> low, ::llvm::ArrayRef<int64_t> high);
    ::llvm::FailureOr<::mlir::Value> buildRoot(::mlir::OpBuilder &builder);
    ::llvm::LogicalResult sliceInputs(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes, ::mlir::Operation *tile);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifyRegions() { return roots::verifyEpilogue(*this); }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      roots::getRootEffects(*this, effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return hasPureTensorSemantics() ? ::mlir::Speculation::RecursivelySpeculatable
                                      : ::mlir::Speculation::NotSpeculatable;
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType> $cppClass::getLoopIteratorTypes() {
      return roots::getRootIteratorTypes(*this);
    }
    ::llvm::SmallVector<::mlir::Range> $cppClass::getIterationDomain(::mlir::OpBuilder &builder) {
      return roots::getRootIterationDomain(*this, builder);
    }
    ::llvm::FailureOr<::mlir::TilingResult> $cppClass::getTiledImplementation(::mlir::OpBuilder &builder,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets, ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return roots::tileRoot(*this, builder, offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getResultTilePosition(::mlir::OpBuilder &, unsigned,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets, ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultOffsets,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultSizes) {
      resultOffsets.assign(offsets.begin(), offsets.end());
      resultSizes.assign(sizes.begin(), sizes.end());
      return ::mlir::success();
    }
    ::llvm::FailureOr<::mlir::TilingResult> $cppClass::generateResultTileValue(::mlir::OpBuilder &builder, unsigned,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets, ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return roots::tileRoot(*this, builder, offsets, sizes);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::decomposeOperation(::mlir::OpBuilder &builder) {
      return decomposeRoot(builder, *this);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return roots::reifyRootShapes(*this, builder, shapes);
    }
    bool $cppClass::bufferizesToMemoryRead(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return !isDpsInit(&operand) || ::llvm::cast<FusionRootOpInterface>(getOperation()).readsInit();
    }
    bool $cppClass::bufferizesToMemoryWrite(::mlir::OpOperand &operand, const ::mlir::bufferization::AnalysisState &) {
      return isDpsInit(&operand);
    }
    bool $cppClass::bufferizesToElementwiseAccess(const ::mlir::bufferization::AnalysisState &,
        ::llvm::ArrayRef<::mlir::OpOperand *> operands) {
      return roots::rootAccessesElementwise(*this, operands);
    }
    ::mlir::bufferization::AliasingValueList $cppClass::getAliasingValues(::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &) {
      return roots::getRootAliasingValues(*this, operand);
    }
    bool $cppClass::isNotConflicting(::mlir::OpOperand *read, ::mlir::OpOperand *write,
        const ::mlir::bufferization::AnalysisState &) {
      return roots::areApart(read->get(), write->get());
    }
    ::llvm::LogicalResult $cppClass::bufferize(::mlir::RewriterBase &rewriter,
        const ::mlir::bufferization::BufferizationOptions &options, ::mlir::bufferization::BufferizationState &state) {
      return roots::bufferizeRoot(*this, rewriter, options, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { roots::printRoot(*this, printer); }
  }];
}

def Fusion_ConvOp : Fusion_RootOp<"conv"> {
  let summary = "Convolution with an epilogue";
  let description = [{
    A convolution (cross-correlation) whose finished elements pass through the epilogue before they are stored.
    The init is only the destination, unless the epilogue takes its element as last argument (`init %d: f32`).

    Shapes, with N batch, C input channels, O output channels, S spatial dims (one to three), G groups:
    input `[N, C, S…]` (`channels_first`) or `[N, S…, C]` (`channels_last`); init likewise with O, by `output_layout`;
    filter `[O, C/G, K…]` (`out_in_spatial`), `[K…, C/G, O]` (`spatial_in_out`), `[O, K…, C/G]` (`out_spatial_in`) or
    `[G * ceil(O/G / B), K…, C/G, B]` (`packed`: B output channels together, the last block of each group zero-filled).
    A filter with C/G = 1 and O = C = G is depthwise.

    Result size: `(S + pad_low + pad_high - dilation * (K - 1) - 1) / stride + 1`, rounded down; padding is zero.
    Attributes at their defaults (strides and dilations 1, pads 0, groups 1, `channels_first`, `out_in_spatial`) are
    not printed.

    Meaning: a `linalg.generic` that sums the products into a zero-filled tensor of the accumulator's type (the type
    of the epilogue's first argument), then one that applies the epilogue.

    Example:

    ```mlir
    %0 = fusion.conv ins(%x, %w : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) outs(%init : tensor<1x64x56x56xf32>)
      {pad_low = [1, 1], pad_high = [1, 1]}
      epilogue(%acc: f32, %b = %bias[1] : tensor<64xf32>, %r = %res[0, 1, 2, 3] : tensor<1x64x56x56xf32>) {
        %s = arith.addf %acc, %b : f32
        %t = arith.addf %s, %r : f32
        fusion.yield %t : f32
    } -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Fusion_Shaped:$input, Fusion_Shaped:$filter, Variadic<AnyType>:$epilogue, Fusion_Shaped:$init,
    Variadic<Index>:$range,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedAttr<Fusion_ImageLayoutAttr, "::mlir::fusion::ImageLayout::ChannelsFirst">:$input_layout,
    DefaultValuedAttr<Fusion_ImageLayoutAttr, "::mlir::fusion::ImageLayout::ChannelsFirst">:$output_layout,
    DefaultValuedAttr<Fusion_FilterLayoutAttr, "::mlir::fusion::FilterLayout::OutInSpatial">:$filter_layout,
    OptionalAttr<Fusion_AlgorithmAttr>:$algorithm, Fusion_DimsArrayAttr:$epilogue_dims);
  let builders = [
    /// The identity epilogue. Empty arrays of strides, dilations and pads mean their defaults.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$filter, "::mlir::Value":$init,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$dilations,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padLow, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padHigh,
      CArg<"int64_t", "1">:$groups, CArg<"::mlir::fusion::ImageLayout", "::mlir::fusion::ImageLayout::ChannelsFirst">:$layout,
      CArg<"::mlir::fusion::FilterLayout", "::mlir::fusion::FilterLayout::OutInSpatial">:$filterLayout)>
  ];
  let extraClassDeclaration = sharedDeclaration # [{
    int64_t getNumSpatialDims() { return getInput().getType().getRank() - 2; }
    /// Sizes by name, whatever the layouts; kDynamic where not known.
    int64_t getInputChannels();
    int64_t getOutputChannels();
    /// The filter's spatial sizes.
    ::llvm::SmallVector<int64_t> getKernelSizes();
    FilterDims getFilterDims();
    /// True if every channel has a filter of its own: C/G = 1 and O = C = G.
    bool isDepthwise();
    /// True if the filter is 1 x 1 with stride 1 and without padding: a matrix product over the pixels.
    bool isPointwise();
    bool hasPadding();
  }];
}

def Fusion_ConvTransposeOp : Fusion_RootOp<"conv_transpose"> {
  let summary = "Transposed convolution with an epilogue";
  let description = [{
    The transpose of a convolution: each input element adds its products with the filter to the result, `stride` apart;
    finished elements pass through the epilogue before they are stored.

    Layouts are those of `fusion.conv`: input `[N, C, S…]`, init `[N, O, S…]`, filter `[O, C/G, K…]`, which is not flipped,
    or their other orders (no `packed`).

    Input position i and filter position k meet result position `i * stride + dilation * k - pad_low`; the pads cut the
    result, `output_padding` adds elements at its high end. Result size:
    `(S - 1) * stride + dilation * (K - 1) + 1 + output_padding - pad_low - pad_high`. A result element that nothing meets
    is the epilogue of zero. Attributes at their defaults are not printed.

    Meaning: zeros between the input's elements and around them, then a `linalg.generic` as of a convolution with the
    flipped filter, then one that applies the epilogue. `fusion-plan` computes it without those zeros: one `fusion.conv`
    for each phase of the strides.

    Example:

    ```mlir
    %0 = fusion.conv_transpose ins(%x, %w : tensor<1x16x8x8xf32>, tensor<4x16x3x3xf32>) outs(%init : tensor<1x4x16x16xf32>)
      {strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1], output_padding = [1, 1]}
      epilogue(%acc: f32, %b = %bias[1] : tensor<4xf32>) {
        %s = arith.addf %acc, %b : f32
        fusion.yield %s : f32
    } -> tensor<1x4x16x16xf32>
    ```
  }];
  let arguments = (ins Fusion_Shaped:$input, Fusion_Shaped:$filter, Variadic<AnyType>:$epilogue, Fusion_Shaped:$init,
    Variadic<Index>:$range,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
    DenseI64ArrayAttr:$output_padding, DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedAttr<Fusion_ImageLayoutAttr, "::mlir::fusion::ImageLayout::ChannelsFirst">:$input_layout,
    DefaultValuedAttr<Fusion_ImageLayoutAttr, "::mlir::fusion::ImageLayout::ChannelsFirst">:$output_layout,
    DefaultValuedAttr<Fusion_FilterLayoutAttr, "::mlir::fusion::FilterLayout::OutInSpatial">:$filter_layout,
    Fusion_DimsArrayAttr:$epilogue_dims);
  let builders = [
    /// The identity epilogue. Empty arrays mean their defaults.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$filter, "::mlir::Value":$init,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$dilations,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padLow, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padHigh,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$outputPadding, CArg<"int64_t", "1">:$groups,
      CArg<"::mlir::fusion::ImageLayout", "::mlir::fusion::ImageLayout::ChannelsFirst">:$layout,
      CArg<"::mlir::fusion::FilterLayout", "::mlir::fusion::FilterLayout::OutInSpatial">:$filterLayout)>
  ];
  let extraClassDeclaration = sharedDeclaration # [{
    int64_t getNumSpatialDims() { return getInput().getType().getRank() - 2; }
    /// Sizes by name, whatever the layouts; kDynamic where not known.
    int64_t getInputChannels();
    int64_t getOutputChannels();
    /// The filter's spatial sizes.
    ::llvm::SmallVector<int64_t> getKernelSizes();
    FilterDims getFilterDims();
    /// True if every channel has a filter of its own: C/G = 1 and O = C = G.
    bool isDepthwise();
  }];
}

def Fusion_MatmulOp : Fusion_RootOp<"matmul"> {
  let summary = "Matrix product with an epilogue";
  let description = [{
    A matrix product whose finished elements pass through the epilogue before they are stored.

    Shapes: lhs `[B…, M, K]` (`[B…, K, M]` with `transpose_lhs`), rhs `[B…, K, N]` (`[B…, N, K]` with `transpose_rhs`, or
    `[ceil(N / P), K, P]` with `rhs_layout = packed`: P columns together, the last block zero-filled), init `[B…, M, N]`.
    Batch dims broadcast: an operand may have fewer of them than the init (leading ones are missing) or size 1.

    Meaning: a `linalg.generic` that sums the products into a zero-filled tensor of the accumulator's type, then one
    that applies the epilogue.

    Example:

    ```mlir
    %0 = fusion.matmul ins(%x, %w : tensor<4x32xf32>, tensor<10x32xf32>) outs(%init : tensor<4x10xf32>) {transpose_rhs}
      epilogue(%acc: f32, %b = %bias[1] : tensor<10xf32>) {
        %s = arith.addf %acc, %b : f32
        fusion.yield %s : f32
    } -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Fusion_Shaped:$lhs, Fusion_Shaped:$rhs, Variadic<AnyType>:$epilogue, Fusion_Shaped:$init,
    Variadic<Index>:$range, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
    DefaultValuedAttr<Fusion_MatrixLayoutAttr, "::mlir::fusion::MatrixLayout::Plain">:$rhs_layout,
    Fusion_DimsArrayAttr:$epilogue_dims);
  let builders = [
    /// The identity epilogue.
    OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$init,
      CArg<"bool", "false">:$transposeLhs, CArg<"bool", "false">:$transposeRhs,
      CArg<"::mlir::fusion::MatrixLayout", "::mlir::fusion::MatrixLayout::Plain">:$rhsLayout)>
  ];
  let extraClassDeclaration = sharedDeclaration # [{
    /// Sizes by name; kDynamic where not known. K is the lhs's.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    int64_t getNumBatchDims() { return getInit().getType().getRank() - 2; }
  }];
}

def Fusion_PoolOp : Fusion_RootOp<"pool"> {
  let summary = "Pooling with an epilogue";
  let description = [{
    The maximum, minimum, sum or average of each window, passed through the epilogue before it is stored. A global pool
    has a window of the whole image.

    Shapes: input `[N, C, S…]` (`channels_first`) or `[N, S…, C]` (`channels_last`), init likewise; the window has one size
    per spatial dim. Result size as in `fusion.conv`. A padded element is the lowest value for `max` (as is the maximum of
    a window that holds nothing else), the highest for `min`, and 0 for `sum` and `average`; an average divides by the
    number of elements that are no padding (0 / 0 if there are none), with `count_include_pad` by the size of the window.
    `max` and `min` propagate NaN and order integers as signed ones; `max_unsigned` and `min_unsigned`, of integers only,
    as unsigned ones.

    Meaning: a `linalg.generic` over the padded input, for averages one that divides, then one that applies the epilogue.

    Example:

    ```mlir
    %0 = fusion.pool max ins(%x : tensor<1x8x7x7xf32>) outs(%init : tensor<1x8x4x4xf32>)
      {window = [3, 3], strides = [2, 2], pad_low = [1, 1], pad_high = [1, 1]} -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Fusion_Shaped:$input, Variadic<AnyType>:$epilogue, Fusion_Shaped:$init, Variadic<Index>:$range,
    Fusion_PoolKindAttr:$kind, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, UnitAttr:$count_include_pad,
    DefaultValuedAttr<Fusion_ImageLayoutAttr, "::mlir::fusion::ImageLayout::ChannelsFirst">:$layout,
    Fusion_DimsArrayAttr:$epilogue_dims);
  let builders = [
    /// The identity epilogue. Empty arrays of strides, dilations and pads mean their defaults.
    OpBuilder<(ins "::mlir::fusion::PoolKind":$kind, "::mlir::Value":$input, "::mlir::Value":$init,
      "::llvm::ArrayRef<int64_t>":$window, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$dilations, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padLow,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$padHigh, CArg<"bool", "false">:$countIncludePad,
      CArg<"::mlir::fusion::ImageLayout", "::mlir::fusion::ImageLayout::ChannelsFirst">:$layout)>
  ];
  let extraClassDeclaration = sharedDeclaration # [{
    int64_t getNumSpatialDims() { return getInput().getType().getRank() - 2; }
    bool hasPadding();
  }];
}

def Fusion_YieldOp : Fusion_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["ConvOp", "ConvTransposeOp", "MatmulOp", "PoolOp"]>]> {
  let summary = "Ends an epilogue";
  let description = [{
    Yields the element that the root stores.

    Example:

    ```mlir
    fusion.yield %t : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // FUSION_OPS
