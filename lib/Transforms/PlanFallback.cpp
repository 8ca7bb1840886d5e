//===-- PlanFallback.cpp - Ops without a kernel ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-decompose-unsupported: nothing fails to compile because it
// is unusual. It comes after layouts are assigned, since kernels take
// channels-last images only, and before constants are packed, since the
// decomposition would have to unpack them at run time.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONDECOMPOSEUNSUPPORTEDPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kDecompose = "decompose-unsupported";

/// The operand that holds transformed tiles: alpha of height, of width, ….
static Value getTiles(linalg::WinogradFilterTransformOp op) {
  return op.getOutput();
}
static Value getTiles(linalg::WinogradInputTransformOp op) {
  return op.getOutput();
}
static Value getTiles(linalg::WinogradOutputTransformOp op) {
  return op.getValue();
}

namespace {
/// A root that the kernel emitter does not take -> its decomposition to linalg.
struct DecomposeUnsupported final
    : OpInterfaceRewritePattern<FusionRootOpInterface> {
  DecomposeUnsupported(MLIRContext *context, const TargetInfo &target)
      : OpInterfaceRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(root, "expected tensors");
    std::string reason;
    if (hasKernel(root, target, &reason))
      return rewriter.notifyMatchFailure(root, "expected no kernel");
    FailureOr<SmallVector<Value>> results = decomposeRoot(rewriter, root);
    if (failed(results))
      return rewriter.notifyMatchFailure(root, "expected a decomposition");
    remarkMissed(root.getLoc(), kDecompose,
                 (Twine(reason) + "; " + root->getName().getStringRef() +
                  " becomes plain loops")
                     .str());
    rewriter.replaceOp(root, *results);
    return success();
  }
  TargetInfo target;
};

/// `op` as one whose operands and result have one type, with the sizes that any
/// of them knows: upstream decomposes no other.
static linalg::SoftmaxOp unifyTypes(RewriterBase &rewriter,
                                    linalg::SoftmaxOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto init = cast<RankedTensorType>(op.getOutput().getType());
  SmallVector<int64_t> shape(input.getShape());
  for (auto [size, other] : llvm::zip_equal(shape, init.getShape()))
    if (ShapedType::isDynamic(size))
      size = other;
  Location loc = op.getLoc();
  Value from = rewriter.createOrFold<tensor::CastOp>(loc, input.clone(shape),
                                                     op.getInput());
  Value to = rewriter.createOrFold<tensor::CastOp>(loc, init.clone(shape),
                                                   op.getOutput());
  return linalg::SoftmaxOp::create(rewriter, loc, to.getType(), from, to,
                                   op.getDimension());
}

/// linalg.softmax and its like -> the linalg ops they are made of, which have
/// loops.
struct DecomposeAggregated final
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto destinationStyle =
        dyn_cast<DestinationStyleOpInterface>(op.getOperation());
    if (isa<FusionRootOpInterface>(*op) || !destinationStyle ||
        !destinationStyle.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected no root, on tensors");
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op.getOperation())) {
      linalg::SoftmaxOp unified = unifyTypes(rewriter, softmax);
      FailureOr<SmallVector<Value>> results =
          unified.decomposeOperation(rewriter);
      rewriter.eraseOp(unified);
      if (failed(results))
        return rewriter.notifyMatchFailure(op, "expected a decomposition");
      Value result = rewriter.createOrFold<tensor::CastOp>(
          op.getLoc(), op->getResult(0).getType(), results->front());
      rewriter.replaceOp(op, result);
      return success();
    }
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "expected a decomposition");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// linalg.pack -> tensor.pad, tensor.expand_shape, linalg.transpose.
struct DecomposePack final : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerPack(rewriter, op);
  }
};

/// linalg.unpack -> linalg.transpose, tensor.collapse_shape, extract_slice.
struct DecomposeUnPack final : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerUnPack(rewriter, op);
  }
};

/// Parts that one tensor is made of. Upstream's analysis of buffers asks of
/// each what is inserted into a tensor about all the others.
constexpr size_t kMaxParts = 32;

/// Tensors that follow each other along a dim.
struct Parts {
  int64_t along;
  Type elementType;
  /// Those of the result but for the dim along.
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> values;
  SmallVector<OpFoldResult> lengths;

  void add(Value value, OpFoldResult length) {
    values.push_back(value);
    lengths.push_back(length);
  }
};

/// insert %b into (insert %a into empty), and how long that is. In a buffer of
/// its own, it is computed before it is inserted elsewhere, and then copied.
std::pair<Value, OpFoldResult> join(OpBuilder &builder, Location loc,
                                    Parts parts, bool inOwnBuffer) {
  AffineExpr sum =
      builder.getAffineSymbolExpr(0) + builder.getAffineSymbolExpr(1);
  auto add = [&](OpFoldResult a, OpFoldResult b) {
    return affine::makeComposedFoldedAffineApply(builder, loc, sum, {a, b});
  };
  OpFoldResult length = builder.getIndexAttr(0);
  for (OpFoldResult part : parts.lengths)
    length = add(length, part);
  SmallVector<OpFoldResult> sizes = parts.sizes;
  sizes[parts.along] = length;
  Value result;
  if (inOwnBuffer) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    result = bufferization::AllocTensorOp::create(
        builder, loc, RankedTensorType::get(shape, parts.elementType), dynamic);
  } else {
    result = tensor::EmptyOp::create(builder, loc, sizes, parts.elementType);
  }
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  for (auto [value, part] : llvm::zip_equal(parts.values, parts.lengths)) {
    sizes[parts.along] = part;
    result = tensor::InsertSliceOp::create(builder, loc, value, result, offsets,
                                           sizes, strides);
    offsets[parts.along] = add(offsets[parts.along], part);
  }
  return {result, length};
}

