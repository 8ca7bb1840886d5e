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
  Value from = range.size() == 0 ? constant(0) : range[0].get();
  Value to = range.size() == 0 ? constant(plan.getUnits()) : range[1].get();
  emitFor(from, to, {}, [&](Value unit, ValueRange) {
    // The unit's place in the grid of row blocks and panels.
    SmallVector<int64_t> blocks(plan.rows.begin(),
                                plan.rows.begin() + plan.getCutDim());
    blocks.push_back(plan.cut.getCount());
    SmallVector<int64_t> panels{plan.groups, plan.getPanelsPerGroup()};
    SmallVector<int64_t> outer = plan.panelFastest ? blocks : panels;
    SmallVector<int64_t> inner = plan.panelFastest ? panels : blocks;
    SmallVector<Value> indices =
        delinearize(unit, llvm::to_vector(llvm::concat<int64_t>(outer, inner)));
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
  auto emitTall = [&] {
    tile.height = cut.height;
    tile.rows[plan.getCutDim()] = multiply(cutIndex, cut.height);
    emitPanels(tile, emitTile);
  };
  auto emitLow = [&] {
    tile.height = cut.height - 1;
    tile.rows[plan.getCutDim()] =
        add(multiply(cutIndex, cut.height - 1), cut.tall);
    emitPanels(tile, emitTile);
  };
  if (cut.low == 0)
    return emitTall();
  emitIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               cutIndex, constant(cut.tall)),
         emitTall, emitLow);
}

/// Code for whole panels and, where there is one, for a group's narrower last.
void KernelEmitter::emitPanels(Tile tile,
                               function_ref<void(const Tile &)> emitTile) {
  int64_t last = plan.getPanelsPerGroup() - 1;
  tile.channels = plan.getLastPanelSize();
  if (last == 0 || tile.channels == plan.getPanelSize())
    return emitTile(tile);
  emitIf(
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, tile.panel,
                            constant(last)),
      [&] { emitTile(tile); },
      [&] {
        tile.channels = plan.getPanelSize();
        emitTile(tile);
      });
}

//===-- Strides to addresses ----------------------------------------------===//

Value KernelEmitter::flatten(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    span += (size - 1) * stride;
  OpFoldResult offsetValue = builder.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    offsetValue = memref::ExtractStridedMetadataOp::create(builder, loc, memref)
                      .getOffset();
  MemRefLayoutAttrInterface layout;
  if (offset != 0)
    layout = StridedLayoutAttr::get(builder.getContext(), offset, 1);
  auto flatType = MemRefType::get(span, type.getElementType(), layout,
                                  type.getMemorySpace());
  if (type == flatType)
    return memref;
  return memref::ReinterpretCastOp::create(
      builder, loc, flatType, memref, offsetValue,
      ArrayRef<OpFoldResult>{builder.getIndexAttr(span)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

Value KernelEmitter::getBase(const OperandStrides &strides, const Tile &tile) {
  Value base = multiply(tile.group, strides.group);
  base = add(base, multiply(tile.panel, strides.panel));
  for (auto [index, stride] : llvm::zip_equal(tile.rows, strides.rows))
    base = add(base, multiply(index, stride));
  return base;
}

SmallVector<int64_t> KernelEmitter::getRowOffsets(const OperandStrides &strides,
                                                  const Tile &tile) const {
  SmallVector<int64_t> offsets;
  for (int64_t i = 0; i < tile.height; ++i)
    for (int64_t j = 0; j < plan.wholeRows; ++j)
      offsets.push_back(i * strides.rows[plan.getCutDim()] +
                        j * strides.rows.back());
  return offsets;
}

Value KernelEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value KernelEmitter::add(Value index, int64_t offset) {
  return offset == 0 ? index : add(index, constant(offset));
}
Value KernelEmitter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}
Value KernelEmitter::multiply(Value index, int64_t factor) {
  return builder.createOrFold<arith::MulIOp>(loc, index, constant(factor));
}
SmallVector<Value> KernelEmitter::delinearize(Value index,
                                              ArrayRef<int64_t> sizes) {
  SmallVector<Value> indices(sizes.size());
  // The outermost dim that is not of size 1 needs no remainder.
  size_t first = llvm::find_if(sizes, [](int64_t size) { return size != 1; }) -
                 sizes.begin();
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] == 1) {
      indices[dim] = constant(0);
      continue;
    }
    indices[dim] = index;
    if (dim == first)
      continue;
    Value size = constant(sizes[dim]);
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

Value KernelEmitter::createMask(int64_t lanes) {
  return vector::ConstantMaskOp::create(
      builder, loc, vectorType.clone(builder.getI1Type()), lanes);
}

Value KernelEmitter::loadVector(Value flat, Value base, int64_t offset,
                                int64_t lanes) {
  Value index = add(base, offset);
  Type element = cast<MemRefType>(flat.getType()).getElementType();
  VectorType type = vectorType.clone(element);
  if (lanes == plan.lanes)
    return vector::LoadOp::create(builder, loc, type, flat, index);
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, flat, index,
                                      createMask(lanes), zero);
}

Value KernelEmitter::loadBroadcast(Value flat, Value base, int64_t offset) {
  Value element = memref::LoadOp::create(builder, loc, flat, add(base, offset));
  return vector::BroadcastOp::create(
      builder, loc, vectorType.clone(element.getType()), element);
}

void KernelEmitter::storeVector(Value vector, Value flat, Value base,
                                int64_t offset, int64_t lanes) {
  Value index = add(base, offset);
  if (lanes == plan.lanes)
    vector::StoreOp::create(builder, loc, vector, flat, index);
  else
    vector::MaskedStoreOp::create(builder, loc, flat, index, createMask(lanes),
                                  vector);
}

Value KernelEmitter::multiplyAdd(Value x, Value y, Value acc) {
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
        constant(0), constant(loop.size), values,
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
