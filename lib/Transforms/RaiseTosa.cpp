//===-- RaiseTosa.cpp - TOSA ops that become roots at once ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where upstream's lowering to linalg loses what a root needs: transposed
// convolutions, which it cuts into reshapes and transposes; average pools,
// whose count of elements it hides in index arithmetic; max pools, whose border
// it fills with the lowest finite number, which is no neutral element.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kTransposeConv = "raise-tosa-transpose-conv";
static constexpr StringLiteral kPool = "raise-tosa-pool";

/// True for an image [N, H, W, C] whose number of channels is static.
static bool isImage(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.getRank() == 4 && !ranked.isDynamicDim(3);
}

/// A tensor.empty for `op`'s result, an image of as many as the input: what is
/// dynamic in its type is `getSize` of the input's height or width.
static Value createResultInit(
    OpBuilder &builder, Operation *op,
    function_ref<AffineExpr(AffineExpr, int64_t spatialDim)> getSize) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0));
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size))
      sizes[dim] = builder.getIndexAttr(size);
    else if (dim != 0)
      sizes[dim] = affine::makeComposedFoldedAffineApply(
          builder, op->getLoc(), getSize(builder.getAffineDimExpr(0), dim - 1),
          {sizes[dim]});
  return tensor::EmptyOp::create(builder, op->getLoc(), sizes,
                                 type.getElementType());
}

/// That of a pool.
template <typename OpTy>
static Value createPoolInit(OpBuilder &builder, OpTy op) {
  return createResultInit(
      builder, op, [&](AffineExpr size, int64_t dim) -> AffineExpr {
        ArrayRef<int64_t> pads = op.getPad().slice(2 * dim, 2);
        return (size + pads[0] + pads[1] - op.getKernel()[dim])
                   .floorDiv(op.getStride()[dim]) +
               1;
      });
}

/// Replaces `op`, whose result may be declared with fewer or more static sizes.
static void replaceByRoot(RewriterBase &rewriter, Operation *op, Value result) {
  Type type = op->getResult(0).getType();
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, op->getLoc(), type, result);
  rewriter.replaceOp(op, result);
}

/// TOSA's [low, high] of height, then of width.
static void splitPads(ArrayRef<int64_t> pads, SmallVectorImpl<int64_t> &low,
                      SmallVectorImpl<int64_t> &high) {
  for (int64_t i = 0, e = pads.size(); i < e; i += 2) {
    low.push_back(pads[i]);
    high.push_back(pads[i + 1]);
  }
}

/// Gives `root`, whose epilogue is the identity, an accumulator of type
/// `accumulator`; `finish` makes the stored element of it.
static void buildEpilogue(RewriterBase &rewriter, FusionRootOpInterface root,
                          Type accumulator,
                          function_ref<Value(Value)> finish = nullptr) {
  OpBuilder::InsertionGuard guard(rewriter);
  Block &block = root.getEpilogueBlock();
  rewriter.setInsertionPoint(block.getTerminator());
  BlockArgument argument = block.getArgument(0);
  argument.setType(accumulator);
  Value element = finish ? finish(argument) : argument;
  block.getTerminator()->setOperand(
      0, convertScalarToDtype(rewriter, root.getLoc(), element,
                              root.getInitType().getElementType(),
                              /*isUnsignedCast=*/false));
}

//===-- Pools -------------------------------------------------------------===//

namespace {
/// tosa.max_pool2d -> fusion.pool max; both leave a border out.
struct RaiseTosaMaxPool final : OpRewritePattern<tosa::MaxPool2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::MaxPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isImage(op.getInput().getType()) || !isImage(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected images of static channels");
    Type element = op.getType().getElementType();
    if (!isa<FloatType>(element) && !element.isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "expected floats or signless "
                                             "integers");
    if (isa<FloatType>(element) &&
        op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return rewriter.notifyMatchFailure(op, "expected NaN to propagate");
    SmallVector<int64_t> low, high;
    splitPads(op.getPad(), low, high);
    remarkFused(op.getLoc(), kPool, "tosa.max_pool2d is a fusion.pool");
    auto pool =
        PoolOp::create(rewriter, op.getLoc(), PoolKind::Max, op.getInput(),
                       createPoolInit(rewriter, op), op.getKernel(),
                       op.getStride(), ArrayRef<int64_t>(), low, high,
                       /*countIncludePad=*/false, ImageLayout::ChannelsLast);
    replaceByRoot(rewriter, op, pool->getResult(0));
    return success();
  }
};

/// tosa.avg_pool2d of floats -> fusion.pool average; both leave a border out.
struct RaiseTosaAveragePool final : OpRewritePattern<tosa::AvgPool2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::AvgPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isImage(op.getInput().getType()) || !isImage(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected images of static channels");
    if (!isa<FloatType>(op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "expected floats");
    SmallVector<int64_t> low, high;
    splitPads(op.getPad(), low, high);
    auto pool =
        PoolOp::create(rewriter, op.getLoc(), PoolKind::Average, op.getInput(),
                       createPoolInit(rewriter, op), op.getKernel(),
                       op.getStride(), ArrayRef<int64_t>(), low, high,
                       /*countIncludePad=*/false, ImageLayout::ChannelsLast);
    buildEpilogue(rewriter, pool, op.getAccType());
    remarkFused(op.getLoc(), kPool, "tosa.avg_pool2d is a fusion.pool");
    replaceByRoot(rewriter, op, pool->getResult(0));
    return success();
  }
};
} // namespace

//===-- Transposed convolutions -------------------------------------------===//

/// `value` minus a zero point, in `type`.
static Value subtractZeroPoint(OpBuilder &builder, Location loc, Value value,
                               int64_t zeroPoint, Type type) {
  auto ranked = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value), type);
  AffineMap identity = builder.getMultiDimIdentityMap(ranked.getRank());
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), value, empty,
             ArrayRef<AffineMap>{identity, identity},
             SmallVector<utils::IteratorType>(ranked.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location bodyLoc, ValueRange arguments) {
               Value wide =
                   convertScalarToDtype(nested, bodyLoc, arguments[0], type,
                                        /*isUnsignedCast=*/false);
               Value zero = arith::ConstantOp::create(
                   nested, bodyLoc, nested.getIntegerAttr(type, zeroPoint));
               linalg::YieldOp::create(
                   nested, bodyLoc,
                   arith::SubIOp::create(nested, bodyLoc, wide, zero)
                       .getResult());
             })
      .getResult(0);
}

/// `input` with `low` more zeros before its height and width.
static Value padLow(OpBuilder &builder, Location loc, Value input,
                    ArrayRef<int64_t> low) {
  if (llvm::all_of(low, [](int64_t pad) { return pad == 0; }))
    return input;
  SmallVector<OpFoldResult> none(4, builder.getIndexAttr(0)), before(none);
  for (auto [i, pad] : llvm::enumerate(low))
    before[i + 1] = builder.getIndexAttr(pad);
  Value zero = arith::ConstantOp::create(
      builder, loc,
      builder.getZeroAttr(getElementTypeOrScalar(input.getType())));
  return tensor::PadOp::create(builder, loc, Type(), input, before, none, zero);
}

namespace {
/// tosa.transpose_conv2d(%x, %w, %b)
///   -> fusion.conv_transpose(%x, %w) epilogue(%acc, %b[3]) { %acc + %b }
/// Zero points are subtracted before; pads that extend the result are zeros in
/// front of the input, or output padding.
struct RaiseTosaTransposeConv final
    : OpRewritePattern<tosa::TransposeConv2DOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::TransposeConv2DOp op,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    auto weight = dyn_cast<RankedTensorType>(op.getWeight().getType());
    auto bias = dyn_cast<RankedTensorType>(op.getBias().getType());
    if (!isImage(op.getInput().getType()) || !isImage(result) || !weight ||
        !weight.hasStaticShape() || !bias || !bias.hasStaticShape())
      return rewriter.notifyMatchFailure(op,
                                         "expected images of static channels");
    FailureOr<int64_t> inputZero = op.getInputZeroPoint();
    FailureOr<int64_t> weightZero = op.getWeightZeroPoint();
    if (failed(inputZero) || failed(weightZero))
      return rewriter.notifyMatchFailure(op, "expected constant zero points");
    Type accumulator = op.getAccType();
    Type element = weight.getElementType();
    if (!isa<FloatType>(element) && !element.isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "expected floats or signless "
                                             "integers");

    Location loc = op.getLoc();
    Value input = op.getInput(), filter = op.getWeight();
    if (*inputZero != 0)
      input = subtractZeroPoint(rewriter, loc, input, *inputZero, accumulator);
    if (*weightZero != 0)
      filter =
          subtractZeroPoint(rewriter, loc, filter, *weightZero, accumulator);
    SmallVector<int64_t> low, high, more, front, outputPadding;
    splitPads(op.getOutPad(), low, high);
    for (auto [stride, pad] : llvm::zip_equal(op.getStride(), low)) {
      front.push_back(llvm::divideCeil(std::max<int64_t>(pad, 0), stride));
      more.push_back(front.back() * stride - pad);
    }
    SmallVector<int64_t> cut;
    for (int64_t pad : high) {
      cut.push_back(std::max<int64_t>(-pad, 0));
      outputPadding.push_back(std::max<int64_t>(pad, 0));
    }
    Value init = createResultInit(
        rewriter, op, [&](AffineExpr size, int64_t dim) -> AffineExpr {
          return (size - 1) * op.getStride()[dim] + weight.getDimSize(dim + 1) +
                 low[dim] + high[dim];
        });
    auto conv = ConvTransposeOp::create(
        rewriter, loc, padLow(rewriter, loc, input, front), filter, init,
        op.getStride(), ArrayRef<int64_t>(), more, cut, outputPadding,
        /*groups=*/1, ImageLayout::ChannelsLast, FilterLayout::OutSpatialIn);

    // One bias may serve all channels.
    Value operand = op.getBias();
    SmallVector<int64_t> dims{3};
    if (bias.getDimSize(0) != result.getDimSize(3)) {
      operand = tensor::CollapseShapeOp::create(
          rewriter, loc, RankedTensorType::get({}, bias.getElementType()),
          operand, ArrayRef<ReassociationIndices>());
      rewriter.moveOpBefore(operand.getDefiningOp(), conv);
      dims.clear();
    }
    BlockArgument added =
        getOrAddEpilogueOperand(rewriter, conv, operand, dims);
    buildEpilogue(rewriter, conv, accumulator, [&](Value sum) -> Value {
      Value term = convertScalarToDtype(rewriter, loc, added, accumulator,
                                        /*isUnsignedCast=*/false);
      if (isa<FloatType>(accumulator))
        return arith::AddFOp::create(rewriter, loc, sum, term);
      return arith::AddIOp::create(rewriter, loc, sum, term);
    });
    remarkFused(loc, kTransposeConv,
                "tosa.transpose_conv2d is a fusion.conv_transpose");
    replaceByRoot(rewriter, op, conv->getResult(0));
    return success();
  }
};
} // namespace

void fusion::populateRaiseTosaPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<RaiseTosaTransposeConv>({kTransposeConv, kRounds},
                                                context);
  patterns.addWithLabel<RaiseTosaMaxPool, RaiseTosaAveragePool>(
      {kPool, kRounds}, context);
}
