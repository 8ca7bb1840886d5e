//===-- KernelEmitter.cpp - What all kernels share ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides to addresses, and vectors to memory and back.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

KernelEmitter::KernelEmitter(OpBuilder &builder, FusionRootOpInterface root,
                             const KernelPlan &plan, bool fetchesAhead)
    : builder(builder), root(root), loc(root.getLoc()), plan(plan),
      fetchesAhead(fetchesAhead),
      vectorType(VectorType::get(plan.lanes, root.getAccumulatorType())) {
  for (Value operand : root->getOperands())
    if (isa<MemRefType>(operand.getType()) && !flatViews.contains(operand))
      flatViews[operand] = flatten(operand);
  if (plan.kind == KernelPlan::Kind::Pool || !hasLongEpilogue())
    return;
  int64_t vectors = plan.hasStretches() ? 1 : plan.vectors;
  scratch = createScratch(root.getAccumulatorType(), vectors);
  turnedScratch.resize(plan.epilogue.size() + 1);
  for (auto [i, strides] : llvm::enumerate(plan.epilogue))
    if (strides.isChannelsFirst())
      turnedScratch[i] = createScratch(
          getElementTypeOrSelf(root.getEpilogueOperand(i).getType()), 1);
  if (plan.init.isChannelsFirst())
    turnedScratch.back() =
        createScratch(root.getInitType().getElementType(), 1);
}

Value KernelEmitter::createScratch(Type elementType, int64_t vectors) {
  int64_t width = plan.hasStretches() ? plan.pixels : plan.wholeRows;
  auto type = MemRefType::get(plan.cut.height * width * vectors * plan.lanes,
                              elementType);
  // Before the loop over the units, since it lives until the function returns.
  return memref::AllocaOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(64));
}

//===-- Strides to addresses ----------------------------------------------===//

Value KernelEmitter::flatten(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(stride)) {
      span = ShapedType::kDynamic;
      break;
    }
    span += (size - 1) * stride;
  }
  OpFoldResult offsetValue = attribute(offset), spanValue = attribute(span);
  if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(span)) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    if (ShapedType::isDynamic(offset))
      offsetValue = metadata.getOffset();
    // Only checks of bounds depend on it.
    if (ShapedType::isDynamic(span)) {
      Value end = constant(1), count = constant(1);
      for (auto [size, stride] :
           llvm::zip_equal(metadata.getConstifiedMixedSizes(),
                           metadata.getConstifiedMixedStrides())) {
        end = add(end, multiply(add(getValue(size), attribute(-1)), stride));
        count = multiply(count, size);
      }
      Value isEmpty = builder.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, count, constant(0));
      spanValue =
          builder.createOrFold<arith::SelectOp>(loc, isEmpty, constant(0), end);
    }
  }
  MemRefLayoutAttrInterface layout;
  if (offset != 0)
    layout = StridedLayoutAttr::get(builder.getContext(), offset, 1);
  auto flatType = MemRefType::get(span, type.getElementType(), layout,
                                  type.getMemorySpace());
  if (type == flatType)
    return memref;
  return memref::ReinterpretCastOp::create(
      builder, loc, flatType, memref, offsetValue,
      ArrayRef<OpFoldResult>{spanValue}, ArrayRef<OpFoldResult>{attribute(1)});
}

Value KernelEmitter::getBase(const OperandStrides &strides, const Tile &tile) {
  Value base = multiply(tile.group, strides.group);
  base = add(base, multiply(tile.panel, strides.panel));
  if (tile.firstChannel && strides.hasChannels())
    base = add(base, multiply(tile.firstChannel, strides.lane));
  for (auto [index, stride] : llvm::zip_equal(tile.rows, strides.rows))
    base = add(base, multiply(index, stride));
  return base;
}

Value KernelEmitter::getInputBase(const Tile &tile) {
  Value base = getBase(plan.input, tile);
  for (const ReductionLoop &loop : plan.reductions)
    if (const auto &window = loop.window)
      base = add(base, get(loop.inputStride / window->dilation * -window->low));
  return base;
}

/// Of `position * stride - low + k * dilation`, the k inside [0, size).
WindowRange KernelEmitter::getWindowRange(const ReductionLoop &loop,
                                          const Tile &tile) {
  Value end = getValue(get(loop.size));
  const std::optional<PaddedWindow> &window = loop.window;
  if (!window)
    return {constant(0), end};
  Value scaled = multiply(tile.rows[window->rowDim], window->stride);
  // Steps that reach `distance`; none if it is negative.
  auto stepsTo = [&](OpFoldResult distance) -> Value {
    Value left =
        builder.createOrFold<arith::SubIOp>(loc, getValue(distance), scaled);
    left = builder.createOrFold<arith::MaxSIOp>(loc, left, constant(0));
    left = add(left, attribute(window->dilation - 1));
    return builder.createOrFold<arith::DivUIOp>(loc, left,
                                                constant(window->dilation));
  };
  Value from = stepsTo(attribute(window->low));
  Value to = stepsTo(add(get(window->size), window->low));
  return {from, builder.createOrFold<arith::MinSIOp>(loc, to, end)};
}

