//===-- PlanBorderProduct.cpp - Pointwise convolutions as products --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule of fusion-assign-layout for pointwise convolutions between transposes
// that are left at a network's border: their filter times the image as it lies
// in memory, [O, C] * [C, pixels], turns neither side.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "PlanLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

static constexpr StringLiteral kLabel = "multiply-channels-first";

using Groups = SmallVector<ReassociationIndices>;

/// The groups of `dims`, of an image [N, C, S…], that are the dims of a matrix
/// [N, C, pixels], or [C, pixels] of one image. Nothing if a group is not whole
/// in `dims`.
static std::optional<Groups> getMatrixGroups(ArrayRef<int64_t> dims,
                                             int64_t rank, bool hasBatch) {
  int64_t numSpatial =
      llvm::count_if(dims, [](int64_t dim) { return dim > 1; });
  if (numSpatial != 0 && numSpatial != rank - 2)
    return std::nullopt;
  Groups groups;
  // The number of images goes with the next dim if it is 1.
  bool isOpen = false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim <= 2 && !isOpen)
      groups.emplace_back();
    groups.back().push_back(i);
    isOpen = dim == 0 && !hasBatch;
  }
  if (isOpen)
    return std::nullopt;
  return groups;
}

static Value collapse(OpBuilder &builder, Location loc, Value value,
                      const Groups &groups) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == static_cast<int64_t>(groups.size()))
    return value;
  return tensor::CollapseShapeOp::create(builder, loc, value, groups);
}

/// The filter of one element as a matrix [O, C] or, if that is said to be
/// transposed, [C, O]. A constant becomes the former: a kernel reads its rows.
static std::pair<Value, bool> createMatrix(OpBuilder &builder, ConvOp op) {
  FilterDims dims = op.getFilterDims();
  RankedTensorType type = cast<RankedTensorType>(op.getFilter().getType());
  int64_t rank = type.getRank();
  Location loc = op.getLoc();
  if (ElementsAttr constant = getConstantTensor(op.getFilter())) {
    SmallVector<AffineExpr> indices(rank, builder.getAffineConstantExpr(0));
    indices[dims.out] = builder.getAffineDimExpr(0);
    indices[dims.in] = builder.getAffineDimExpr(1);
    RankedTensorType matrixType =
        type.clone({type.getDimSize(dims.out), type.getDimSize(dims.in)});
    TypedAttr matrix;
    if (dims.out < dims.in)
      matrix = reshapeConstant(constant, matrixType);
    else if (ElementsAttr rows = gatherConstant(
                 constant, matrixType,
                 (getResourceName(constant, "filter") + "_rows").str(),
                 AffineMap::get(2, 0, indices, builder.getContext())))
      matrix = cast<TypedAttr>(rows);
    if (matrix)
      return {arith::ConstantOp::create(builder, loc, matrix), false};
  }
  // One that was computed as [O, C, K…] is read as it was.
  Value filter = op.getFilter();
  SmallVector<int64_t> order{dims.out, dims.in};
  for (int64_t i = 0; i < rank - 2; ++i)
    order.push_back(dims.spatial + i);
  bool isTransposed = dims.in < dims.out && !isFreeToPermute(filter, order);
  if (!isTransposed && dims.in < dims.out)
    filter = createPermuted(builder, loc, filter, order);
  int64_t split = isTransposed ? rank - 1 : 1;
  Groups groups(2);
  for (int64_t dim = 0; dim < rank; ++dim)
    groups[dim >= split].push_back(dim);
  return {collapse(builder, loc, filter, groups), isTransposed};
}

