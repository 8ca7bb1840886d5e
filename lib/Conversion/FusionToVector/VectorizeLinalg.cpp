//===-- VectorizeLinalg.cpp - Linalg ops that are no root -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-vectorize-linalg: inside kernels, a linalg op on memrefs is
// cut into one-dimensional linalg ops of a static size, which upstream
// vectorizes; what upstream does not take becomes loops. Copies into another
// order of dims are turned block by block (TransposeToVector.cpp).
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "FusionDialect/Conversion/Passes.h"
#include "IndexedLoads.h"
#include "TransposeToVector.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONVECTORIZELINALGPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

using utils::IteratorType;

namespace {
/// The loop along which vectors run: the output's last dim that is not of size
/// one, or, if the output has none (a full reduction), the first input's. -1 if
/// there is no such loop or an operand mixes it with others (a window).
int64_t chooseVectorLoop(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto lastLoop = [&](OpOperand *operand) -> int64_t {
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (AffineExpr result : llvm::reverse(map.getResults())) {
      if (isa<AffineConstantExpr>(result))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (!dim)
        return -1;
      if (ranges[dim.getPosition()] != 1)
        return dim.getPosition();
    }
    return -1;
  };
  int64_t loop = lastLoop(op.getDpsInitOperand(0));
  if (loop < 0 && op.getNumDpsInputs() != 0)
    loop = lastLoop(op.getDpsInputOperand(0));
  if (loop < 0)
    return -1;
  AffineExpr vectorDim = getAffineDimExpr(loop, op.getContext());
  for (AffineMap map : op.getIndexingMapsArray()) {
    int64_t uses = 0;
    for (AffineExpr result : map.getResults()) {
      if (result == vectorDim)
        ++uses;
      else if (result.isFunctionOfDim(loop))
        return -1;
    }
    if (uses > 1)
      return -1;
  }
  return loop;
}

/// Lanes of the widest element type the op touches.
int64_t chooseLanes(linalg::LinalgOp op, const TargetInfo &target) {
  int64_t lanes = target.vectorBits / 8;
  for (Value operand : op->getOperands()) {
    Type type = getElementTypeOrScalar(operand.getType());
    lanes = std::min(lanes, type.isIndex() ? target.vectorBits / 64
                                           : target.getLanes(type));
  }
  return llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(lanes, 1)));
}

/// Cuts one linalg op. `offsets` holds the position of each loop.
class Cutter {
public:
  Cutter(RewriterBase &rewriter, linalg::LinalgOp op, int64_t vectorLoop,
         const IndexedLoads &loads)
      : rewriter(rewriter), op(op), loc(op.getLoc()), vectorLoop(vectorLoop),
        loads(loads), ranges(op.createLoopRanges(rewriter, loc)) {}

  /// Loops over everything, vectors of `lanes` along the vector loop, then
  /// ever smaller powers of two for what is left.
  void cut(int64_t lanes) {
    SmallVector<Value> offsets(ranges.size());
    cutFrom(0, lanes, offsets);
  }

private:
  void cutFrom(int64_t loop, int64_t lanes, SmallVector<Value> &offsets) {
    // The vector loop is innermost, whatever its position.
    if (loop == static_cast<int64_t>(ranges.size()))
      return cutVectorLoop(lanes, offsets);
    if (loop == vectorLoop)
      return cutFrom(loop + 1, lanes, offsets);
    OpFoldResult size = ranges[loop].size;
    if (isConstantIntValue(size, 1)) {
      offsets[loop] = index(0);
      return cutFrom(loop + 1, lanes, offsets);
    }
    Value zero = index(0), end = value(size);
    auto forOp = scf::ForOp::create(rewriter, loc, zero, end, index(1));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(forOp.getBody());
    offsets[loop] = forOp.getInductionVar();
    cutFrom(loop + 1, lanes, offsets);
  }