SmallVector<OpFoldResult>
KernelEmitter::getRowOffsets(const OperandStrides &strides, const Tile &tile) {
  const Extent &outer = strides.rows[plan.cutDim];
  const Extent &inner = strides.rows.back();
  SmallVector<OpFoldResult> offsets;
  for (int64_t i = 0; i < tile.height; ++i)
    for (int64_t j = 0; j < tile.width; ++j) {
      offsets.push_back(add(get(outer * i), inner * j));
    }
  return offsets;
}

OpFoldResult KernelEmitter::get(const Extent &extent) {
  if (extent.isStatic())
    return attribute(extent.getStatic());
  auto *known =
      llvm::find_if(extents, [&](auto &pair) { return pair.first == extent; });
  if (known != extents.end())
    return known->second;
  // The loop over the units enters the block when its body is complete, so what
  // is put before the root until then comes before the loop.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(root);
  Value value =
      cast<Value>(extent.materialize(builder, loc, root->getOperands()));
  extents.push_back({extent, value});
  return value;
}

Value KernelEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value KernelEmitter::getValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(builder, loc, size);
}
Value KernelEmitter::add(Value index, OpFoldResult offset) {
  if (isZeroInteger(offset))
    return index;
  return builder.createOrFold<arith::AddIOp>(loc, index, getValue(offset));
}
OpFoldResult KernelEmitter::add(OpFoldResult offset, const Extent &more) {
  std::optional<int64_t> known = getConstantIntValue(offset);
  if (known && more.isStatic())
    return attribute(*known + more.getStatic());
  if (known && *known == 0)
    return get(more);
  Value start = getValue(offset);
  return add(start, get(more));
}
Value KernelEmitter::multiply(Value index, OpFoldResult factor) {
  return builder.createOrFold<arith::MulIOp>(loc, index, getValue(factor));
}
Value KernelEmitter::roundDown(Value index, int64_t step) {
  Value rest = arith::RemUIOp::create(builder, loc, index, constant(step));
  return arith::SubIOp::create(builder, loc, index, rest);
}
SmallVector<Value> KernelEmitter::delinearize(Value index,
                                              ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> indices(sizes.size());
  // The outermost dim that is not of size 1 needs no remainder.
  size_t first = llvm::find_if_not(sizes, isOneInteger) - sizes.begin();
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (isOneInteger(sizes[dim])) {
      indices[dim] = constant(0);
      continue;
    }
    indices[dim] = index;
    if (dim == first)
      continue;
    Value size = getValue(sizes[dim]);
    indices[dim] = arith::RemUIOp::create(builder, loc, index, size);
    index = arith::DivUIOp::create(builder, loc, index, size);
  }
  return indices;
}

//===-- Vectors -----------------------------------------------------------===//

Value KernelEmitter::splat(TypedAttr value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(vectorType, Attribute(value)));
}

Value KernelEmitter::createMask(const Tile &tile, int64_t vector) {
  if (!tile.masks.empty())
    return tile.masks[vector];
  int64_t lanes = tile.channels - vector * plan.lanes;
  if (lanes >= plan.lanes)
    return {};
  return vector::ConstantMaskOp::create(
      builder, loc, vectorType.clone(builder.getI1Type()), lanes);
}

Value KernelEmitter::loadVector(Value flat, Value base, OpFoldResult offset,
                                Value mask) {
  Value index = add(base, offset);
  Type element = cast<MemRefType>(flat.getType()).getElementType();
  VectorType type = vectorType.clone(element);
  if (!mask)
    return vector::LoadOp::create(builder, loc, type, flat, index);
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, flat, index, mask,
                                      zero);
}

Value KernelEmitter::extend(Value value) {
  Type accumulator = vectorType.getElementType();
  Type type = accumulator;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(accumulator);
  if (type == value.getType())
    return value;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value KernelEmitter::loadInput(Value flat, Value base, OpFoldResult offset,
                               Value mask) {
  return extend(loadVector(flat, base, offset, mask));
}

Value KernelEmitter::loadInputBroadcast(Value flat, Value base,
                                        OpFoldResult offset) {
  Value element = memref::LoadOp::create(builder, loc, flat, add(base, offset));
  return vector::BroadcastOp::create(builder, loc, vectorType, extend(element));
}

Value KernelEmitter::loadBroadcast(Value flat, Value base,
                                   OpFoldResult offset) {
  Value element = memref::LoadOp::create(builder, loc, flat, add(base, offset));
  return vector::BroadcastOp::create(
      builder, loc, vectorType.clone(element.getType()), element);
}

void KernelEmitter::storeVector(Value vector, Value flat, Value base,
                                OpFoldResult offset, Value mask) {
  Value index = add(base, offset);
  if (!mask)
    vector::StoreOp::create(builder, loc, vector, flat, index);
  else
    vector::MaskedStoreOp::create(builder, loc, flat, index, mask, vector);
}

Value KernelEmitter::multiplyAdd(Value x, Value y, Value acc) {
  if (!isa<FloatType>(vectorType.getElementType())) {
    Value product = arith::MulIOp::create(builder, loc, x, y);
    return arith::AddIOp::create(builder, loc, acc, product);
  }
  if (plan.fusedMultiplyAdd)
    return vector::FMAOp::create(builder, loc, x, y, acc);
  Value product = arith::MulFOp::create(builder, loc, x, y);
  return arith::AddFOp::create(builder, loc, acc, product);
}

//===-- Branches and loops ------------------------------------------------===//

void KernelEmitter::emitIf(Value condition, function_ref<void()> emitThen,
                           function_ref<void()> emitElse) {
  auto asBuilder = [&](function_ref<void()> emit) {
    return [this, emit](OpBuilder &, Location) {
      emit();
      scf::YieldOp::create(builder, loc);
    };
  };
  scf::IfOp::create(builder, loc, condition, asBuilder(emitThen),
                    asBuilder(emitElse));
}

SmallVector<Value> KernelEmitter::emitFor(
    Value from, Value to, ValueRange carried,
    function_ref<SmallVector<Value>(Value, ValueRange)> emitBody) {
  auto loop = scf::ForOp::create(
      builder, loc, from, to, constant(1), carried,
      [&](OpBuilder &, Location, Value index, ValueRange values) {
        scf::YieldOp::create(builder, loc, emitBody(index, values));
      });
  return loop.getResults();
}

SmallVector<Value> KernelEmitter::emitReduction(
    const ReductionLoop &loop, const Tile &tile, Value input, Value weights,
    ValueRange sums,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> emitBody) {
  WindowRange range = getWindowRange(loop, tile);
  return emitFor(range.from, range.to, sums, [&](Value step, ValueRange inner) {
    Value nextInput = add(input, multiply(step, loop.inputStride));
    Value nextWeights = add(weights, multiply(step, loop.weightsStride));
    return emitBody(nextInput, nextWeights, inner);
  });
}

void KernelEmitter::emitLoop(Value from, Value to, int64_t step,
                             function_ref<void(Value)> emitBody) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         end = getConstantIntValue(to);
  if (first && end && *end - *first == step)
    return emitBody(from);
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitBody(loop.getInductionVar());
}

void KernelEmitter::prefetch(Value flat, Value base, OpFoldResult offset,
                             bool isWrite) {
  if (fetchesAhead)
    memref::PrefetchOp::create(builder, loc, flat, add(base, offset), isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

void KernelEmitter::prefetchEpilogue(const Tile &tile) {
  if (!fetchesAhead)
    return;
  auto isZero = [](const Extent &stride) { return stride == 0; };
  auto prefetchTile = [&](Value operand, const OperandStrides &strides,
                          bool isWrite) {
    if (!strides.hasChannels() || llvm::any_of(strides.rows, isZero))
      return;
    Value flat = getFlat(operand), base = getBase(strides, tile);
    SmallVector<OpFoldResult> rows = getRowOffsets(strides, tile);
    // Neighbouring rows of a channel share one line or two.
    if (strides.isChannelsFirst()) {
      for (int64_t channel = 0; channel < tile.channels; ++channel)
        for (OpFoldResult row : {rows.front(), rows.back()})
          prefetch(flat, base, add(row, strides.lane * channel), isWrite);
      return;
    }
    for (OpFoldResult row : rows)
      for (int64_t vector = 0; vector < getNumVectors(tile); ++vector)
        prefetch(flat, base, add(row, vector * plan.lanes), isWrite);
  };
  for (auto [i, strides] : llvm::enumerate(plan.epilogue))
    prefetchTile(root.getEpilogueOperand(i), strides, /*isWrite=*/false);
  if (root.readsInit() || plan.init.isChannelsFirst())
    prefetchTile(root.getInitValue(), plan.init, plan.init.isChannelsFirst());
}
