//===-- EvaluateTensorOps.cpp - Ops that move elements, in numbers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters of slices, packed tensors, elements as other ones.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Calls with the linear places in the slices that `indices` point to and in
/// the whole; false if a place is outside or not known.
static bool forEachInSlices(const Array &indices, ArrayRef<int64_t> taken,
                            ArrayRef<int64_t> slices, ArrayRef<int64_t> whole,
                            llvm::function_ref<void(int64_t, int64_t)> callee) {
  if (llvm::is_contained(slices, 0))
    return true;
  size_t batchRank = indices.shape.size() - 1;
  bool keepsDims = slices.size() == batchRank + whole.size();
  SmallVector<int64_t> position(slices.size(), 0), at(whole.size());
  int64_t index = 0;
  do {
    SmallVector<int64_t> batch(position.begin(), position.begin() + batchRank);
    batch.push_back(0);
    int64_t coordinates = getPlace(batch, indices.shape);
    size_t next = batchRank;
    for (size_t dim = 0; dim < whole.size(); ++dim) {
      const auto *found = llvm::find(taken, int64_t(dim));
      if (found == taken.end()) {
        at[dim] = position[next++];
      } else {
        next += keepsDims;
        const Number &place =
            indices.numbers[coordinates + (found - taken.begin())];
        if (place.error > 0)
          return false;
        at[dim] = place.integer;
      }
      if (at[dim] < 0 || at[dim] >= whole[dim])
        return false;
    }
    callee(index++, getPlace(at, whole));
  } while (nextPosition(position, slices));
  return true;
}

/// Calls with the linear places in a packed tensor and in the whole, which is
/// -1 for what fills a tile up.
template <typename OpTy>
static void forEachInTiles(OpTy op, ArrayRef<int64_t> tiles,
                           ArrayRef<int64_t> packed, ArrayRef<int64_t> whole,
                           llvm::function_ref<void(int64_t, int64_t)> callee) {
  if (llvm::is_contained(packed, 0))
    return;
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  SmallVector<int64_t> position(packed.size(), 0), at(whole.size());
  int64_t index = 0;
  do {
    for (size_t dim = 0; dim < whole.size(); ++dim)
      at[order.empty() ? dim : size_t(order[dim])] = position[dim];
    for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos()))
      at[dim] = at[dim] * tiles[i] + position[whole.size() + i];
    bool isInside = llvm::all_of(llvm::zip_equal(at, whole), [](auto pair) {
      return std::get<0>(pair) < std::get<1>(pair);
    });
    callee(index++, isInside ? getPlace(at, whole) : -1);
  } while (nextPosition(position, packed));
}

llvm::Error Evaluator::runMove(Operation *op) {
  auto finish = [&](Array result, bool isClear = true) -> llvm::Error {
    if (!isClear)
      return makeError(op, "out of bounds");
    set(op->getResult(0), std::move(result));
    return llvm::Error::success();
  };
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case([&](tensor::GatherOp gather) -> llvm::Error {
        const Array &source = get(gather.getSource()),
                    &indices = get(gather.getIndices());
        SmallVector<int64_t> shape(ArrayRef(indices.shape).drop_back());
        bool keepsDims = gather.getResultType().getRank() ==
                         int64_t(shape.size() + source.shape.size());
        for (auto [dim, size] : llvm::enumerate(source.shape))
          if (!llvm::is_contained(gather.getGatherDims(), int64_t(dim)))
            shape.push_back(size);
          else if (keepsDims)
            shape.push_back(1);
        Array result(source.elementType, shape);
        bool isClear =
            forEachInSlices(indices, gather.getGatherDims(), shape,
                            source.shape, [&](int64_t part, int64_t whole) {
                              result.numbers[part] = source.numbers[whole];
                            });
        return finish(std::move(result), isClear);
      })
      .Case([&](tensor::ScatterOp scatter) -> llvm::Error {
        const Array &source = get(scatter.getSource());
        Array result = get(scatter.getDest());
        bool isClear = forEachInSlices(
            get(scatter.getIndices()), scatter.getScatterDims(), source.shape,
            result.shape, [&](int64_t part, int64_t whole) {
              result.numbers[whole] = source.numbers[part];
            });
        return finish(std::move(result), isClear);
      })
      .Case([&](linalg::PackOp pack) -> llvm::Error {
        const Array &source = get(pack.getSource());
        Array result = get(pack.getDest());
        SmallVector<int64_t> tiles = getInts(pack.getMixedTiles());
        Number filler = Number::anything();
        if (Value value = pack.getPaddingValue())
          filler = get(value).numbers[0];
        forEachInTiles(pack, tiles, result.shape, source.shape,
                       [&](int64_t part, int64_t whole) {
                         result.numbers[part] =
                             whole < 0 ? filler : source.numbers[whole];
                       });
        return finish(std::move(result));
      })
      .Case([&](linalg::UnPackOp unpack) -> llvm::Error {
        const Array &source = get(unpack.getSource());
        Array result = get(unpack.getDest());
        SmallVector<int64_t> tiles = getInts(unpack.getMixedTiles());
        forEachInTiles(unpack, tiles, source.shape, result.shape,
                       [&](int64_t part, int64_t whole) {
                         if (whole >= 0)
                           result.numbers[whole] = source.numbers[part];
                       });
        return finish(std::move(result));
      })
      .Case([&](tensor::BitcastOp cast) -> llvm::Error {
        Array result = get(cast.getSource());
        Type from = result.elementType;
        result.elementType = getElementTypeOrSelf(cast.getType());
        ScalarOp scalar = ScalarOp::getBitcast(from, result.elementType);
        for (Number &number : result.numbers)
          number = scalar.evaluate({number, Number()}, precision);
        return finish(std::move(result));
      })
      .Default([&](Operation *) -> llvm::Error {
        return makeError(op, "unknown op");
      });
}
