//===-- PlanConstants.cpp - Constants as raw bytes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and making constants, and the rules that fold transposes and reshapes
// of them; upstream folds dense constants only, and those element by element.
//
//===----------------------------------------------------------------------===//

#include "PlanConstants.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "PlanLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

ElementsAttr fusion::getConstantElements(Value value) {
  ElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)) ||
      !isa<DenseElementsAttr, DenseResourceElementsAttr>(attr) ||
      !isa<RankedTensorType>(attr.getType()))
    return {};
  return attr;
}

FailureOr<RawConstant> fusion::getRawConstant(ElementsAttr attr,
                                              std::string &reason) {
  auto type = cast<RankedTensorType>(attr.getType());
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits < 8 || bits > 64 || !llvm::isPowerOf2_32(bits)) {
    reason = "expected elements of 8, 16, 32 or 64 bits";
    return failure();
  }
  RawConstant raw{type, {}, bits / 8, /*isSplat=*/false, "constant"};
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    raw.bytes = dense.getRawData();
    raw.isSplat = dense.isSplat();
    return raw;
  }
  DenseResourceElementsHandle handle =
      cast<DenseResourceElementsAttr>(attr).getRawHandle();
  raw.name = handle.getKey();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob) {
    reason = "expected the data of resource '" + raw.name.str() + "', got none";
    return failure();
  }
  raw.bytes = blob->getData();
  int64_t want = type.getNumElements() * raw.elementBytes;
  if (static_cast<int64_t>(raw.bytes.size()) != want) {
    reason = "expected " + std::to_string(want) + " bytes in resource '" +
             raw.name.str() + "', got " + std::to_string(raw.bytes.size());
    return failure();
  }
  return raw;
}

AsmResourceBlob fusion::allocateConstant(RankedTensorType type,
                                         int64_t elementBytes) {
  return HeapAsmResourceBlob::allocate(type.getNumElements() * elementBytes,
                                       /*align=*/64, /*dataIsMutable=*/true);
}

ElementsAttr fusion::makeConstant(RankedTensorType type, ElementsAttr from,
                                  StringRef name, AsmResourceBlob blob) {
  constexpr size_t kSmall = 1024;
  if (isa<DenseElementsAttr>(from) && blob.getData().size() <= kSmall)
    return DenseElementsAttr::getFromRawBuffer(type, blob.getData());
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

namespace {
/// Copies `source` to `target` with permuted dims.
template <typename T>
void copyPermuted(const RawConstant &source, ArrayRef<int64_t> permutation,
                  MutableArrayRef<char> target) {
  ArrayRef<int64_t> shape = source.type.getShape();
  SmallVector<int64_t> strides = permute(computeStrides(shape), permutation);
  SmallVector<int64_t> sizes = permute(shape, permutation);
  SmallVector<int64_t> index(sizes.size(), 0);
  const T *from = reinterpret_cast<const T *>(source.bytes.data());
  T *to = reinterpret_cast<T *>(target.data());
  int64_t inner = sizes.back(), innerStride = strides.back();
  for (int64_t rows = source.type.getNumElements() / inner; rows > 0; --rows) {
    const T *row = from;
    for (int64_t i = 0, e = sizes.size() - 1; i < e; ++i)
      row += index[i] * strides[i];
    for (int64_t i = 0; i < inner; ++i)
      *to++ = row[i * innerStride];
    for (int64_t i = sizes.size() - 2; i >= 0 && ++index[i] == sizes[i]; --i)
      index[i] = 0;
  }
}

/// transpose(constant) -> constant.
struct FoldConstantTranspose final : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstantElements(op.getInput());
    if (!attr || !op.hasPureTensorSemantics() || attr.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "expected a constant");
    std::string reason;
    FailureOr<RawConstant> raw = getRawConstant(attr, reason);
    if (failed(raw) || raw->isSplat)
      return rewriter.notifyMatchFailure(op, reason);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (movesOnlyUnitDims(raw->type, op.getPermutation())) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, reshape(attr, type));
      return success();
    }
    AsmResourceBlob blob = allocateConstant(type, raw->elementBytes);
    MutableArrayRef<char> target = blob.getMutableData();
    switch (raw->elementBytes) {
    case 1:
      copyPermuted<uint8_t>(*raw, op.getPermutation(), target);
      break;
    case 2:
      copyPermuted<uint16_t>(*raw, op.getPermutation(), target);
      break;
    case 4:
      copyPermuted<uint32_t>(*raw, op.getPermutation(), target);
      break;
    default:
      copyPermuted<uint64_t>(*raw, op.getPermutation(), target);
      break;
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, makeConstant(type, attr, (raw->name + "_transposed").str(),
                         std::move(blob)));
    return success();
  }

  static TypedAttr reshape(ElementsAttr attr, RankedTensorType type) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attr))
      return dense.reshape(type);
    return DenseResourceElementsAttr::get(
        type, cast<DenseResourceElementsAttr>(attr).getRawHandle());
  }
};

/// expand_shape or collapse_shape of a constant -> the same data.
template <typename ReshapeOp>
struct FoldConstantReshape final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr attr = getConstantElements(op.getSrc());
    RankedTensorType type = op.getResultType();
    if (!attr || !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expected a constant");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, FoldConstantTranspose::reshape(attr, type));
    return success();
  }
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
  patterns.addWithLabel<TransposeToReshape>({"transpose-to-reshape"}, context);
}

void fusion::populateFoldConstantShapePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<FoldConstantTranspose>({"fold-constant-transpose"},
                                               context, /*benefit=*/2);
  patterns.addWithLabel<FoldConstantReshape<tensor::CollapseShapeOp>,
                        FoldConstantReshape<tensor::ExpandShapeOp>>(
      {"fold-constant-reshape"}, context);
}
