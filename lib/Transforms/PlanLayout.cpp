//===-- PlanLayout.cpp - Channels last for convs and pools ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-assign-layout. Its first walk goes with the data flow: a
// root becomes channels_last between two transposes, and every op that reads a
// transpose moves above it or cancels it (PlanSinkTransposes.cpp), so that a
// transpose travels with the walk until something needs the old order. Each op
// is visited once, whatever the network. A second walk turns what is left into
// reshapes and constants where it can, a third one into kernels that read or
// write the other order themselves (PlanBorder.cpp, PlanBorderProduct.cpp).
//
// The passes of the stage, in the order that each needs: fusion-assign-layout
// (the questions after it are about channels-last roots),
// fusion-decompose-unsupported (a root without a kernel must not get packed
// weights, which its decomposition would unpack at run time),
// fusion-pack-constants, fusion-materialize-padding, then canonicalize and cse.
//
//===----------------------------------------------------------------------===//

#include "PlanLayout.h"
#include "ConstantData.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "RulePass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONASSIGNLAYOUTPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::layout;

SmallVector<int64_t> layout::getToChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation{0};
  for (int64_t i = 2; i < rank; ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return permutation;
}

void layout::orderEpilogueOperands(RewriterBase &rewriter,
                                   FusionRootOpInterface root,
                                   ArrayRef<int64_t> newDim) {
  SmallVector<Attribute> allDims;
  MutableOperandRange operands = root.getEpilogueMutable();
  for (unsigned i = 0, e = operands.size(); i < e; ++i) {
    SmallVector<int64_t> dims = permute(newDim, root.getEpilogueOperandDims(i));
    SmallVector<int64_t> order = getAscendingOrder(dims);
    if (!llvm::is_sorted(order)) {
      dims = permute(ArrayRef<int64_t>(dims), order);
      operands[i].set(
          createPermuted(rewriter, root.getLoc(), operands[i].get(), order));
    }
    allDims.push_back(rewriter.getDenseI64ArrayAttr(dims));
  }
  root.setEpilogueDimsAttr(rewriter.getArrayAttr(allDims));
}

namespace {
bool hasEncoding(Value value) {
  return bool(cast<RankedTensorType>(value.getType()).getEncoding());
}

/// True if a filter is computed at run time and its output channels are not
/// next to each other, as a kernel reads what is not packed.
template <typename OpTy>
bool isOutOfOrder(OpTy op) {
  FilterLayout layout = op.getFilterLayout();
  return (layout == FilterLayout::OutInSpatial ||
          layout == FilterLayout::OutSpatialIn) &&
         !hasEncoding(op.getFilter()) &&
         !matchPattern(op.getFilter(), m_Constant());
}

/// [O, C, K…] or [O, K…, C] -> [K…, C, O].
template <typename OpTy>
void makeFilterSpatialInOut(RewriterBase &rewriter, OpTy op) {
  FilterDims dims = op.getFilterDims();
  SmallVector<int64_t> order = llvm::to_vector(
      llvm::seq(dims.spatial, dims.spatial + op.getNumSpatialDims()));
  order.append({dims.in, dims.out});
  op.getFilterMutable().assign(
      createPermuted(rewriter, op.getLoc(), op.getFilter(), order));
  op.setFilterLayout(FilterLayout::SpatialInOut);
}

void makeInputChannelsLast(RewriterBase &rewriter, FusionRootOpInterface root,
                           OpOperand &input) {
  int64_t rank = cast<ShapedType>(input.get().getType()).getRank();
  input.set(createPermuted(rewriter, root.getLoc(), input.get(),
                           getToChannelsLast(rank)));
}

/// Result, init and epilogue operands; users read a transpose of the result.
void makeResultChannelsLast(RewriterBase &rewriter,
                            FusionRootOpInterface root) {
  Location loc = root.getLoc();
  OpOperand *init = root.getDpsInitOperand(0);
  int64_t rank = root.getInitType().getRank();
  SmallVector<int64_t> toLast = getToChannelsLast(rank);
  SmallVector<int64_t> toFirst = invert(toLast);
  orderEpilogueOperands(rewriter, root, toFirst);
  // Only an epilogue that reads the init needs its elements.
  Value oldInit = init->get();
  Value newInit = root.readsInit()
                      ? createPermuted(rewriter, loc, oldInit, toLast)
                      : createPermutedEmpty(rewriter, loc, oldInit, toLast);
  init->set(newInit);
  Value result = root->getResult(0);
  result.setType(cast<RankedTensorType>(newInit.getType()));

  rewriter.setInsertionPointAfter(root);
  Value back = createPermutedEmpty(rewriter, loc, oldInit, getIdentity(rank));
  auto transpose =
      linalg::TransposeOp::create(rewriter, loc, result, back, toFirst);
  rewriter.replaceAllUsesExcept(result, transpose->getResult(0), transpose);
}

/// conv {channels_first} -> transpose, conv {channels_last}, transpose; or a
/// conv_transpose.
template <typename OpTy>
struct ConvChannelsLast final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    bool input = op.getInputLayout() == ImageLayout::ChannelsFirst;
    bool output = op.getOutputLayout() == ImageLayout::ChannelsFirst;
    if (!input && !output)
      return rewriter.notifyMatchFailure(op, "expected channels first");
    if (hasEncoding(op.getInput()) || hasEncoding(op.getInit()))
      return rewriter.notifyMatchFailure(op, "expected no encoding");
    rewriter.startOpModification(op);
    // An op is visited once: its filter must not wait for another rule.
    if (isOutOfOrder(op))
      makeFilterSpatialInOut(rewriter, op);
    if (input) {
      makeInputChannelsLast(rewriter, op, op.getInputMutable());
      op.setInputLayout(ImageLayout::ChannelsLast);
    }
    if (output) {
      op.setOutputLayout(ImageLayout::ChannelsLast);
      makeResultChannelsLast(rewriter, op);
    } else {
      orderEpilogueOperands(rewriter, op,
                            getIdentity(op.getInput().getType().getRank()));
    }
    rewriter.finalizeOpModification(op);
    return success();
  }
};

