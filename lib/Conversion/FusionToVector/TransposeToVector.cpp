//===-- TransposeToVector.cpp - Copies into another order of dims ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is next to each other in the source is far apart in the target. A block
// of n x n elements is read as n vectors, turned in registers and written as n
// vectors, n being the lanes of a vector:
//
//   for …, for u by n, for v by n:
//     %row_i = vector.load %source[…, v + i, …, u]       // n times
//     n log2(n) shuffles
//     vector.store %column_j, %target[…, u + j, …, v]    // n times
//
// Rests of u and v are smaller blocks, filled up with what is not used. Kernels
// of roots turn their tiles with the same shuffles.
//
//===----------------------------------------------------------------------===//

#include "TransposeToVector.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// Of more rows the registers run out.
static constexpr int64_t kMaxRows = 16;

/// Each bit of the row's number changes places with that of the lane's: of two
/// rows whose numbers differ in the bit, one gets the lanes where it is 0, the
/// other one those where it is 1.
void fusion::transposeBlock(OpBuilder &builder, Location loc,
                            MutableArrayRef<Value> rows) {
  int64_t size = rows.size();
  for (int64_t bit = 1; bit < size; bit *= 2)
    for (int64_t row = 0; row < size; ++row) {
      if (row & bit)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < size; ++lane) {
        low.push_back(lane & bit ? size + lane - bit : lane);
        high.push_back(lane & bit ? size + lane : lane + bit);
      }
      Value first = rows[row], second = rows[row + bit];
      rows[row] = vector::ShuffleOp::create(builder, loc, first, second, low);
      rows[row + bit] =
          vector::ShuffleOp::create(builder, loc, first, second, high);
    }
}

SmallVector<std::pair<int64_t, Value>> fusion::cutLanes(OpBuilder &builder,
                                                        Location loc,
                                                        Value vector,
                                                        int64_t count) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  if (count == size)
    return {{0, vector}};
  SmallVector<std::pair<int64_t, Value>> pieces;
  for (int64_t done = 0, width = size / 2; width > 0; width /= 2) {
    if (!(count & width))
      continue;
    Value piece = vector::ExtractStridedSliceOp::create(
        builder, loc, vector, ArrayRef<int64_t>{done}, ArrayRef<int64_t>{width},
        ArrayRef<int64_t>{1});
    pieces.push_back({done, piece});
    done += width;
  }
  return pieces;
}

Value fusion::createUnused(OpBuilder &builder, Location loc, VectorType type) {
  return ub::PoisonOp::create(builder, loc, type,
                              ub::PoisonAttr::get(builder.getContext()));
}

/// The loop that `operand`'s elements are next to each other along, or -1.
static int64_t getContiguousLoop(linalg::LinalgOp op, OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || type.getRank() == 0 || !map.isProjectedPermutation())
    return -1;
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return -1;
  return map.getDimPosition(map.getNumResults() - 1);
}

static bool isCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  return body->without_terminator().empty() &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

namespace {
class Transposer {
public:
  Transposer(RewriterBase &rewriter, linalg::LinalgOp op, int64_t sourceLoop,
             int64_t targetLoop, int64_t size)
      : rewriter(rewriter), op(op), loc(op.getLoc()), u(sourceLoop),
        v(targetLoop), size(size), source(op.getDpsInputOperand(0)->get()),
        target(op.getDpsInitOperand(0)->get()),
        sourceMap(op.getMatchingIndexingMap(op.getDpsInputOperand(0))),
        targetMap(op.getMatchingIndexingMap(op.getDpsInitOperand(0))),
        rowType(VectorType::get(
            size, cast<MemRefType>(source.getType()).getElementType())) {}

  void emit() {
    ranges = op.createLoopRanges(rewriter, loc);
    at.assign(ranges.size(), Value());
    emitLoops(getLoopOrder());
  }

private:
  /// The loops, outermost first.
  SmallVector<int64_t> getLoopOrder();
  void emitLoops(ArrayRef<int64_t> loops, int64_t rows = 0,
                 int64_t columns = 0);
  /// Calls `emitPart` for the whole parts of `size` along `loop`, and for the
  /// rest with its size, or one by one if that is known at run time only.
  void emitParts(int64_t loop, function_ref<void(int64_t)> emitPart);
  void emitFor(int64_t loop, Value from, Value to, int64_t step,
               function_ref<void()> emitBody);
  void emitBlock(int64_t rows, int64_t columns);
  SmallVector<Value> loadRows(int64_t rows, int64_t columns);
  void storeColumn(Value column, int64_t index, int64_t rows);
  /// Where `map` leads from the block's first element, `more` steps along
  /// `loop`.
  SmallVector<Value> getIndices(AffineMap map, int64_t loop, int64_t more);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  /// The loops along which elements are next to each other in the source and in
  /// the target.
  int64_t u, v, size;
  Value source, target;
  AffineMap sourceMap, targetMap;
  VectorType rowType;
  SmallVector<Range> ranges;
  /// The position of each loop.
  SmallVector<Value> at;
};
} // namespace

