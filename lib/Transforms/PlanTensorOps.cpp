//===-- PlanTensorOps.cpp - Tensor ops that upstream does not lower -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of --fusion-decompose-unsupported: tensor.gather, tensor.scatter and
// tensor.bitcast have no form on memrefs, so they become linalg and loops.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;

/// Element `coordinate` of the tuple that `indices` holds at `batch`, as an
/// index.
static Value readCoordinate(OpBuilder &builder, Location loc, Value indices,
                            ValueRange batch, int64_t coordinate) {
  SmallVector<Value> position(batch);
  position.push_back(arith::ConstantIndexOp::create(builder, loc, coordinate));
  Value read = tensor::ExtractOp::create(builder, loc, indices, position);
  if (read.getType().isIndex())
    return read;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), read);
}

/// Where in `dims` the dim `dim` is; none if it is not.
static std::optional<int64_t> getPosition(ArrayRef<int64_t> dims, int64_t dim) {
  auto found = llvm::find(dims, dim);
  if (found == dims.end())
    return {};
  return found - dims.begin();
}

namespace {
/// tensor.gather -> a linalg.generic over its result that reads an element of
/// the source:
///   gather %x[%i] gather_dims([0]) -> generic { extract %x[%i[d0, 0], d2] }
struct DecomposeGather final : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    int64_t sourceRank = op.getSourceType().getRank();
    RankedTensorType type = op.getResultType();
    // Gathered dims are of size 1 in the result, or left out of it.
    bool keepsDims = type.getRank() == batchRank + sourceRank;

    // The loop of each source dim that is not gathered.
    SmallVector<std::optional<int64_t>> loops;
    SmallVector<Value> dynamicSizes;
    int64_t next = batchRank;
    auto addSize = [&](int64_t dim, Value from, int64_t fromDim) {
      if (type.isDynamicDim(dim))
        dynamicSizes.push_back(
            tensor::DimOp::create(rewriter, loc, from, fromDim));
    };
    for (int64_t dim = 0; dim < batchRank; ++dim)
      addSize(dim, op.getIndices(), dim);
    for (int64_t dim = 0; dim < sourceRank; ++dim) {
      if (getPosition(op.getGatherDims(), dim)) {
        loops.push_back(std::nullopt);
        next += keepsDims;
        continue;
      }
      addSize(next, op.getSource(), dim);
      loops.push_back(next++);
    }

    Value init = tensor::EmptyOp::create(rewriter, loc, type, dynamicSizes);
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange(), init,
        rewriter.getMultiDimIdentityMap(type.getRank()), iterators,
        [&](OpBuilder &body, Location loc, ValueRange) {
          auto getLoop = [&](int64_t loop) -> Value {
            return linalg::IndexOp::create(body, loc, loop);
          };
          auto batch = llvm::map_to_vector(llvm::seq(batchRank), getLoop);
          SmallVector<Value> position;
          for (auto [dim, loop] : llvm::enumerate(loops))
            position.push_back(
                loop ? getLoop(*loop)
                     : readCoordinate(body, loc, op.getIndices(), batch,
                                      *getPosition(op.getGatherDims(), dim)));
          Value element =
              tensor::ExtractOp::create(body, loc, op.getSource(), position);
          linalg::YieldOp::create(body, loc, element);
        });
    return success();
  }
};

/// tensor.scatter -> loops over the slices of its source:
///   scatter %x into %y[%i] scatter_dims([0]) -> for %b iter_args(%t = %y) {
///     insert_slice (extract_slice %x[%b, 0]) into %t[%i[%b, 0], 0] }
struct DecomposeScatter final : OpRewritePattern<tensor::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    int64_t rank = op.getDestType().getRank();

    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> from(batchRank, zero), steps(batchRank, one), to;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      to.push_back(tensor::DimOp::create(rewriter, loc, op.getIndices(), dim));

    auto body = [&](OpBuilder &body, Location loc, ValueRange batch,
                    ValueRange carried) -> scf::ValueVector {
      OpFoldResult none = body.getIndexAttr(0), unit = body.getIndexAttr(1);
      // One slice of the source is what of the destination it replaces.
      SmallVector<OpFoldResult> target(rank, none), sizes, sourceSizes;
      SmallVector<int64_t> shape;
      for (int64_t dim = 0; dim < rank; ++dim) {
        if (auto position = getPosition(op.getScatterDims(), dim)) {
          target[dim] =
              readCoordinate(body, loc, op.getIndices(), batch, *position);
          sizes.push_back(unit);
          continue;
        }
        sizes.push_back(tensor::getMixedSize(body, loc, op.getDest(), dim));
        shape.push_back(op.getDestType().getDimSize(dim));
      }
      SmallVector<OpFoldResult> source = getAsOpFoldResult(batch);
      source.append(op.getSourceType().getRank() - batchRank, none);
      sourceSizes.assign(batchRank, unit);
      bool keepsDims = op.getSourceType().getRank() == batchRank + rank;
      for (int64_t dim = 0; dim < rank; ++dim)
        if (keepsDims || !getPosition(op.getScatterDims(), dim))
          sourceSizes.push_back(sizes[dim]);
      auto sliceType =
          RankedTensorType::get(shape, op.getDestType().getElementType());
      SmallVector<OpFoldResult> sourceSteps(source.size(), unit),
          targetSteps(rank, unit);
      Value slice =
          tensor::ExtractSliceOp::create(body, loc, sliceType, op.getSource(),
                                         source, sourceSizes, sourceSteps);
      Value next = tensor::InsertSliceOp::create(body, loc, slice, carried[0],
                                                 target, sizes, targetSteps);
      return {next};
    };
    scf::LoopNest nest =
        scf::buildLoopNest(rewriter, loc, from, to, steps, op.getDest(), body);
    rewriter.replaceOp(op, nest.results);
    return success();
  }
};

/// tensor.bitcast -> a linalg.generic of arith.bitcast.
struct DecomposeBitcast final : OpRewritePattern<tensor::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto isComputable = [](Type element) {
      return element.isSignlessInteger() || isa<FloatType>(element);
    };
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isComputable(type.getElementType()) ||
        !isComputable(getElementTypeOrSelf(op.getSource())))
      return rewriter.notifyMatchFailure(
          op, "expected ranked tensors of signless types");
    Location loc = op.getLoc();
    Value init = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getSource()),
        type.getElementType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, init.getType(), op.getSource(), init,
        ArrayRef{identity, identity}, iterators,
        [&](OpBuilder &body, Location loc, ValueRange arguments) {
          Value bits = arith::BitcastOp::create(
              body, loc, type.getElementType(), arguments[0]);
          linalg::YieldOp::create(body, loc, bits);
        });
    Value result = generic.getResult(0);
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void fusion::populateDecomposeTensorOpPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<DecomposeGather>({"decompose-gather"}, context);
  patterns.addWithLabel<DecomposeScatter>({"decompose-scatter"}, context);
  patterns.addWithLabel<DecomposeBitcast>({"decompose-bitcast"}, context);
}