/// pool {channels_first} -> transpose, pool {channels_last}, transpose.
struct PoolChannelsLast final : OpRewritePattern<PoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PoolOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "expected tensors");
    if (op.getLayout() == ImageLayout::ChannelsLast)
      return rewriter.notifyMatchFailure(op, "expected channels first");
    if (hasEncoding(op.getInput()) || hasEncoding(op.getInit()))
      return rewriter.notifyMatchFailure(op, "expected no encoding");
    rewriter.startOpModification(op);
    makeInputChannelsLast(rewriter, op, op.getInputMutable());
    op.setLayout(ImageLayout::ChannelsLast);
    makeResultChannelsLast(rewriter, op);
    rewriter.finalizeOpModification(op);
    return success();
  }
};

/// epilogue(%r = %x[1, 0]) -> epilogue(%r = transpose(%x)[0, 1]): a kernel
/// walks its operands in the result's order.
struct OrderEpilogueOperands final
    : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(root, "expected tensors");
    bool ordered = true;
    for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i)
      ordered &= llvm::is_sorted(root.getEpilogueOperandDims(i));
    if (ordered)
      return rewriter.notifyMatchFailure(root, "expected dims out of order");
    SmallVector<int64_t> same = getIdentity(root.getInitType().getRank());
    rewriter.modifyOpInPlace(
        root, [&] { orderEpilogueOperands(rewriter, root, same); });
    return success();
  }
};

/// matmul(x, y) {transpose_rhs} -> matmul(x, transpose(y)), unless y is a
/// constant matrix, which is packed from either order.
struct TransposeRhs final : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op.getTransposeRhs())
      return rewriter.notifyMatchFailure(op, "expected a transposed rhs");
    int64_t rank = op.getRhs().getType().getRank();
    if (hasEncoding(op.getRhs()) ||
        (rank == 2 && matchPattern(op.getRhs(), m_Constant())))
      return rewriter.notifyMatchFailure(op, "expected no constant matrix");
    SmallVector<int64_t> order = getIdentity(rank);
    std::swap(order[rank - 2], order[rank - 1]);
    Value rhs = createPermuted(rewriter, op.getLoc(), op.getRhs(), order);
    rewriter.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(rhs);
      op.setTransposeRhs(false);
      // An op is visited once: its epilogue must not wait for another rule.
      orderEpilogueOperands(rewriter, op,
                            getIdentity(op.getInit().getType().getRank()));
    });
    return success();
  }
};

/// conv(x, w) {out_spatial_in} -> conv(x, transpose(w)) {spatial_in_out},
/// unless w is a constant, which is packed from any order; or a conv_transpose,
/// whose phases take their taps from it.
template <typename OpTy>
struct TransposeFilter final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isOutOfOrder(op))
      return rewriter.notifyMatchFailure(
          op, "expected a filter that is no constant, in another order");
    rewriter.modifyOpInPlace(op, [&] {
      makeFilterSpatialInOut(rewriter, op);
      // An op is visited once: its epilogue must not wait for another rule.
      orderEpilogueOperands(rewriter, op,
                            getIdentity(op.getInit().getType().getRank()));
    });
    return success();
  }
};

struct FusionAssignLayoutPass final
    : fusion::impl::FusionAssignLayoutPassBase<FusionAssignLayoutPass> {
  using FusionAssignLayoutPassBase::FusionAssignLayoutPassBase;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getAssignLayoutPhases(), disabledPatterns,
                       enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    // Constants are folded by their bytes.
    if (failed(verifyResources(getOperation())))
      return signalPassFailure();
    for (const FrozenRewritePatternSet &phase : phases) {
      walkAndApplyPatterns(getOperation(), phase);
      eraseDeadOps();
    }
  }
  /// Transposes that nothing reads any more, and their tensor.empty.
  void eraseDeadOps() {
    IRRewriter rewriter(&getContext());
    getOperation()->walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
        [&](Operation *op) {
          if (isa<linalg::TransposeOp, linalg::FillOp, tensor::EmptyOp,
                  tensor::DimOp, arith::ConstantOp>(op) &&
              isOpTriviallyDead(op))
            rewriter.eraseOp(op);
        });
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace

SmallVector<PopulateFn> fusion::getAssignLayoutPhases() {
  return {populateAssignLayoutPatterns, populateSimplifyTransposePatterns,
          populateBorderLayoutPatterns};
}

void fusion::populateAssignLayoutPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<ConvChannelsLast<ConvOp>,
                        ConvChannelsLast<ConvTransposeOp>>(
      {"conv-channels-last"}, context, /*benefit=*/2);
  patterns.addWithLabel<PoolChannelsLast>({"pool-channels-last"}, context,
                                          /*benefit=*/2);
  patterns.addWithLabel<OrderEpilogueOperands>({"order-epilogue-operands"},
                                               context);
  patterns.addWithLabel<TransposeRhs>({"transpose-rhs"}, context,
                                      /*benefit=*/2);
  patterns
      .addWithLabel<TransposeFilter<ConvOp>, TransposeFilter<ConvTransposeOp>>(
          {"transpose-filter"}, context, /*benefit=*/2);
  // Before a root asks whether its weights are constant.
  populateFoldConstantShapePatterns(patterns);
  populateSinkTransposePatterns(patterns);
}
