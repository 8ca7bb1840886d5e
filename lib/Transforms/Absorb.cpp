//===-- Absorb.cpp - Elementwise consumers into epilogues -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-absorb and its rules (phases 2 and 3).
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "ConstantData.h"
#include "FusionDialect/Analysis/PadFolds.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "RulePass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONABSORBPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

using linalg::GenericOp;
using linalg::LinalgOp;

static LogicalResult absorbOfKind(Operation *consumer, AbsorptionKind wanted,
                                  const FusionControlFn &control,
                                  PatternRewriter &rewriter) {
  std::string reason;
  AbsorptionKind kind;
  FailureOr<Absorption> absorption =
      matchAbsorption(consumer, control, reason, kind);
  if (failed(absorption))
    return rewriter.notifyMatchFailure(consumer, reason);
  if (kind != wanted)
    return rewriter.notifyMatchFailure(consumer, "expected other operands");
  remarkFused(consumer->getLoc(), getAbsorptionLabel(kind),
              (absorption->root->getName().getStringRef() + " takes " +
               consumer->getName().getStringRef())
                  .str());
  absorb(rewriter, *absorption);
  return success();
}

/// What a root can take is not made a generic first.
static constexpr unsigned kBenefit = 2;

namespace {
/// Absorbs an elementwise linalg op: one that reads nothing but the root,
///   generic { max(in, 0) }(root) -> root epilogue { …; max(acc, 0) }
/// one whose other operands are broadcast,
///   generic { in + b }(root, bias at (d1)) -> root epilogue { …; acc + b }
/// or one that reads another value of the result's size:
///   generic { in + r }(root, res) -> root epilogue { …; acc + r }
template <AbsorptionKind kind>
struct AbsorbLinalgOp final : OpInterfaceRewritePattern<LinalgOp> {
  AbsorbLinalgOp(MLIRContext *context, const FusionControlFn &control)
      : OpInterfaceRewritePattern(context, kBenefit), control(control) {}
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    return absorbOfKind(op, kind, control, rewriter);
  }
  FusionControlFn control;
};

/// The same for ops of scalars that are applied to tensors:
///   arith.addf root, %res : tensor<…> -> root epilogue { …; acc + r }
template <AbsorptionKind kind>
struct AbsorbTensorOp final : OpTraitRewritePattern<OpTrait::Elementwise> {
  AbsorbTensorOp(MLIRContext *context, const FusionControlFn &control)
      : OpTraitRewritePattern(context, kBenefit), control(control) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return absorbOfKind(op, kind, control, rewriter);
  }
  FusionControlFn control;
};

/// A constant operand that is the same everywhere becomes part of the region:
///   epilogue(%acc, %six = %c6[] : tensor<f32>) { min(%acc, %six) }
///   -> epilogue(%acc) { min(%acc, constant 6.0) }
struct InlineSplatConstant final
    : OpInterfaceRewritePattern<FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
      BlockArgument argument = root.getEpilogueArgument(i);
      TypedAttr scalar = getConstantElement(root.getEpilogueOperand(i));
      if (!scalar || argument.use_empty())
        continue;
      rewriter.setInsertionPointToStart(&root.getEpilogueBlock());
      Location loc = root.getEpilogueOperand(i).getLoc();
      rewriter.replaceAllUsesWith(
          argument, arith::ConstantOp::create(rewriter, loc, scalar));
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(root, "expected a constant operand");
    dropDeadEpilogueOperands(rewriter, root);
    remarkFused(root.getLoc(), "inline-splat-constant",
                ("the epilogue of " + root->getName().getStringRef() +
                 " holds a constant")
                    .str());
    return success();
  }
};
} // namespace

/// True for a linalg op that computes each element of its result from others.
static bool isElementwise(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops())
    return false;
  // A fill, copy, broadcast or transpose computes nothing.
  return llvm::any_of(linalgOp.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return !inner.hasTrait<OpTrait::ConstantLike>();
                      });
}

namespace {
/// Named elementwise ops become generics, the form that upstream fuses:
///   linalg.exp ins(%x) outs(%e) -> linalg.generic { math.exp }
struct GeneralizeElementwise final : OpInterfaceRewritePattern<LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        op.getNumParallelLoops() != op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "expected parallel loops");
    // A fill, copy, broadcast or transpose computes nothing.
    auto body = op.getBlock()->without_terminator();
    if (body.empty() || !llvm::all_of(body, [](Operation &inner) {
          return isEpilogueOp(&inner);
        }))
      return rewriter.notifyMatchFailure(op, "expected elementwise ops");
    return linalg::generalizeNamedOp(rewriter, op);
  }
};
} // namespace

/// Ops in one generic beyond which merging more of them would cost quadratic
/// time.
static constexpr size_t kMaxFusedBody = 64;

