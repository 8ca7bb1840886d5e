//===-- KernelEmitter.cpp - What all kernels share ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units to tiles, strides to addresses, and vectors to memory and back.
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
                             const KernelPlan &plan)
    : builder(builder), root(root), loc(root.getLoc()), plan(plan),
      vectorType(VectorType::get(plan.lanes, root.getAccumulatorType())) {
  for (Value operand : root->getOperands())
    if (isa<MemRefType>(operand.getType()) && !flatViews.contains(operand))
      flatViews[operand] = flatten(operand);
  if (plan.kind == KernelPlan::Kind::Pool || !hasLongEpilogue())
    return;
  int64_t size = plan.cut.height * plan.wholeRows * plan.getPanelSize();
  auto type = MemRefType::get(size, root.getAccumulatorType());
  // Before the loop over the units, since it lives until the function returns.
  scratch = memref::AllocaOp::create(builder, loc, type,
                                     builder.getI64IntegerAttr(64));
}

//===-- Units to tiles ----------------------------------------------------===//

void KernelEmitter::emitUnits(function_ref<void(const Tile &)> emitTile) {
  MutableOperandRange range = root.getRangeMutable();
  ValueRange operands = root->getOperands();
  SmallVector<OpFoldResult> blocks =
      plan.createRowBlocks(builder, loc, operands);
  SmallVector<OpFoldResult> panels = plan.createPanels(builder, loc, operands);
  SmallVector<OpFoldResult> outer = plan.panelFastest ? blocks : panels;
  SmallVector<OpFoldResult> inner = plan.panelFastest ? panels : blocks;
  SmallVector<OpFoldResult> grid =
      llvm::to_vector(llvm::concat<OpFoldResult>(outer, inner));
  Value from, to;
  if (range.size() != 0) {
    from = range[0].get();
    to = range[1].get();
  } else {
    from = constant(0);
    to = getValue(createProduct(builder, loc, grid));
  }
  emitFor(from, to, {}, [&](Value unit, ValueRange) {
    // The unit's place in the grid of row blocks and panels.
    SmallVector<Value> indices = delinearize(unit, grid);
    ArrayRef<Value> all = indices;
    ArrayRef<Value> ofBlock =
        plan.panelFastest ? all.drop_back(2) : all.drop_front(2);
    ArrayRef<Value> ofPanel =
        plan.panelFastest ? all.take_back(2) : all.take_front(2);
    Tile tile;
    tile.group = ofPanel[0];
    tile.panel = ofPanel[1];
    Value cutIndex = ofBlock.back();
    tile.rows.assign(ofBlock.begin(), ofBlock.end());
    // Rows that a tile takes whole start at 0.
    tile.rows.resize(plan.rows.size(), constant(0));
    emitHeights(cutIndex, tile, emitTile);
    return SmallVector<Value>();
  });
}

/// Code for the tall tiles and, where there are any, for the low ones.
void KernelEmitter::emitHeights(Value cutIndex, Tile tile,
                                function_ref<void(const Tile &)> emitTile) {
  const RowCut &cut = plan.cut;
  if (cut.atRunTime)
    return emitHeightsAtRunTime(cutIndex, tile, emitTile);
  auto emitTall = [&] {
    tile.height = cut.height;
    tile.rows[plan.getCutDim()] = multiply(cutIndex, cut.height);
    emitPanels(tile, emitTile);
  };
  auto emitLow = [&] {
    tile.height = cut.height - 1;
    tile.rows[plan.getCutDim()] =
        add(multiply(cutIndex, cut.height - 1), attribute(cut.tall));
    emitPanels(tile, emitTile);
  };
  if (cut.low == 0)
    return emitTall();
  emitIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               cutIndex, constant(cut.tall)),
         emitTall, emitLow);
}

/// Code for the full height and for each height that a part of a rest may have.
void KernelEmitter::emitHeightsAtRunTime(
    Value cutIndex, Tile tile, function_ref<void(const Tile &)> emitTile) {
  int64_t dim = plan.getCutDim();
  Value height = constant(plan.cut.height);
  Value first = multiply(cutIndex, plan.cut.height);
  Value size = getValue(get(plan.rows[dim]));
  tile.height = plan.cut.height;
  tile.rows[dim] = first;
  if (plan.cut.height == 1)
    return emitPanels(tile, emitTile);
  Value left = arith::SubIOp::create(builder, loc, size, first);
  Value isFull = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       left, height);
  emitIf(
      isFull, [&] { emitPanels(tile, emitTile); },
      [&] { emitRest(first, left, tile, emitTile); });
}

