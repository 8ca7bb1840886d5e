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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kTransposeConv = "raise-tosa-transpose-conv";
static constexpr StringLiteral kPool = "raise-tosa-pool";

/// A tensor.empty for `op`'s result, an image [N, H, W, C]: its batch size is
/// the input's, other sizes are static.
static Value createResultInit(OpBuilder &builder, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0));
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    sizes[dim] = builder.getIndexAttr(type.getDimSize(dim));
  if (!type.isDynamicDim(0))
    sizes[0] = builder.getIndexAttr(type.getDimSize(0));
  return tensor::EmptyOp::create(builder, op->getLoc(), sizes,
                                 type.getElementType());
}

/// True if all dims of `type` but the batch are static.
static bool isImage(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.getRank() == 4 &&
         llvm::none_of(ranked.getShape().drop_front(), ShapedType::isDynamic);
}

/// TOSA's [low, high] of height, then of width.
static void splitPads(ArrayRef<int64_t> pads, SmallVectorImpl<int64_t> &low,
                      SmallVectorImpl<int64_t> &high) {
  for (int64_t i = 0, e = pads.size(); i < e; i += 2) {
    low.push_back(pads[i]);
    high.push_back(pads[i + 1]);
  }
}

/// `element`, of `from`'s type, as `to`: types that differ in width only.
static Value convertElement(OpBuilder &builder, Location loc, Value element,
                            Type to) {
  Type from = element.getType();
  if (from == to)
    return element;
  bool isWider = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  if (isa<FloatType>(to))
    return isWider ? Value(arith::ExtFOp::create(builder, loc, to, element))
                   : Value(arith::TruncFOp::create(builder, loc, to, element));
  return isWider ? Value(arith::ExtSIOp::create(builder, loc, to, element))
                 : Value(arith::TruncIOp::create(builder, loc, to, element));
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
      0, convertElement(rewriter, root.getLoc(), element,
                        root.getInitType().getElementType()));
}

//===-- Pools -------------------------------------------------------------===//

namespace {
/// tosa.max_pool2d -> fusion.pool max; both leave a border out.
struct RaiseTosaMaxPool final : OpRewritePattern<tosa::MaxPool2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::MaxPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isImage(op.getInput().getType()) || !isImage(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected static images");
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
    rewriter.replaceOpWithNewOp<PoolOp>(
        op, PoolKind::Max, op.getInput(), createResultInit(rewriter, op),
        op.getKernel(), op.getStride(), ArrayRef<int64_t>(), low, high,
        /*countIncludePad=*/false, ImageLayout::ChannelsLast);
    return success();
  }
};

/// tosa.avg_pool2d of floats -> fusion.pool average; both leave a border out.
struct RaiseTosaAveragePool final : OpRewritePattern<tosa::AvgPool2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tosa::AvgPool2dOp op,
                                PatternRewriter &rewriter) const override {
    if (!isImage(op.getInput().getType()) || !isImage(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected static images");
    if (!isa<FloatType>(op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "expected floats");
    SmallVector<int64_t> low, high;
    splitPads(op.getPad(), low, high);
    auto pool =
        PoolOp::create(rewriter, op.getLoc(), PoolKind::Average, op.getInput(),
                       createResultInit(rewriter, op), op.getKernel(),
                       op.getStride(), ArrayRef<int64_t>(), low, high,
                       /*countIncludePad=*/false, ImageLayout::ChannelsLast);
    buildEpilogue(rewriter, pool, op.getAccType());
    remarkFused(op.getLoc(), kPool, "tosa.avg_pool2d is a fusion.pool");
    rewriter.replaceOp(op, pool->getResult(0));
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
               Value wide = convertElement(nested, bodyLoc, arguments[0], type);
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
      return rewriter.notifyMatchFailure(op, "expected static images");
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
    auto conv = ConvTransposeOp::create(
        rewriter, loc, padLow(rewriter, loc, input, front), filter,
        createResultInit(rewriter, op), op.getStride(), ArrayRef<int64_t>(),
        more, cut, outputPadding, /*groups=*/1, ImageLayout::ChannelsLast,
        FilterLayout::OutSpatialIn);

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
      Value term = convertElement(rewriter, loc, added, accumulator);
      if (isa<FloatType>(accumulator))
        return arith::AddFOp::create(rewriter, loc, sum, term);
      return arith::AddIOp::create(rewriter, loc, sum, term);
    });
    remarkFused(loc, kTransposeConv,
                "tosa.transpose_conv2d is a fusion.conv_transpose");
    rewriter.replaceOp(op, conv->getResult(0));
    return success();
  }
};
} // namespace

void fusion::populateRaiseTosaPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<RaiseTosaTransposeConv>({kTransposeConv}, context);
  patterns.addWithLabel<RaiseTosaMaxPool, RaiseTosaAveragePool>({kPool},
                                                                context);
}
