//===-- FusionInterfaces.td - What every root has in common ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSION_INTERFACES
#define FUSION_INTERFACES

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def FusionRootOpInterface : OpInterface<"FusionRootOpInterface", [DestinationStyleOpInterface]> {
  let cppNamespace = "::mlir::fusion";
  let description = [{
    A root with an epilogue. Fusion rules are written against this interface, so that every present and future root
    has them. The epilogue's block takes the accumulator, one scalar per epilogue operand and, if it reads the
    destination, the init's element; it yields the element that is stored.

    `epilogue_dims` holds, for each epilogue operand, the result dims that index it: operand element
    `[i[dims[0]], i[dims[1]], …]` goes with result element `[i[0], i[1], …]`. A scalar operand has none.
  }];
  let methods = [
    InterfaceMethod<"The epilogue: one block.", "::mlir::Region &", "getEpilogueRegion">,
    InterfaceMethod<"The epilogue's operands, in the order of its block arguments 1, 2, ….",
      "::mlir::MutableOperandRange", "getEpilogueMutable">,
    InterfaceMethod<"One i64 array of result dims per epilogue operand.", "::mlir::ArrayAttr", "getEpilogueDimsAttr">,
    InterfaceMethod<"", "void", "setEpilogueDimsAttr", (ins "::mlir::ArrayAttr":$dims)>,
    InterfaceMethod<"The optional `range(%lo, %hi)` of work units, on memrefs only: empty or two values.",
      "::mlir::MutableOperandRange", "getRangeMutable">,
    InterfaceMethod<"The result dim of the channels (conv, pool) or columns (matmul).", "int64_t", "getChannelDim">,
    InterfaceMethod<"The operand that holds the weights and is linear in the result, or null (pool).",
      "::mlir::OpOperand *", "getWeights">,
    InterfaceMethod<[{The weights' dim that is the result's channel, or -1 where no single dim is (packed, or no weights).}],
      "int64_t", "getWeightsChannelDim">,
    InterfaceMethod<"The input whose spatial dims the root can pad by itself, or null (matmul).",
      "::mlir::OpOperand *", "getPaddedInput">,
    InterfaceMethod<"The dims of the padded input that may be padded, in the order of the pad attributes.",
      "::llvm::SmallVector<int64_t>", "getSpatialDims">,
    InterfaceMethod<[{The value that padding has inside the root (0 for conv and sum, the lowest value for max), or null if
      the root takes no padding or none that an explicit pad could state.}], "::mlir::TypedAttr", "getPaddingValue">,
    InterfaceMethod<"Adds to the root's own padding; both of the length of getSpatialDims().", "void", "addPadding",
      (ins "::llvm::ArrayRef<int64_t>":$low, "::llvm::ArrayRef<int64_t>":$high)>,
    InterfaceMethod<[{Builds the root without epilogue, from linalg ops on tensors, in the accumulator type: a value of the
      result's shape. Fails only where the op's form has no linalg equivalent.}],
      "::llvm::FailureOr<::mlir::Value>", "buildRoot", (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{Replaces the root's own inputs in `tile` (a clone that is not inserted yet) by what the result tile
      needs. Fails where the tile's padding or groups would differ from the whole's.}],
      "::llvm::LogicalResult", "sliceInputs", (ins "::mlir::OpBuilder &":$builder,
        "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets, "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes,
        "::mlir::Operation *":$tile)>
  ];
  let extraSharedClassDeclaration = [{
    /// The destination.
    ::mlir::Value getInitValue() { return $_op.getDpsInitOperand(0)->get(); }
    ::mlir::ShapedType getInitType() { return ::llvm::cast<::mlir::ShapedType>(getInitValue().getType()); }
    ::mlir::Block &getEpilogueBlock() { return $_op.getEpilogueRegion().front(); }
    /// The type the root accumulates in: that of the epilogue's first argument.
    ::mlir::Type getAccumulatorType() { return getEpilogueBlock().getArgument(0).getType(); }
    /// True if the epilogue takes the element that is about to be overwritten (its last argument).
    bool readsInit() {
      return getEpilogueBlock().getNumArguments() == getNumEpilogueOperands() + 2;
    }
    unsigned getNumEpilogueOperands() { return $_op.getEpilogueMutable().size(); }
    ::mlir::Value getEpilogueOperand(unsigned i) { return $_op.getEpilogueMutable()[i].get(); }
    /// The result dims that index epilogue operand `i`.
    ::llvm::ArrayRef<int64_t> getEpilogueOperandDims(unsigned i) {
      return ::llvm::cast<::mlir::DenseI64ArrayAttr>($_op.getEpilogueDimsAttr()[i]).asArrayRef();
    }
    /// The block argument that epilogue operand `i` feeds.
    ::mlir::BlockArgument getEpilogueArgument(unsigned i) { return getEpilogueBlock().getArgument(i + 1); }
    /// True if epilogue operand `i` has one element per result element, at the same place.
    bool isIdentityEpilogueOperand(unsigned i) {
      ::llvm::ArrayRef<int64_t> dims = getEpilogueOperandDims(i);
      return static_cast<int64_t>(dims.size()) == getInitType().getRank() && ::llvm::equal(dims, ::llvm::seq<int64_t>(0, dims.size()));
    }
    /// What the epilogue yields.
    ::mlir::Value getEpilogueYield() { return getEpilogueBlock().getTerminator()->getOperand(0); }
    /// True if the epilogue stores the accumulator as it is.
    bool hasIdentityEpilogue() { return getEpilogueYield() == getEpilogueBlock().getArgument(0); }
  }];
}

#endif // FUSION_INTERFACES