namespace {
/// transpose(conv(transpose(x), w)) {kernel 1 x 1} -> matmul(w, x)
/// with the pixels of an image as columns and the images as batch.
struct MultiplyChannelsFirst final : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult
MultiplyChannelsFirst::matchAndRewrite(ConvOp op,
                                       PatternRewriter &rewriter) const {
  if (!op.hasPureTensorSemantics() || !op.isPointwise() ||
      op.getInputLayout() != ImageLayout::ChannelsLast ||
      op.getOutputLayout() != ImageLayout::ChannelsLast ||
      op.getFilterLayout() == FilterLayout::Packed || op.readsInit())
    return rewriter.notifyMatchFailure(
        op, "expected a channels-last pointwise convolution of one group");
  auto root = cast<FusionRootOpInterface>(op.getOperation());
  int64_t rank = op.getInit().getType().getRank();
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  Value image = getChannelsFirstSource(op.getInput());
  auto isToFirst = [&](Operation *user) {
    auto transpose = dyn_cast<linalg::TransposeOp>(user);
    return transpose && transpose.getInput() == op->getResult(0) &&
           isToChannelsFirst(transpose);
  };
  if (!image || op->use_empty() || !llvm::all_of(op->getUsers(), isToFirst))
    return rewriter.notifyMatchFailure(
        op, "expected an image and a result that are channels-first");

  auto refuse = [&](StringRef reason) {
    remarkMissed(op.getLoc(), kLabel, reason);
    return rewriter.notifyMatchFailure(op, reason);
  };
  ArrayRef<int64_t> imageShape =
      cast<RankedTensorType>(image.getType()).getShape();
  if (ShapedType::isDynamicShape(imageShape.drop_front()) ||
      ShapedType::isDynamic(op.getOutputChannels()))
    return refuse("dynamic-shape: the image's channels or pixels, or the "
                  "result's channels, are not known");
  // Vectors run over pixels: of those that hold 16, at most an eighth is empty.
  int64_t pixels = llvm::product_of(imageShape.drop_front(2));
  int64_t lanes = llvm::divideCeil(pixels, 16) * 16;
  if (8 * pixels < 7 * lanes)
    return refuse("unprofitable: the pixels leave vectors empty");
  bool hasBatch = imageShape.front() != 1;

  struct Operand {
    SmallVector<int64_t> order;
    Groups groups;
    Attribute dims;
  };
  SmallVector<Operand> operands;
  for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
    SmallVector<int64_t> dims = permute(toLast, root.getEpilogueOperandDims(i));
    SmallVector<int64_t> order = getAscendingOrder(dims);
    bool isFree = llvm::is_sorted(order) ||
                  isFreeToPermute(root.getEpilogueOperand(i), order);
    llvm::sort(dims);
    std::optional<Groups> groups = getMatrixGroups(dims, rank, hasBatch);
    if (!isFree || !groups)
      return refuse("map-mismatch: an epilogue operand is no row, column or "
                    "matrix of the product");
    SmallVector<int64_t> newDims;
    for (const ReassociationIndices &group : *groups)
      newDims.push_back(std::min<int64_t>(dims[group.back()], 2) - !hasBatch);
    operands.push_back({std::move(order), std::move(*groups),
                        rewriter.getDenseI64ArrayAttr(newDims)});
  }

  Location loc = op.getLoc();
  Groups groups = *getMatrixGroups(getIdentity(rank), rank, hasBatch);
  Value columns = collapse(rewriter, loc, image, groups);
  auto [rows, isTransposed] = createMatrix(rewriter, op);
  auto empty = createPermutedEmpty(rewriter, loc, op.getInit(), invert(toLast))
                   .getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> sizes = empty.getMixedSizes(), matrixSizes(sizes);
  matrixSizes.resize(2);
  matrixSizes.push_back(rewriter.getIndexAttr(pixels));
  Value init = tensor::EmptyOp::create(
      rewriter, loc, ArrayRef(matrixSizes).drop_front(!hasBatch),
      empty.getType().getElementType());
  SmallVector<Value> values;
  SmallVector<Attribute> allDims;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value value = root.getEpilogueOperand(i);
    if (!llvm::is_sorted(operand.order))
      value = createPermuted(rewriter, loc, value, operand.order);
    values.push_back(collapse(rewriter, loc, value, operand.groups));
    allDims.push_back(operand.dims);
  }
  auto matmul = MatmulOp::create(rewriter, loc, rows, columns, init,
                                 isTransposed, /*transposeRhs=*/false);
  matmul.getEpilogueMutable().assign(values);
  matmul.setEpilogueDimsAttr(rewriter.getArrayAttr(allDims));
  Region &epilogue = matmul.getEpilogueRegion();
  rewriter.eraseBlock(&epilogue.front());
  rewriter.cloneRegionBefore(op.getEpilogueRegion(), epilogue, epilogue.end());

  Value result = matmul->getResult(0);
  if (result.getType() != empty.getType())
    result = tensor::ExpandShapeOp::create(rewriter, loc, empty.getType(),
                                           result, groups, sizes);
  remarkFused(loc, kLabel, "the filter times the channels-first image");
  // The transposes behind the convolution are left without readers, and the
  // walk erases them.
  for (Operation *user : llvm::to_vector(op->getUsers()))
    rewriter.replaceAllUsesWith(user->getResult(0), result);
  rewriter.replaceOp(op, createPermuted(rewriter, loc, result, toLast));
  return success();
}

void layout::populateBorderProductPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<MultiplyChannelsFirst>({kLabel}, patterns.getContext(),
                                               /*benefit=*/2);
}