  void cutVectorLoop(int64_t lanes, SmallVector<Value> &offsets) {
    OpFoldResult size = ranges[vectorLoop].size;
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known) {
      int64_t done = *known / lanes * lanes;
      Value zero = index(0);
      loopOf(zero, index(done), done / lanes, lanes, offsets);
      for (int64_t width = lanes / 2; width >= 1; width /= 2)
        if ((*known - done) & width) {
          offsets[vectorLoop] = index(done);
          createTile(width, offsets);
          done += width;
        }
      return;
    }
    // Each narrower loop has one trip, or none.
    Value from = index(0), whole = value(size);
    for (int64_t width = lanes; width >= 1; width /= 2) {
      Value rest = arith::RemUIOp::create(rewriter, loc, whole, index(width));
      Value to = arith::SubIOp::create(rewriter, loc, whole, rest);
      loopOf(from, to, /*trips=*/-1, width, offsets);
      from = to;
    }
  }

  void loopOf(Value from, Value to, int64_t trips, int64_t width,
              SmallVector<Value> &offsets) {
    if (trips == 0)
      return;
    if (trips == 1) {
      offsets[vectorLoop] = from;
      return createTile(width, offsets);
    }
    auto forOp = scf::ForOp::create(rewriter, loc, from, to, index(width));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(forOp.getBody());
    offsets[vectorLoop] = forOp.getInductionVar();
    createTile(width, offsets);
  }

  /// `width` iterations of the vector loop at `offsets`, as a generic of one
  /// loop, vectorized.
  void createTile(int64_t width, ArrayRef<Value> offsets) {
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    AffineExpr vectorDim = rewriter.getAffineDimExpr(vectorLoop);
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool along = llvm::is_contained(map.getResults(), vectorDim);
      maps.push_back(AffineMap::get(
          1, 0, along ? ArrayRef<AffineExpr>(d0) : ArrayRef<AffineExpr>(),
          rewriter.getContext()));
      (op.isDpsInit(&operand) ? inits : inputs)
          .push_back(
              sliceOperand(operand.get(), map, vectorDim, width, offsets));
    }
    IRMapping mapping;
    SmallVector<Value> places = loads.create(rewriter, offsets, width, mapping);
    llvm::append_range(inputs, places);
    maps.insert(maps.end() - inits.size(), places.size(),
                rewriter.getMultiDimIdentityMap(1));
    IteratorType iterator = op.getIteratorTypesArray()[vectorLoop];
    auto tile = linalg::GenericOp::create(
        rewriter, loc, inputs, inits, maps, iterator,
        [&](OpBuilder &nested, Location, ValueRange arguments) {
          cloneBody(nested, arguments, offsets, mapping);
        });
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(tile);
    auto vectorized = linalg::vectorize(rewriter, tile);
    if (failed(vectorized) && failed(linalg::linalgOpToLoops(rewriter, tile)))
      return;
    rewriter.eraseOp(tile);
  }

  Value sliceOperand(Value operand, AffineMap map, AffineExpr vectorDim,
                     int64_t width, ArrayRef<Value> offsets) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || type.getRank() == 0)
      return operand;
    SmallVector<OpFoldResult> from, sizes,
        strides(type.getRank(), rewriter.getIndexAttr(1));
    SmallVector<int64_t> shape;
    for (AffineExpr result : map.getResults()) {
      from.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, AffineMap::get(map.getNumDims(), 0, result),
          getAsOpFoldResult(offsets)));
      sizes.push_back(rewriter.getIndexAttr(result == vectorDim ? width : 1));
      if (result == vectorDim)
        shape.push_back(width);
    }
    auto sliceType =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            shape, type, from, sizes, strides));
    return memref::SubViewOp::create(rewriter, loc, sliceType, operand, from,
                                     sizes, strides);
  }

  /// `arguments` are the op's inputs, what its moving loads read, its inits.
  void cloneBody(OpBuilder &nested, ValueRange arguments,
                 ArrayRef<Value> offsets, IRMapping &mapping) {
    Block *body = op.getBlock();
    int64_t numInputs = op.getNumDpsInputs();
    mapping.map(body->getArguments().take_front(numInputs),
                arguments.take_front(numInputs));
    mapping.map(body->getArguments().drop_front(numInputs),
                arguments.take_back(op.getNumDpsInits()));
    for (auto [load, argument] :
         llvm::zip(loads.getMoving(), arguments.drop_front(numInputs)))
      mapping.map(load->getResult(0), argument);
    for (Operation &inner : *body) {
      if (loads.contains(&inner))
        continue;
      auto indexOp = dyn_cast<linalg::IndexOp>(inner);
      if (!indexOp) {
        nested.clone(inner, mapping);
        continue;
      }
      Value position = offsets[indexOp.getDim()];
      if (static_cast<int64_t>(indexOp.getDim()) == vectorLoop)
        position = arith::AddIOp::create(
            nested, indexOp.getLoc(),
            linalg::IndexOp::create(nested, indexOp.getLoc(), 0), position);
      mapping.map(indexOp.getResult(), position);
    }
  }

  Value index(int64_t constant) {
    return arith::ConstantIndexOp::create(rewriter, loc, constant);
  }
  Value value(OpFoldResult folded) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, folded);
  }

  RewriterBase &rewriter;
  linalg::LinalgOp op;
  Location loc;
  int64_t vectorLoop;
  const IndexedLoads &loads;
  SmallVector<Range> ranges;
};