/// concat(%a, %b) -> insert %b into (insert %a into empty)
/// Upstream's rule gives each part a place of the part's own sizes; here all
/// have those of the first, so that fusion-derive-shapes sees which must agree.
/// Many parts are joined in groups, which are copied.
struct DecomposeConcat final : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t along = op.getDim();
    RankedTensorType joined =
        tensor::ConcatOp::inferResultType(along, op.getInputs().getTypes());
    Parts parts{along,
                joined.getElementType(),
                tensor::getMixedSizes(rewriter, loc, op.getInputs().front()),
                {},
                {}};
    for (int64_t dim = 0; dim < joined.getRank(); ++dim)
      if (dim != along && !joined.isDynamicDim(dim))
        parts.sizes[dim] = rewriter.getIndexAttr(joined.getDimSize(dim));
    for (Value part : op.getInputs()) {
      auto type = cast<RankedTensorType>(part.getType());
      SmallVector<int64_t> shape(joined.getShape());
      shape[along] = type.getDimSize(along);
      if (!llvm::equal(shape, type.getShape()))
        part = tensor::CastOp::create(rewriter, loc, type.clone(shape), part);
      parts.add(part, tensor::getMixedSize(rewriter, loc, part, along));
    }
    while (parts.values.size() > kMaxParts) {
      Parts groups{along, parts.elementType, parts.sizes, {}, {}};
      for (size_t i = 0; i < parts.values.size(); i += kMaxParts) {
        size_t count = std::min(kMaxParts, parts.values.size() - i);
        Parts group{along, parts.elementType, parts.sizes,
                    llvm::to_vector(ArrayRef(parts.values).slice(i, count)),
                    llvm::to_vector(ArrayRef(parts.lengths).slice(i, count))};
        auto [value, length] =
            join(rewriter, loc, std::move(group), /*inOwnBuffer=*/true);
        groups.add(value, length);
      }
      parts = std::move(groups);
    }
    Value result =
        join(rewriter, loc, std::move(parts), /*inOwnBuffer=*/false).first;
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A transform of Winograd's algorithm -> products with constant matrices,
/// tile by tile. Upstream's matrices are of floats, and those of tiles with one
/// dim leave out a factor: such transforms have no lowering.
template <typename OpTy,
          FailureOr<Operation *> (*decompose)(RewriterBase &, OpTy)>
struct DecomposeWinograd final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        !llvm::all_of(op->getOperandTypes(), [](Type type) {
          auto tensor = cast<ShapedType>(type);
          return tensor.hasStaticShape() &&
                 isa<FloatType>(tensor.getElementType());
        }))
      return rewriter.notifyMatchFailure(op,
                                         "expected static tensors of floats");
    auto tiles = cast<ShapedType>(getTiles(op).getType());
    if (tiles.getDimSize(0) == 1 || tiles.getDimSize(1) == 1)
      return rewriter.notifyMatchFailure(op, "expected tiles of two dims");
    return decompose(rewriter, op);
  }
};

struct FusionDecomposeUnsupportedPass final
    : fusion::impl::FusionDecomposeUnsupportedPassBase<
          FusionDecomposeUnsupportedPass> {
  using FusionDecomposeUnsupportedPassBase::FusionDecomposeUnsupportedPassBase;
  void runOnOperation() override {
    FailureOr<TargetInfo> info = TargetInfo::get(getOperation(), target);
    if (failed(info))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateDecomposeUnsupportedPatterns(patterns, *info);
    fusion::traceRules(patterns, traceRules);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void fusion::populateDecomposeUnsupportedPatterns(RewritePatternSet &patterns,
                                                  const TargetInfo &target) {
  patterns.addWithLabel<DecomposeUnsupported>({kDecompose},
                                              patterns.getContext(), target);
  patterns.addWithLabel<DecomposeAggregated>({"decompose-aggregated"},
                                             patterns.getContext());
  patterns.addWithLabel<DecomposePack, DecomposeUnPack>({"decompose-pack"},
                                                        patterns.getContext());
  patterns.addWithLabel<DecomposeConcat>({"decompose-concat"},
                                         patterns.getContext());
  patterns.addWithLabel<
      DecomposeWinograd<linalg::WinogradFilterTransformOp,
                        linalg::decomposeWinogradFilterTransformOp>,
      DecomposeWinograd<linalg::WinogradInputTransformOp,
                        linalg::decomposeWinogradInputTransformOp>,
      DecomposeWinograd<linalg::WinogradOutputTransformOp,
                        linalg::decomposeWinogradOutputTransformOp>>(
      {"decompose-winograd"}, patterns.getContext());
  populateDecomposeTensorOpPatterns(patterns);
}
