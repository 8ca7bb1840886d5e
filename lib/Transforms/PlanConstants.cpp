//===-- PlanConstants.cpp - Transposes, reshapes, slices of constants -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second walk of fusion-assign-layout: what moves no data becomes a
// reshape, what is constant is done now. Upstream folds dense constants only,
// and those element by element.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "PlanLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

namespace {
/// Copies `source`, of shape `shape`, to `target` with permuted dims.
template <typename T>
void copyPermuted(ArrayRef<char> source, ArrayRef<int64_t> shape,
                  ArrayRef<int64_t> permutation, MutableArrayRef<char> target) {
  SmallVector<int64_t> strides = permute(computeStrides(shape), permutation);
  SmallVector<int64_t> sizes = permute(shape, permutation);
  SmallVector<int64_t> index(sizes.size(), 0);
  const T *from = reinterpret_cast<const T *>(source.data());
  T *to = reinterpret_cast<T *>(target.data());
  int64_t outer = sizes.size() - 1, inner = sizes.back();
  for (int64_t rows = llvm::product_of(sizes) / inner; rows > 0; --rows) {
    const T *row = from;
    for (int64_t i = 0; i < outer; ++i)
      row += index[i] * strides[i];
    for (int64_t i = 0; i < inner; ++i)
      *to++ = row[i * strides.back()];
    for (int64_t i = outer - 1; i >= 0 && ++index[i] == sizes[i]; --i)
      index[i] = 0;
  }
}

/// transpose(constant) -> constant.
struct FoldConstantTranspose final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstantTensor(op.getInput());
    if (!attr || !op.hasPureTensorSemantics() || attr.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "expected a constant");
    auto source = cast<RankedTensorType>(op.getInput().getType());
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    ArrayRef<int64_t> permutation = op.getPermutation();
    if (movesOnlyUnitDims(source, permutation)) {
      if (TypedAttr same = reshapeConstant(attr, type)) {
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, same);
        return success();
      }
    }
    std::optional<ArrayRef<char>> raw = getRawElements(attr);
    int64_t bytes = getWholeBytes(type.getElementType());
    if (!raw || bytes == 0)
      return rewriter.notifyMatchFailure(op, "expected elements of bytes");
    auto fill = [&](MutableArrayRef<char> target) {
      ArrayRef<int64_t> shape = source.getShape();
      switch (bytes) {
      case 1:
        return copyPermuted<uint8_t>(*raw, shape, permutation, target);
      case 2:
        return copyPermuted<uint16_t>(*raw, shape, permutation, target);
      case 4:
        return copyPermuted<uint32_t>(*raw, shape, permutation, target);
      default:
        return copyPermuted<uint64_t>(*raw, shape, permutation, target);
      }
    };
    std::string name =
        (getResourceName(attr, "constant") + "_transposed").str();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(createConstant(type, name, fill)));
    return success();
  }
};

/// expand_shape or collapse_shape of a constant -> the same data.
template <typename ReshapeOp>
struct FoldConstantReshape final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstantTensor(op.getSrc());
    RankedTensorType type = op.getResultType();
    TypedAttr reshaped;
    if (attr && type.hasStaticShape())
      reshaped = reshapeConstant(attr, type);
    if (!reshaped)
      return rewriter.notifyMatchFailure(op, "expected a constant");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, reshaped);
    return success();
  }
};

/// extract_slice of a constant -> constant: the gates' shares of a recurrent
/// network's weights.
struct FoldConstantSlice final : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstantTensor(op.getSource());
    std::optional<ArrayRef<char>> raw;
    if (attr)
      raw = getRawElements(attr);
    int64_t bytes = getWholeBytes(op.getType().getElementType());
    RankedTensorType type = op.getType();
    if (!raw || bytes == 0 || !type.hasStaticShape() ||
        type.getNumElements() == 0 || type.getRank() == 0 ||
        type.getRank() != op.getSourceType().getRank() ||
        !llvm::all_of(op.getStaticOffsets(), isStatic) ||
        !llvm::all_of(op.getStaticStrides(), [](int64_t s) { return s == 1; }))
      return rewriter.notifyMatchFailure(op, "expected a slice of a constant");
    SmallVector<int64_t> strides =
        computeStrides(op.getSourceType().getShape());
    SmallVector<int64_t> index(op.getStaticOffsets());
    ArrayRef<int64_t> offsets = op.getStaticOffsets();
    int64_t rowBytes = type.getShape().back() * bytes;
    auto fill = [&](MutableArrayRef<char> target) {
      for (size_t at = 0; at < target.size(); at += rowBytes) {
        int64_t from = linearize(index, strides) * bytes;
        std::memcpy(&target[at], &(*raw)[from], rowBytes);
        for (int64_t i = type.getRank() - 2;
             i >= 0 && ++index[i] == offsets[i] + type.getDimSize(i); --i)
          index[i] = offsets[i];
      }
    };
    std::string name = (getResourceName(attr, "constant") + "_slice").str();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(createConstant(type, name, fill)));
    return success();
  }
  static bool isStatic(int64_t value) { return !ShapedType::isDynamic(value); }
};

/// A transpose that moves only dims of size 1 -> collapse_shape, expand_shape:
///   1x2048x1x1 of 1x1x1x2048, the pooled image of a classifier.
struct TransposeToReshape final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    auto source = cast<RankedTensorType>(op.getInput().getType());
    auto target = cast<RankedTensorType>(op->getResult(0).getType());
    if (!movesOnlyUnitDims(source, op.getPermutation()))
      return rewriter.notifyMatchFailure(op, "expected to move unit dims only");
    if (source == target) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    Value flat = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), op.getInput(), getGroups(source));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), op.getInit());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, target, flat, getGroups(target), sizes);
    return success();
  }

  /// One group for each dim of another size than 1; unit dims go with the next.
  static SmallVector<ReassociationIndices> getGroups(RankedTensorType type) {
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices open;
    for (int64_t dim = 0, rank = type.getRank(); dim < rank; ++dim) {
      open.push_back(dim);
      if (type.getDimSize(dim) == 1)
        continue;
      groups.push_back(std::move(open));
      open.clear();
    }
    if (!groups.empty())
      groups.back().append(open);
    return groups;
  }
};
} // namespace

void fusion::populateSimplifyTransposePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  populateFoldConstantShapePatterns(patterns);
  patterns.addWithLabel<FoldConstantTranspose>({"fold-constant-transpose"},
                                               context, /*benefit=*/2);
  patterns.addWithLabel<TransposeToReshape>({"transpose-to-reshape"}, context);
}

void fusion::populateFoldConstantShapePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<FoldConstantReshape<tensor::CollapseShapeOp>,
                        FoldConstantReshape<tensor::ExpandShapeOp>>(
      {"fold-constant-reshape"}, context, /*benefit=*/2);
  patterns.addWithLabel<FoldConstantSlice>({"fold-constant-slice"}, context,
                                           /*benefit=*/2);
}
