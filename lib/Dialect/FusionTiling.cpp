//===-- FusionTiling.cpp - Tiles of a root --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TilingInterface, shared: the iteration domain is the result's shape, all
// parallel; epilogue operands are sliced through their dims, the root's own
// inputs by the root (sliceInputs).
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

Value roots::extractSlice(OpBuilder &builder, Location loc, Value source,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, source, offsets, sizes,
                                        strides);
}

SmallVector<utils::IteratorType>
roots::getRootIteratorTypes(FusionRootOpInterface root) {
  return SmallVector<utils::IteratorType>(root.getInitType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> roots::getRootIterationDomain(FusionRootOpInterface root,
                                                 OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult size :
       tensor::getMixedSizes(builder, root.getLoc(), root.getInitValue()))
    domain.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult> roots::tileRoot(FusionRootOpInterface root,
                                        OpBuilder &builder,
                                        ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<OpFoldResult> sizes) {
  if (!root.hasPureTensorSemantics())
    return root->emitOpError("expected tensors to tile");
  Location loc = root.getLoc();
  auto tile = cast<FusionRootOpInterface>(root->clone());
  if (failed(root.sliceInputs(builder, offsets, sizes, tile))) {
    tile->destroy();
    return root->emitOpError(
        "expected a tile whose padding and groups are those of the whole");
  }
  MutableOperandRange epilogue = tile.getEpilogueMutable();
  for (unsigned i = 0, e = epilogue.size(); i < e; ++i) {
    ArrayRef<int64_t> dims = root.getEpilogueOperandDims(i);
    if (dims.empty())
      continue;
    SmallVector<OpFoldResult> operandOffsets, operandSizes;
    for (int64_t dim : dims) {
      operandOffsets.push_back(offsets[dim]);
      operandSizes.push_back(sizes[dim]);
    }
    epilogue[i].set(extractSlice(builder, loc, epilogue[i].get(),
                                 operandOffsets, operandSizes));
  }
  OpOperand *init = tile.getDpsInitOperand(0);
  init->set(extractSlice(builder, loc, init->get(), offsets, sizes));
  tile->getResult(0).setType(init->get().getType());
  builder.insert(tile);

  SmallVector<Operation *> slices;
  for (Value operand : tile->getOperands())
    if (auto slice = operand.getDefiningOp<tensor::ExtractSliceOp>())
      slices.push_back(slice);
  return TilingResult{{tile}, {tile->getResult(0)}, slices};
}
