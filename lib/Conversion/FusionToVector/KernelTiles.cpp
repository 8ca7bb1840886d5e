//===-- KernelTiles.cpp - From units to tiles -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the units, and code for each height and width of a tile.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

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
    tile.width = plan.wholeRows;
    tile.group = ofPanel[0];
    tile.panel = ofPanel[1];
    Value cutIndex = ofBlock[plan.cutDim];
    tile.rows.assign(ofBlock.begin(), ofBlock.end());
    // Rows that a tile takes whole start at 0.
    tile.rows.resize(plan.rows.size(), constant(0));
    emitHeights(cutIndex, tile, emitTile);
    return SmallVector<Value>();
  });
}

/// Code for each class of tiles.
void KernelEmitter::emitHeights(Value cutIndex, Tile tile,
                                function_ref<void(const Tile &)> emitTile) {
  if (plan.cut.atRunTime)
    return emitHeightsAtRunTime(cutIndex, tile, emitTile);
  SmallVector<TileClass> classes = plan.getTileClasses();
  auto emitFrom = [&](auto &self, ArrayRef<TileClass> left) -> void {
    const TileClass &tiles = left.front();
    auto emitClass = [&] {
      tile.height = tiles.height;
      tile.firstRow = tiles.row;
      // Tile `first` begins at `row`.
      int64_t origin = tiles.row - tiles.first * tiles.height;
      tile.rows[plan.cutDim] =
          add(multiply(cutIndex, tiles.height), attribute(origin));
      emitPanels(tile, emitTile);
    };
    if (left.size() == 1)
      return emitClass();
    emitIf(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 cutIndex, constant(tiles.end)),
           emitClass, [&] { self(self, left.drop_front()); });
  };
  emitFrom(emitFrom, classes);
}

/// Code for the full height and for each height that a part of a rest may have.
void KernelEmitter::emitHeightsAtRunTime(
    Value cutIndex, Tile tile, function_ref<void(const Tile &)> emitTile) {
  int64_t dim = plan.cutDim;
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
    Value more = add(rest, attribute(1));
    Value half = arith::ShRUIOp::create(builder, loc, more, constant(1));
    Value isOnePart = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, rest, constant(part));
    step = arith::SelectOp::create(builder, loc, isOnePart, rest, half);
  }
  auto emitPart = [&](Value start, Value height) {
    tile.rows[plan.cutDim] =
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

//===-- Stretches ---------------------------------------------------------===//

std::pair<Value, Value> KernelEmitter::getStretch(const Tile &unit) {
  const Extent &width = plan.rows.back();
  Value size = getValue(get(width));
  if (width.isStatic() && width.getStatic() <= plan.pixelsOfUnit)
    return {constant(0), size};
  Value from = multiply(unit.rows.back(), plan.pixelsOfUnit);
  Value next = add(from, attribute(plan.pixelsOfUnit));
  return {from, arith::MinUIOp::create(builder, loc, next, size)};
}

void KernelEmitter::emitStretch(
    Value from, Value to,
    function_ref<void(Value, Value, const PixelClass &)> emitPixels) {
  const Extent &width = plan.rows.back();
  if (!width.isStatic()) {
    // Of whole tiles and, if it is the last unit, single pixels.
    Value count = arith::SubIOp::create(builder, loc, to, from);
    Value whole = arith::AddIOp::create(builder, loc, from,
                                        roundDown(count, plan.pixels));
    emitPixels(from, whole, {0, 0, plan.pixels, 0, 0});
    return emitPixels(whole, to, {0, 0, 1, 0, 0});
  }
  bool isWhole = width.getStatic() <= plan.pixelsOfUnit;
  for (const PixelClass &pixels : plan.getPixelClasses()) {
    // No tile, but in a unit that has some of them.
    Value first = constant(pixels.first), end = constant(pixels.end);
    if (!isWhole && pixels.first == 0)
      first = from;
    else if (!isWhole)
      first = arith::MaxUIOp::create(builder, loc, from, first);
    if (!isWhole && pixels.end == width.getStatic())
      end = to;
    else if (!isWhole)
      end = arith::MinUIOp::create(builder, loc, to, end);
    emitPixels(first, end, pixels);
  }
}