/// One part or, if the rest is too high for that, two of near equal heights.
void KernelEmitter::emitRest(Value first, Value rest, Tile tile,
                             function_ref<void(const Tile &)> emitTile) {
  int64_t part = plan.cut.getPartHeight();
  Value step = rest;
  if (part < plan.cut.height - 1) {
    Value half = arith::ShRUIOp::create(builder, loc, add(rest, attribute(1)),
                                        constant(1));
    Value isOnePart = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, rest, constant(part));
    step = arith::SelectOp::create(builder, loc, isOnePart, rest, half);
  }
  auto emitPart = [&](Value start, Value height) {
    tile.rows[plan.getCutDim()] =
        builder.createOrFold<arith::AddIOp>(loc, first, start);
    auto emitHeight = [&](Region &region, int64_t rows) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&region);
      tile.height = rows;
      emitPanels(tile, emitTile);
      scf::YieldOp::create(builder, loc);
    };
    // The largest part is the default.
    if (part == 1) {
      tile.height = 1;
      return emitPanels(tile, emitTile);
    }
    auto cases = llvm::to_vector(llvm::seq<int64_t>(1, part));
    auto heights = scf::IndexSwitchOp::create(builder, loc, TypeRange(), height,
                                              cases, cases.size());
    for (int64_t rows : cases)
      emitHeight(heights.getCaseRegions()[rows - 1], rows);
    emitHeight(heights.getDefaultRegion(), part);
  };
  if (step == rest)
    return emitPart(constant(0), rest);
  auto loop = scf::ForOp::create(builder, loc, constant(0), rest, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value start = loop.getInductionVar();
  Value left = arith::SubIOp::create(builder, loc, rest, start);
  emitPart(start, arith::MinUIOp::create(builder, loc, left, step));
}

/// Code for whole panels and, where there is one, for a group's narrower last.
void KernelEmitter::emitPanels(Tile tile,
                               function_ref<void(const Tile &)> emitTile) {
  int64_t panelSize = plan.getPanelSize();
  Value isLast, rest;
  if (plan.channels.isStatic()) {
    tile.channels = plan.getLastPanelSize();
    int64_t panels = llvm::divideCeil(plan.channels.getStatic(), panelSize);
    if (panels == 1 || tile.channels == panelSize)
      return emitTile(tile);
    isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   tile.panel, constant(panels - 1));
  } else {
    Value channels = getValue(get(plan.channels));
    rest = arith::SubIOp::create(builder, loc, channels,
                                 multiply(tile.panel, panelSize));
    isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                   rest, constant(panelSize));
  }
  emitIf(
      isLast,
      [&] {
        if (rest) {
          tile.channels = panelSize;
          createMasks(tile, rest);
        }
        emitTile(tile);
      },
      [&] {
        tile.channels = panelSize;
        tile.masks.clear();
        emitTile(tile);
      });
}

/// Masks of vectors of which only the first `rest` lanes of all are channels.
void KernelEmitter::createMasks(Tile &tile, Value rest) {
  VectorType type = vectorType.clone(builder.getI1Type());
  for (int64_t i = 0; i < plan.vectors; ++i) {
    Value lanes =
        arith::SubIOp::create(builder, loc, rest, constant(i * plan.lanes));
    tile.masks.push_back(
        vector::CreateMaskOp::create(builder, loc, type, lanes));
  }
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
    // Of row-major elements it is the exact number, and no code depends on it.
    if (ShapedType::isDynamic(span))
      spanValue = multiply(metadata.getSizes().front(),
                           OpFoldResult(metadata.getStrides().front()));
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
  for (auto [index, stride] : llvm::zip_equal(tile.rows, strides.rows))
    base = add(base, multiply(index, stride));
  return base;
}

SmallVector<OpFoldResult>
KernelEmitter::getRowOffsets(const OperandStrides &strides, const Tile &tile) {
  const Extent &outer = strides.rows[plan.getCutDim()];
  const Extent &inner = strides.rows.back();
  SmallVector<OpFoldResult> offsets;
  for (int64_t i = 0; i < tile.height; ++i)
    for (int64_t j = 0; j < plan.wholeRows; ++j) {
      OpFoldResult offset = get(outer * i);
      if (j != 0)
        offset = inner.isStatic()
                     ? add(offset, inner.getStatic() * j)
                     : OpFoldResult(add(getValue(offset), get(inner * j)));
      offsets.push_back(offset);
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
OpFoldResult KernelEmitter::add(OpFoldResult offset, int64_t more) {
  if (std::optional<int64_t> known = getConstantIntValue(offset))
    return attribute(*known + more);
  return add(cast<Value>(offset), attribute(more));
}
Value KernelEmitter::multiply(Value index, OpFoldResult factor) {
  return builder.createOrFold<arith::MulIOp>(loc, index, getValue(factor));
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

/// A scalar or vector in the accumulator's type.
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

void KernelEmitter::emitSums(
    const Tile &tile, int64_t numRows,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> emitStep) {
  auto emitLevel = [&](auto &self, ArrayRef<ReductionLoop> loops, Value input,
                       Value weights, ValueRange values) -> SmallVector<Value> {
    if (loops.empty())
      return emitStep(input, weights, values);
    const ReductionLoop &loop = loops.front();
    return emitFor(
        constant(0), getValue(get(loop.size)), values,
        [&](Value index, ValueRange inner) {
          return self(self, loops.drop_front(),
                      add(input, multiply(index, loop.inputStride)),
                      add(weights, multiply(index, loop.weightsStride)), inner);
        });
  };
  SmallVector<Value> sums(
      numRows * getNumVectors(tile),
      splat(builder.getZeroAttr(root.getAccumulatorType())));
  Value input = getBase(plan.input, tile);
  Value weights = getBase(plan.weights, tile);
  emitEpilogue(tile,
               emitLevel(emitLevel, plan.reductions, input, weights, sums));
}
