//===-- IndexedLoads.cpp - Loads in the body of a linalg op ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The indices of channels-last images do not depend on the channel, along
// which vectors run.
//
//===----------------------------------------------------------------------===//

#include "IndexedLoads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// Takes `value` and all that it takes to compute it, if none of it changes
/// along the vector loop.
bool IndexedLoads::addUniform(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (op.isDpsInit(&operand) ||
        op.getMatchingIndexingMap(&operand).isFunctionOfDim(vectorLoop))
      return false;
    inputs.insert(argument);
    return true;
  }
  Operation *source = value.getDefiningOp();
  if (!source || source->getBlock() != op.getBlock() ||
      uniform.contains(source))
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return static_cast<int64_t>(index.getDim()) != vectorLoop;
  if (source->getNumRegions() != 0 ||
      (!isMemoryEffectFree(source) && !isa<memref::LoadOp>(source)))
    return false;
  for (Value operand : source->getOperands())
    if (!addUniform(operand))
      return false;
  uniform.insert(source);
  return true;
}

/// True if `index` grows by one with each step of the vector loop.
bool IndexedLoads::isAlongVectorLoop(Value index) {
  auto isVectorIndex = [&](Value value) {
    auto source = value.getDefiningOp<linalg::IndexOp>();
    return source && static_cast<int64_t>(source.getDim()) == vectorLoop;
  };
  if (isVectorIndex(index))
    return true;
  // As a kernel's range moves it: an offset from outside and the index.
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply->getBlock() != op.getBlock())
    return false;
  AffineMap map = apply.getAffineMap();
  unsigned found = 0;
  for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
    if (!isVectorIndex(operand)) {
      if (operand.getParentBlock() == op.getBlock())
        return false;
      continue;
    }
    MLIRContext *context = op.getContext();
    AffineExpr expr = i < map.getNumDims()
                          ? getAffineDimExpr(i, context)
                          : getAffineSymbolExpr(i - map.getNumDims(), context);
    AffineExpr rest = simplifyAffineExpr(map.getResult(0) - expr,
                                         map.getNumDims(), map.getNumSymbols());
    if (i < map.getNumDims() ? rest.isFunctionOfDim(i)
                             : rest.isFunctionOfSymbol(i - map.getNumDims()))
      return false;
    ++found;
  }
  return found == 1;
}

std::optional<IndexedLoads> IndexedLoads::get(linalg::LinalgOp op,
                                              int64_t vectorLoop) {
  IndexedLoads loads;
  loads.op = op;
  loads.vectorLoop = vectorLoop;
  for (auto load : op.getBlock()->getOps<memref::LoadOp>()) {
    if (load.getIndices().empty())
      continue;
    Value last = load.getIndices().back();
    int64_t offset;
    SmallVector<int64_t> strides;
    bool moves = loads.isAlongVectorLoop(last);
    if (moves &&
        (failed(load.getMemRefType().getStridesAndOffset(strides, offset)) ||
         strides.back() != 1))
      return std::nullopt;
    auto fixed = ValueRange(load.getIndices()).drop_back(moves);
    if (!llvm::all_of(fixed,
                      [&](Value index) { return loads.addUniform(index); }))
      return std::nullopt;
    if (!moves) {
      loads.uniform.insert(load);
      continue;
    }
    loads.moving.push_back(load);
    Operation *position = last.getDefiningOp();
    if (!isa<linalg::IndexOp>(position))
      loads.positions.insert(position);
  }
  for (Operation *position : loads.positions)
    if (!llvm::all_of(position->getUsers(), [&](Operation *user) {
          return llvm::is_contained(loads.moving, user);
        }))
      return std::nullopt;
  return loads;
}

SmallVector<Value> IndexedLoads::create(OpBuilder &builder,
                                        ArrayRef<Value> offsets, int64_t width,
                                        IRMapping &mapping) const {
  linalg::LinalgOp op = this->op;
  for (BlockArgument input : inputs) {
    OpOperand &operand = op->getOpOperand(input.getArgNumber());
    Location loc = op.getLoc();
    if (!isa<MemRefType>(operand.get().getType())) {
      mapping.map(input, operand.get());
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Value> indices;
    for (AffineExpr result : map.getResults())
      indices.push_back(affine::makeComposedAffineApply(
          builder, loc, AffineMap::get(map.getNumDims(), 0, result),
          getAsOpFoldResult(offsets)));
    mapping.map(input,
                memref::LoadOp::create(builder, loc, operand.get(), indices)
                    .getResult());
  }
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
    mapping.map(index.getResult(), offsets[index.getDim()]);
  for (Operation *inner : uniform)
    builder.clone(*inner, mapping);
  for (Operation *inner : positions)
    builder.clone(*inner, mapping);
  SmallVector<Value> places;
  for (memref::LoadOp load : moving) {
    MemRefType type = load.getMemRefType();
    SmallVector<OpFoldResult> from,
        sizes(type.getRank(), builder.getIndexAttr(1));
    for (Value index : load.getIndices())
      from.push_back(mapping.lookupOrDefault(index));
    sizes.back() = builder.getIndexAttr(width);
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    auto placeType =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            width, type, from, sizes, strides));
    places.push_back(memref::SubViewOp::create(builder, load.getLoc(),
                                               placeType, load.getMemRef(),
                                               from, sizes, strides));
  }
  return places;
}