/// True if `producer` may become part of the generic that reads it.
static bool mayFuse(OpOperand *operand, const FusionControlFn &control) {
  auto producer = operand->get().getDefiningOp<GenericOp>();
  auto consumer = dyn_cast<GenericOp>(operand->getOwner());
  if (!producer || !consumer || producer->getNumResults() != 1)
    return false;
  // One reader in one iteration space, which reads each element where it is:
  // none is computed twice, nothing moves into a reduction.
  if (!llvm::all_of(producer->getUses(),
                    [&](OpOperand &use) {
                      return use.getOwner() == consumer &&
                             consumer.getMatchingIndexingMap(&use).isIdentity();
                    }) ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      consumer.getNumParallelLoops() != consumer.getNumLoops() ||
      !producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
           .isIdentity())
    return false;
  auto size = [](GenericOp op) { return op.getBody()->getOperations().size(); };
  if (size(producer) + size(consumer) > kMaxFusedBody)
    return false;
  if (!llvm::all_of(*producer.getBody(),
                    [](Operation &op) { return isMemoryEffectFree(&op); }))
    return false;
  std::string reason;
  AbsorptionKind kind;
  return failed(matchAbsorption(producer, control, reason, kind));
}

void fusion::populateAbsorbPatterns(RewritePatternSet &patterns,
                                    const FusionControlFn &control) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<AbsorbLinalgOp<AbsorptionKind::Unary>,
                        AbsorbTensorOp<AbsorptionKind::Unary>>(
      {"absorb-unary"}, context, control);
  patterns.addWithLabel<AbsorbLinalgOp<AbsorptionKind::Channel>,
                        AbsorbTensorOp<AbsorptionKind::Channel>>(
      {"absorb-channel"}, context, control);
  patterns.addWithLabel<AbsorbLinalgOp<AbsorptionKind::Residual>,
                        AbsorbTensorOp<AbsorptionKind::Residual>>(
      {"absorb-residual"}, context, control);
}

void fusion::populateFuseElementwisePatterns(RewritePatternSet &patterns,
                                             const FusionControlFn &control) {
  RewritePatternSet upstream(patterns.getContext());
  linalg::populateElementwiseOpsFusionPatterns(
      upstream,
      [control](OpOperand *operand) { return mayFuse(operand, control); });
  linalg::populateElementwiseToLinalgConversionPatterns(upstream);
  for (std::unique_ptr<RewritePattern> &pattern :
       upstream.getNativePatterns()) {
    pattern->addDebugLabels(StringRef("fuse-elementwise"));
    patterns.add(std::move(pattern));
  }
  patterns.addWithLabel<GeneralizeElementwise>({"fuse-elementwise"},
                                               patterns.getContext());
}

void fusion::populateInlineConstantPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<InlineSplatConstant>({"inline-splat-constant"},
                                             patterns.getContext());
}

SmallVector<PopulateFn> fusion::getAbsorbPhases() {
  return {populateDropAssertPatterns,
          [](RewritePatternSet &set) { populateAbsorbPatterns(set); },
          [](RewritePatternSet &set) {
            populateAbsorbPatterns(set);
            populateFuseElementwisePatterns(set);
            populateInlineConstantPatterns(set);
          }};
}

namespace {
struct FusionAbsorbPass final
    : fusion::impl::FusionAbsorbPassBase<FusionAbsorbPass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getAbsorbPhases(), disabledPatterns,
                       enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    Operation *op = getOperation();
    walkAndApplyPatterns(op, phases[0]);
    walkAndApplyPatterns(op, phases[1]);
    int64_t count = 0;
    op->walk([&](Operation *inner) {
      guardPad(inner);
      ++count;
    });
    // What is not finished within the limit is left as it is: correct, only
    // less fused.
    (void)applyPatternsGreedily(
        op, phases[2],
        GreedyRewriteConfig()
            .setUseTopDownTraversal()
            .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
            .setMaxNumRewrites(64 * count));
    remarkWhatStays(op);
  }

private:
  /// Says why, once for each op that still reads a root and for each that
  /// computes element by element.
  static void remarkWhatStays(Operation *op) {
    op->walk<WalkOrder::PreOrder>([](Operation *reader) {
      if (isa<FusionRootOpInterface>(reader))
        return WalkResult::skip();
      bool stays = readsRoot(reader) || isElementwise(reader);
      std::string reason;
      AbsorptionKind kind = AbsorptionKind::Unary;
      if (stays &&
          failed(matchAbsorption(reader, defaultFusionControl, reason, kind)))
        remarkMissed(reader->getLoc(), getAbsorptionLabel(kind), reason);
      return isa<LinalgOp>(reader) ? WalkResult::skip() : WalkResult::advance();
    });
  }
  static bool readsRoot(Operation *op) {
    return !op->hasTrait<OpTrait::IsTerminator>() && !isRenaming(op) &&
           !isa<tensor::DimOp>(op) &&
           llvm::any_of(op->getOperands(), [](Value operand) {
             return getRenamedResult(operand).root;
           });
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace
