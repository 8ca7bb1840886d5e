//===-- FusionRoot.cpp - Verification and effects shared by roots ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the generated methods of every root call.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

SmallVector<Type> roots::getResultTypes(Value init) {
  if (isa<RankedTensorType>(init.getType()))
    return {init.getType()};
  return {};
}

void roots::addIdentityEpilogue(OpBuilder &builder, OperationState &state,
                                Type type) {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = state.regions.front().get();
  Block *block = builder.createBlock(region, {}, type, state.location);
  YieldOp::create(builder, state.location, block->getArgument(0));
}

/// True for what arith computes with.
static bool isNumber(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

/// The operands of a root are inputs, the epilogue's, the init and the range's.
/// TableGen does not look at how many an attribute claims are the inputs or the
/// init, of which there is one each.
static LogicalResult verifySegments(FusionRootOpInterface root) {
  auto attr = dyn_cast_or_null<DenseI32ArrayAttr>(
      root->getInherentAttr("operandSegmentSizes").value_or(Attribute()));
  ArrayRef<int32_t> sizes = attr ? attr.asArrayRef() : ArrayRef<int32_t>();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1 && i + 3 != sizes.size() && i + 1 != sizes.size())
      return root->emitOpError("expected one operand in segment ")
             << i << " of operandSegmentSizes, got " << size;
  return success();
}

LogicalResult roots::verifyRoot(FusionRootOpInterface root) {
  if (failed(verifySegments(root)))
    return failure();
  ShapedType init = root.getInitType();
  bool onMemRefs = isa<MemRefType>(init);
  unsigned numResults = root->getNumResults();
  if (numResults != (onMemRefs ? 0u : 1u))
    return root->emitOpError("expected ")
           << (onMemRefs ? "no result for a memref init"
                         : "one result for a tensor init")
           << ", got " << numResults;
  if (!onMemRefs && root->getResult(0).getType() != init)
    return root->emitOpError("expected a result of the init's type ")
           << init << ", got " << root->getResult(0).getType();
  for (Value operand : root->getOperands())
    if (isa<ShapedType>(operand.getType()) &&
        isa<MemRefType>(operand.getType()) != onMemRefs)
      return root->emitOpError("expected only ")
             << (onMemRefs ? "memref" : "tensor") << " operands, got "
             << operand.getType();

  // The root's own inputs, of which it computes products, sums and maxima.
  unsigned count = root.getNumEpilogueOperands();
  unsigned numInputs = root.getDpsInitOperand(0)->getOperandNumber() - count;
  for (Type input : root->getOperands().take_front(numInputs).getTypes())
    if (!isNumber(getElementTypeOrScalar(input)))
      return root->emitOpError("expected inputs of floats or signless "
                               "integers, got ")
             << input;

  unsigned rangeSize = root.getRangeMutable().size();
  if (rangeSize != 0 && (rangeSize != 2 || !onMemRefs))
    return root->emitOpError("expected a range of two values on memrefs, got ")
           << rangeSize << " on " << (onMemRefs ? "memrefs" : "tensors");

  if (root.getEpilogueDimsAttr().size() != count)
    return root->emitOpError("expected dims for ")
           << count << " epilogue operands, got "
           << root.getEpilogueDimsAttr().size();
  for (unsigned i = 0; i < count; ++i) {
    Type type = root.getEpilogueOperand(i).getType();
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && !isa<RankedTensorType, MemRefType>(type))
      return root->emitOpError("expected a ranked tensor, memref or scalar as "
                               "epilogue operand ")
             << i << ", got " << type;
    int64_t rank = shaped ? shaped.getRank() : 0;
    ArrayRef<int64_t> dims = root.getEpilogueOperandDims(i);
    if (static_cast<int64_t>(dims.size()) != rank)
      return root->emitOpError("expected ")
             << rank << " dims for epilogue operand " << i << ", got "
             << dims.size();
    llvm::SmallDenseSet<int64_t> seen;
    for (auto [position, dim] : llvm::enumerate(dims)) {
      if (dim < 0 || dim >= init.getRank())
        return root->emitOpError("expected result dims below ")
               << init.getRank() << " for epilogue operand " << i << ", got "
               << dim;
      if (!seen.insert(dim).second)
        return root->emitOpError("expected distinct dims for epilogue operand ")
               << i << ", got " << dim << " twice";
      int64_t want = init.getDimSize(dim), got = shaped.getDimSize(position);
      if (!ShapedType::isDynamic(want) && !ShapedType::isDynamic(got) &&
          want != got)
        return root->emitOpError("expected size ")
               << want << " in dim " << position << " of epilogue operand " << i
               << ", got " << got;
    }
  }
  return success();
}

LogicalResult roots::verifyEpilogue(FusionRootOpInterface root) {
  Block &block = root.getEpilogueBlock();
  unsigned count = root.getNumEpilogueOperands();
  unsigned numArguments = block.getNumArguments();
  if (numArguments != count + 1 && numArguments != count + 2)
    return root->emitOpError("expected ")
           << count + 1 << " or (with the init's element) " << count + 2
           << " epilogue arguments, got " << numArguments;
  Type accumulator = block.getArgument(0).getType();
  if (!isNumber(accumulator))
    return root->emitOpError("expected an accumulator that is a float or a "
                             "signless integer, got ")
           << accumulator;
  for (unsigned i = 0; i < count; ++i) {
    Type want = getElementTypeOrScalar(root.getEpilogueOperand(i).getType());
    Type got = root.getEpilogueArgument(i).getType();
    if (want != got)
      return root->emitOpError("expected type ")
             << want << " for epilogue argument " << i + 1 << ", got " << got;
  }
  Type element = root.getInitType().getElementType();
  if (root.readsInit() && block.getArguments().back().getType() != element)
    return root->emitOpError("expected the init's element type ")
           << element << " for the last epilogue argument, got "
           << block.getArguments().back().getType();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return root->emitOpError("expected the epilogue to end with fusion.yield, "
                             "got ")
           << block.back().getName();
  if (yield.getValue().getType() != element)
    return root->emitOpError("expected the epilogue to yield ")
           << element << ", got " << yield.getValue().getType();
  for (Operation &op : block.without_terminator())
    if (!isEpilogueOp(&op))
      return op.emitOpError("expected only constants and elementwise ops "
                            "without side effects in an epilogue, got ")
             << op.getName();
  return success();
}

void roots::getRootEffects(
    FusionRootOpInterface root,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  OpOperand *init = root.getDpsInitOperand(0);
  for (OpOperand &operand : root->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (&operand != init || root.readsInit())
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    if (&operand == init)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult roots::reifyRootShapes(FusionRootOpInterface root,
                                     OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  if (!root.hasPureTensorSemantics())
    return failure();
  shapes.assign(
      1, tensor::getMixedSizes(builder, root.getLoc(), root.getInitValue()));
  return success();
}