/// Upstream's vectorizer writes a whole reduction as one over several dims; of
/// one dim it is a vector.reduction, which lowers to LLVM.
void lowerMultiReductions(RewriterBase &rewriter, Operation *root) {
  root->walk([&](vector::MultiDimReductionOp op) {
    if (isa<VectorType>(op.getDestType()) ||
        op.getSourceVectorType().getRank() != 1)
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<vector::ReductionOp>(
        op, op.getKind(), op.getSource(), op.getAcc());
  });
}

/// True if each op of the body has a vector form.
bool hasVectorBody(linalg::LinalgOp op, const IndexedLoads &loads) {
  return llvm::all_of(op.getBlock()->without_terminator(), [&](Operation &o) {
    return isa<linalg::IndexOp>(o) || loads.contains(&o) || isEpilogueOp(&o);
  });
}

/// True if a vector of each operand lies in memory as its elements do. LLVM
/// packs the bits of types that are no whole bytes, memrefs do not.
bool hasVectorElements(linalg::LinalgOp op, const IndexedLoads &loads) {
  auto isWhole = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || memref.getElementType().isIndex())
      return true;
    Type element = memref.getElementType();
    return getWholeBytes(element) != 0;
  };
  return llvm::all_of(op->getOperandTypes(), isWhole) &&
         llvm::all_of(loads.getMoving(), [&](memref::LoadOp load) {
           return isWhole(load.getMemRefType());
         });
}

/// True if what is combined along `loop` is a vector: upstream's vectorizer
/// adds a scalar once, not for each iteration.
bool reducesVectors(linalg::LinalgOp op, int64_t loop,
                    const IndexedLoads &loads) {
  if (op.getIteratorTypesArray()[loop] != IteratorType::reduction)
    return true;
  llvm::SmallPtrSet<Value, 8> vectors;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      vectors.insert(op.getMatchingBlockArgument(input));
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    bool isVector = index ? static_cast<int64_t>(index.getDim()) == loop
                    : loads.contains(&inner)
                        ? llvm::is_contained(loads.getMoving(), &inner)
                        : llvm::any_of(inner.getOperands(), [&](Value value) {
                            return vectors.contains(value);
                          });
    if (isVector)
      vectors.insert_range(inner.getResults());
  }
  return llvm::all_of(op.getBlock()->getTerminator()->getOperands(),
                      [&](Value value) { return vectors.contains(value); });
}

/// Cuts `op` into vectors; false if it has no vector form.
bool vectorizeOp(RewriterBase &rewriter, linalg::LinalgOp op,
                 const TargetInfo &target) {
  int64_t loop = chooseVectorLoop(op);
  if (loop < 0)
    return false;
  std::optional<IndexedLoads> loads = IndexedLoads::get(op, loop);
  if (!loads || !hasVectorBody(op, *loads) || !hasVectorElements(op, *loads) ||
      !reducesVectors(op, loop, *loads))
    return false;
  Cutter(rewriter, op, loop, *loads).cut(chooseLanes(op, target));
  return true;
}

struct FusionVectorizeLinalgPass final
    : fusion::impl::FusionVectorizeLinalgPassBase<FusionVectorizeLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::CopyOp::create(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      rewriter.eraseOp(copy);
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      bool isVectorized =
          vectorize && (vectorizeTranspose(rewriter, op, *info) ||
                        vectorizeOp(rewriter, op, *info));
      if (!isVectorized && failed(linalg::linalgOpToLoops(rewriter, op))) {
        op->emitOpError("expected an op that has loops");
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
    lowerMultiReductions(rewriter, getOperation());
  }
};
} // namespace