void Transposer::emitFor(int64_t loop, Value from, Value to, int64_t step,
                         function_ref<void()> emitBody) {
  auto forOp = scf::ForOp::create(rewriter, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(forOp.getBody());
  at[loop] = forOp.getInductionVar();
  emitBody();
}

SmallVector<int64_t> Transposer::getLoopOrder() {
  // Images that become channels-last are read as they lie in memory: rows of a
  // block are pages apart, and each is then one stream.
  SmallVector<int64_t> order;
  for (AffineExpr result : sourceMap.getResults())
    order.push_back(cast<AffineDimExpr>(result).getPosition());
  if (order.size() == ranges.size() && order.size() > 2 &&
      order[order.size() - 2] != v)
    return order;
  order.clear();
  for (int64_t loop = 0, e = ranges.size(); loop < e; ++loop)
    if (loop != u && loop != v)
      order.push_back(loop);
  order.append({u, v});
  return order;
}

/// `rows` and `columns` are those of a block once the loops v and u are there.
void Transposer::emitLoops(ArrayRef<int64_t> loops, int64_t rows,
                           int64_t columns) {
  if (loops.empty())
    return emitBlock(rows, columns);
  int64_t loop = loops.front();
  auto emitRest = [&](int64_t part) {
    emitLoops(loops.drop_front(), loop == v ? part : rows,
              loop == u ? part : columns);
  };
  if (loop == u || loop == v)
    return emitParts(loop, emitRest);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, ranges[loop].size);
  emitFor(loop, index(0), end, 1, [&] { emitRest(1); });
}

void Transposer::emitParts(int64_t loop, function_ref<void(int64_t)> emitPart) {
  OpFoldResult extent = ranges[loop].size;
  Value zero = index(0);
  if (std::optional<int64_t> known = getConstantIntValue(extent)) {
    int64_t rest = *known % size;
    Value whole = index(*known - rest);
    if (*known != rest)
      emitFor(loop, zero, whole, size, [&] { emitPart(size); });
    if (rest == 0)
      return;
    at[loop] = whole;
    return emitPart(rest);
  }
  Value end = cast<Value>(extent);
  Value rest = arith::RemUIOp::create(rewriter, loc, end, index(size));
  Value whole = arith::SubIOp::create(rewriter, loc, end, rest);
  emitFor(loop, zero, whole, size, [&] { emitPart(size); });
  emitFor(loop, whole, end, 1, [&] { emitPart(1); });
}

SmallVector<Value> Transposer::getIndices(AffineMap map, int64_t loop,
                                          int64_t more) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults()) {
    int64_t dim = cast<AffineDimExpr>(result).getPosition();
    Value position = at[dim];
    if (dim == loop && more != 0)
      position = arith::AddIOp::create(rewriter, loc, position, index(more));
    indices.push_back(position);
  }
  return indices;
}

/// `rows` vectors of which `columns` lanes are read. The other rows and lanes
/// are never written.
SmallVector<Value> Transposer::loadRows(int64_t rows, int64_t columns) {
  SmallVector<Value> block;
  for (int64_t i = 0; i < rows; ++i) {
    SmallVector<Value> indices = getIndices(sourceMap, v, i);
    if (columns == size) {
      block.push_back(
          vector::LoadOp::create(rewriter, loc, rowType, source, indices));
      continue;
    }
    Value mask = vector::ConstantMaskOp::create(
        rewriter, loc, rowType.clone(rewriter.getI1Type()), columns);
    Value zero = arith::ConstantOp::create(rewriter, loc, rowType,
                                           rewriter.getZeroAttr(rowType));
    block.push_back(vector::MaskedLoadOp::create(rewriter, loc, rowType, source,
                                                 indices, mask, zero));
  }
  block.resize(size, createUnused(rewriter, loc, rowType));
  return block;
}

void Transposer::storeColumn(Value column, int64_t index, int64_t rows) {
  Value first = at[v];
  for (auto [lane, piece] : cutLanes(rewriter, loc, column, rows)) {
    if (lane != 0)
      at[v] = arith::AddIOp::create(rewriter, loc, first, this->index(lane));
    vector::StoreOp::create(rewriter, loc, piece, target,
                            getIndices(targetMap, u, index));
  }
  at[v] = first;
}

void Transposer::emitBlock(int64_t rows, int64_t columns) {
  SmallVector<Value> block = loadRows(rows, columns);
  transposeBlock(rewriter, loc, block);
  for (int64_t i = 0; i < columns; ++i)
    storeColumn(block[i], i, rows);
}

bool fusion::vectorizeTranspose(RewriterBase &rewriter, linalg::LinalgOp op,
                                const TargetInfo &target) {
  if (!isCopy(op) || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand &input = *op.getDpsInputOperand(0),
            &init = *op.getDpsInitOperand(0);
  int64_t u = getContiguousLoop(op, input), v = getContiguousLoop(op, init);
  // A broadcast along either loop is no transposition.
  auto isIndexedBy = [&](OpOperand &operand, int64_t loop) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
  };
  if (u < 0 || v < 0 || u == v || !isIndexedBy(input, v) ||
      !isIndexedBy(init, u))
    return false;
  Type type = cast<MemRefType>(input.get().getType()).getElementType();
  if (type != cast<MemRefType>(init.get().getType()).getElementType() ||
      getWholeBytes(type) == 0)
    return false;
  int64_t size = std::min<int64_t>(
      llvm::bit_floor(uint64_t(target.getLanes(type))), kMaxRows);
  SmallVector<int64_t> trips = op.getStaticLoopRanges();
  // A row of one element has nothing to turn.
  if (size == 1 || trips[u] == 1 || trips[v] == 1)
    return false;
  Transposer(rewriter, op, u, v, size).emit();
  return true;
}
