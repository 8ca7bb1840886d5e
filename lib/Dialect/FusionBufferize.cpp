//===-- FusionBufferize.cpp - Roots on memrefs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one-shot-bufferize asks of a root. Four answers go beyond upstream's
// destination-style model and keep residuals and joined parts in place: the
// init is read only if the epilogue takes its element, identity-mapped operands
// are accessed elementwise, slices that are apart do not conflict, and the op
// is rebuilt on buffers as it is. Buffers that kernels cannot walk, slices
// mostly, are copied to buffers of their own.
//
//===----------------------------------------------------------------------===//

#include "FusionRoot.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::bufferization;

bool roots::rootAccessesElementwise(FusionRootOpInterface root,
                                    ArrayRef<OpOperand *> operands) {
  MutableOperandRange epilogue = root.getEpilogueMutable();
  return llvm::all_of(operands, [&](OpOperand *operand) {
    if (root.isDpsInit(operand))
      return true;
    for (unsigned i = 0, e = epilogue.size(); i < e; ++i)
      if (&epilogue[i] == operand)
        return root.isIdentityEpilogueOperand(i);
    return false;
  });
}

AliasingValueList roots::getRootAliasingValues(FusionRootOpInterface root,
                                               OpOperand &operand) {
  if (!root.isDpsInit(&operand))
    return {};
  return {{root->getResult(0), BufferRelation::Equivalent}};
}

namespace {
/// A slice and the tensor that it is cut from, before anything was inserted.
struct Place {
  Value tensor;
  std::optional<HyperrectangularSlice> slice;
};
} // namespace

/// Where `value` lies if all on its way is done in place. Otherwise it has a
/// buffer of its own, which is apart from all others.
static Place getPlace(Value value) {
  Place place;
  while (auto result = dyn_cast<OpResult>(value)) {
    if (auto extract = value.getDefiningOp<tensor::ExtractSliceOp>()) {
      if (place.slice)
        return {};
      place.slice.emplace(extract);
      value = extract.getSource();
    } else if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      if (!place.slice)
        return {};
      value = insert.getDest();
    } else if (auto op = value.getDefiningOp<DestinationStyleOpInterface>()) {
      value = op.getTiedOpOperand(result)->get();
    } else {
      break;
    }
  }
  place.tensor = value;
  return place;
}

bool roots::areApart(Value a, Value b) {
  Place first = getPlace(a), second = getPlace(b);
  if (!first.slice || !second.slice || first.tensor != second.tensor)
    return false;
  FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
      a.getContext(), *first.slice, *second.slice);
  return succeeded(overlap) && !*overlap;
}

/// True if a kernel can walk `type`: neighbours in the last dim are loaded as
/// one vector, and the other strides of static shapes are compiled in. On
/// tensors nobody knows yet.
static bool isWalkable(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return true;
  int64_t offset;
  SmallVector<int64_t> strides;
  return succeeded(memref.getStridesAndOffset(strides, offset)) &&
         (strides.empty() || strides.back() == 1) &&
         (!memref.hasStaticShape() ||
          llvm::all_of(strides, ShapedType::isStatic));
}

/// A dense copy of `buffer`, or only room for it.
static FailureOr<Value> createDense(RewriterBase &rewriter, Location loc,
                                    Value buffer, TensorType tensor,
                                    bool isRead,
                                    const BufferizationOptions &options) {
  auto type = MemRefType::get(
      tensor.getShape(), tensor.getElementType(), MemRefLayoutAttrInterface(),
      cast<MemRefType>(buffer.getType()).getMemorySpace());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          memref::DimOp::create(rewriter, loc, buffer, dim).getResult());
  FailureOr<Value> copy = options.createAlloc(rewriter, loc, type, sizes);
  if (failed(copy) ||
      (isRead && failed(options.createMemCpy(rewriter, loc, buffer, *copy))))
    return failure();
  return copy;
}

LogicalResult roots::bufferizeRoot(FusionRootOpInterface root,
                                   RewriterBase &rewriter,
                                   const BufferizationOptions &options,
                                   BufferizationState &state) {
  if (root.hasPureBufferSemantics())
    return success();
  if (!root.hasPureTensorSemantics())
    return root->emitOpError("expected only tensor operands");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root);
  Location loc = root->getLoc();
  Value destination;
  SmallVector<Value> operands;
  for (OpOperand &operand : root->getOpOperands()) {
    auto tensor = dyn_cast<TensorType>(operand.get().getType());
    if (!tensor) {
      operands.push_back(operand.get());
      continue;
    }
    FailureOr<Value> buffer =
        getBuffer(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    bool isInit = root.isDpsInit(&operand);
    if (isInit)
      destination = *buffer;
    if (!isWalkable(buffer->getType())) {
      buffer = createDense(rewriter, loc, *buffer, tensor,
                           !isInit || root.readsInit(), options);
      if (failed(buffer))
        return failure();
    }
    operands.push_back(*buffer);
  }
  Value result = operands[root.getDpsInitOperand(0)->getOperandNumber()];
  Operation *onBuffers = Operation::create(
      loc, root->getName(), TypeRange{}, operands,
      root->getDiscardableAttrDictionary(), root->getPropertiesStorage(),
      BlockRange{}, /*numRegions=*/1);
  onBuffers->getRegion(0).takeBody(root->getRegion(0));
  rewriter.insert(onBuffers);
  if (result != destination &&
      failed(options.createMemCpy(rewriter, loc, result, destination)))
    return failure();
  replaceOpWithBufferizedValues(rewriter, root, destination);
  return success();
}
