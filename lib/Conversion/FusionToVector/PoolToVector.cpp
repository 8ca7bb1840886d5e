//===-- PoolToVector.cpp - Pools ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes are channels. Padding is never read: each pixel's window is cut to
// the image by the bounds of the loops over it.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
class PoolEmitter {
public:
  PoolEmitter(KernelEmitter &emitter)
      : emitter(emitter), pool(cast<PoolOp>(emitter.root.getOperation())),
        input(emitter.getFlat(pool.getInput())) {}
  void emitPixel(const Tile &tile);

private:
  SmallVector<Value> emitWindow(const Tile &tile, ArrayRef<WindowRange> ranges);
  Value combine(Value acc, Value element);
  Value getCount(ArrayRef<WindowRange> ranges);

  KernelEmitter &emitter;
  PoolOp pool;
  Value input;
};
} // namespace

Value PoolEmitter::combine(Value acc, Value element) {
  if (pool.getKind() == PoolKind::Max)
    return arith::MaximumFOp::create(emitter.builder, emitter.loc, acc,
                                     element);
  if (pool.getKind() == PoolKind::Min)
    return arith::MinimumFOp::create(emitter.builder, emitter.loc, acc,
                                     element);
  return arith::AddFOp::create(emitter.builder, emitter.loc, acc, element);
}

/// The combined elements of the window, one vector after the other.
SmallVector<Value> PoolEmitter::emitWindow(const Tile &tile,
                                           ArrayRef<WindowRange> ranges) {
  const KernelPlan &plan = emitter.plan;
  int64_t numVectors = emitter.getNumVectors(tile);
  auto type = cast<FloatType>(emitter.root.getAccumulatorType());
  TypedAttr neutral = emitter.builder.getZeroAttr(type);
  bool isMax = pool.getKind() == PoolKind::Max;
  if (isMax || pool.getKind() == PoolKind::Min)
    neutral = FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  SmallVector<Value> accs(numVectors, emitter.splat(neutral));

  Value base = emitter.getInputBase(tile);
  auto emitLevel = [&](auto &self, unsigned dim, Value at,
                       ValueRange carried) -> SmallVector<Value> {
    if (dim == ranges.size()) {
      SmallVector<Value> next;
      for (int64_t i = 0; i < numVectors; ++i) {
        Value element =
            emitter.loadInput(input, at, emitter.attribute(i * plan.lanes),
                              emitter.createMask(tile, i));
        next.push_back(combine(carried[i], element));
      }
      return next;
    }
    return emitter.emitFor(
        ranges[dim].from, ranges[dim].to, carried,
        [&](Value step, ValueRange values) {
          const Extent &stride = plan.reductions[dim].inputStride;
          return self(self, dim + 1,
                      emitter.add(at, emitter.multiply(step, stride)), values);
        });
  };
  return emitLevel(emitLevel, 0, base, accs);
}

/// What an average divides by: 0 if the window is all padding.
Value PoolEmitter::getCount(ArrayRef<WindowRange> ranges) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Value count = emitter.constant(1);
  for (auto [range, window] : llvm::zip_equal(ranges, pool.getWindow())) {
    if (pool.getCountIncludePad()) {
      count = emitter.multiply(count, window);
      continue;
    }
    Value inside =
        builder.createOrFold<arith::SubIOp>(loc, range.to, range.from);
    inside =
        builder.createOrFold<arith::MaxSIOp>(loc, inside, emitter.constant(0));
    count = builder.createOrFold<arith::MulIOp>(loc, count, inside);
  }
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  Type element = emitter.getVectorType().getElementType();
  Value divisor = arith::SIToFPOp::create(builder, loc, element, integer);
  return vector::BroadcastOp::create(builder, loc, emitter.getVectorType(),
                                     divisor);
}

void PoolEmitter::emitPixel(const Tile &tile) {
  SmallVector<WindowRange> ranges;
  for (const ReductionLoop &loop : emitter.plan.reductions)
    ranges.push_back(emitter.getWindowRange(loop, tile));
  SmallVector<Value> elements = emitWindow(tile, ranges);
  if (pool.getKind() == PoolKind::Average) {
    Value count = getCount(ranges);
    for (Value &element : elements)
      element =
          arith::DivFOp::create(emitter.builder, emitter.loc, element, count);
  }
  emitter.emitEpilogue(tile, elements);
}

void fusion::emitPool(KernelEmitter &emitter) {
  PoolEmitter pool(emitter);
  emitter.emitUnits([&](const Tile &row) {
    Value pixels = emitter.getValue(emitter.get(emitter.plan.rows.back()));
    emitter.emitFor(emitter.constant(0), pixels, {},
                    [&](Value pixel, ValueRange) {
                      Tile tile = row;
                      tile.height = 1;
                      tile.rows.back() = pixel;
                      pool.emitPixel(tile);
                      return SmallVector<Value>();
                    });
  });
}
