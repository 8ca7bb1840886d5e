//===-- FoldConstants.cpp - Constant channels and scaled weights ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-fold-constants and two of its rules (phase 4).
//
//===----------------------------------------------------------------------===//

#include "ChannelChain.h"
#include "ConstantData.h"
#include "EvaluateConstants.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "RulePass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include <cmath>

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONFOLDCONSTANTSPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

/// A shared weight is copied for one of its readers if the copy is no larger:
/// the multiplication that it saves is part of a multiply-add anyway.
static constexpr int64_t kMaxSharedBytes = 4096;

/// Erases the ops of `values`, and then their operands' ops, where nothing
/// reads them.
static void eraseDead(RewriterBase &rewriter, ValueRange values) {
  llvm::SetVector<Value> worklist(values.begin(), values.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    rewriter.eraseOp(op);
    worklist.insert_range(operands);
  }
}

namespace {
/// What is computed from constants, for channels, is a constant:
///   root(…, generic { rsqrt(v + 1e-5) }(dense)) -> root(…, dense)
/// Anchored on what reads the result, so that chains are folded as a whole, in
/// f64 and rounded once (under strict after each op).
struct FoldChannelConstants final
    : OpInterfaceRewritePattern<DestinationStyleOpInterface> {
  FoldChannelConstants(MLIRContext *context, FPAccuracy accuracy)
      : OpInterfaceRewritePattern(context), accuracy(accuracy) {}
  LogicalResult matchAndRewrite(DestinationStyleOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FusionRootOpInterface, linalg::LinalgOp>(op.getOperation()) ||
        llvm::any_of(op->getResults(), isEvaluable))
      return rewriter.notifyMatchFailure(op, "expected a last reader");
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (op.isDpsInit(&operand) || !isa<RankedTensorType>(value.getType()) ||
          getConstantTensor(value))
        continue;
      std::optional<SmallVector<double>> elements =
          evaluateConstant(value, accuracy == FPAccuracy::Strict);
      if (!elements)
        continue;
      ElementsAttr constant =
          createConstant(cast<RankedTensorType>(value.getType()), *elements);
      rewriter.setInsertionPoint(op);
      Value folded = arith::ConstantOp::create(rewriter, value.getLoc(),
                                               cast<TypedAttr>(constant));
      rewriter.modifyOpInPlace(op, [&] { operand.set(folded); });
      remarkFused(value.getLoc(), "fold-channel-constants",
                  (value.getDefiningOp()->getName().getStringRef() +
                   " of constants is a constant")
                      .str());
      eraseDead(rewriter, value);
      changed = true;
    }
    return changed ? success()
                   : rewriter.notifyMatchFailure(op, "expected constants");
  }
  FPAccuracy accuracy;
};

/// What is computed from constant integers is a constant:
///   generic { extsi(w) - 3 }(dense) -> dense
/// So are the corrections of a quantized root: its channels' sums of weights.
struct FoldIntegerConstants final
    : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr constant = evaluateIntegers(op);
    if (!constant)
      return rewriter.notifyMatchFailure(
          op, "expected sums and products of constant integers");
    remarkFused(
        op->getLoc(), "fold-integer-constants",
        (op->getName().getStringRef() + " of constants is a constant").str());
    SmallVector<Value> operands(op->getOperands());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                   cast<TypedAttr>(constant));
    eraseDead(rewriter, operands);
    return success();
  }
};

/// A constant scale of the accumulator and the weights that can take it.
struct ScaledWeights {
  Operation *multiply;
  OpOperand *weights;
  ElementsAttr constant;
  /// One factor for all channels, or one each.
  SmallVector<double> scale;
  /// Bytes of the copy that other readers of the weights make necessary.
  int64_t copiedBytes;
};
} // namespace

/// The factors that `scale`, a value of the epilogue, stands for.
static std::optional<SmallVector<double>> getFactors(FusionRootOpInterface root,
                                                     Value scale) {
  FloatAttr uniform;
  if (matchPattern(scale, m_Constant(&uniform)))
    return SmallVector<double>{uniform.getValueAsDouble()};
  std::optional<unsigned> index = getEpilogueOperandOf(root, scale);
  if (!index)
    return std::nullopt;
  int64_t channel = root.getChannelDim();
  Value operand = root.getEpilogueOperand(*index);
  ElementsAttr constant = getConstantTensor(operand);
  if (!constant ||
      root.getEpilogueOperandDims(*index) != ArrayRef<int64_t>(channel))
    return std::nullopt;
  if (auto splat = dyn_cast_or_null<FloatAttr>(getConstantElement(operand)))
    return SmallVector<double>{splat.getValueAsDouble()};
  return getAsDoubles(constant);
}

template <typename T>
static double getLargestFinite(ArrayRef<char> raw) {
  T largest = 0;
  for (T number : ArrayRef(reinterpret_cast<const T *>(raw.data()),
                           raw.size() / sizeof(T)))
    if (std::isfinite(number))
      largest = std::max(largest, std::fabs(number));
  return largest;
}

/// True if a finite weight times a factor may be beyond what its type holds,
/// where the scaled sum is not.
static bool overflows(ElementsAttr weights, ArrayRef<double> scale) {
  auto splat = dyn_cast<SplatElementsAttr>(weights);
  ArrayRef<char> raw = splat ? splat.getRawData() : *getRawElements(weights);
  bool isShort = weights.getElementType().isF32();
  double largest =
      isShort ? getLargestFinite<float>(raw) : getLargestFinite<double>(raw);
  double limit = isShort ? double(std::numeric_limits<float>::max())
                         : std::numeric_limits<double>::max();
  return llvm::any_of(scale, [&](double factor) {
    return std::fabs(factor) * largest > limit;
  });
}

/// What fold-scale-into-weights would do, or failure; `reason` says why where a
/// constant scale meets constant weights and still stays.
static FailureOr<ScaledWeights> matchScale(FusionRootOpInterface root,
                                           FPAccuracy accuracy,
                                           std::string &reason) {
  Value accumulator = root.getEpilogueBlock().getArgument(0);
  ScaledWeights match;
  match.weights = root.getWeights();
  if (!match.weights || !root.hasPureTensorSemantics() ||
      !accumulator.hasOneUse())
    return failure();
  match.multiply = *accumulator.user_begin();
  if (!isa<arith::MulFOp>(match.multiply))
    return failure();
  Value scale = match.multiply->getOperand(
      match.multiply->getOperand(0) == accumulator ? 1 : 0);
  std::optional<SmallVector<double>> factors = getFactors(root, scale);
  Value weights = match.weights->get();
  match.constant = getConstantTensor(weights);
  if (!factors || !match.constant ||
      (!isa<DenseElementsAttr>(match.constant) &&
       !getRawElements(match.constant)))
    return failure();
  match.scale = std::move(*factors);

  Type type = match.constant.getElementType();
  if (accuracy == FPAccuracy::Strict) {
    reason = "fp-accuracy: strict keeps the scale out of the weights";
    return failure();
  }
  if (root.getWeightsChannelDim() < 0) {
    reason = "unsupported-type: packed weights have no channel dim";
    return failure();
  }
  if (type != accumulator.getType() || (!type.isF32() && !type.isF64())) {
    reason = "unsupported-type: the weights are no f32 or f64 accumulated in "
             "their own type";
    return failure();
  }
  if (!llvm::all_of(match.scale,
                    [](double factor) { return std::isfinite(factor); })) {
    reason = "fp-accuracy: the scale is not finite";
    return failure();
  }
  if (overflows(match.constant, match.scale)) {
    reason = "fp-accuracy: a scaled weight is too large for its type";
    return failure();
  }
  int64_t bytes =
      match.constant.getNumElements() * (type.getIntOrFloatBitWidth() / 8);
  match.copiedBytes = weights.hasOneUse() ? 0 : bytes;
  if (match.copiedBytes > kMaxSharedBytes) {
    reason = "shared-weight: a copy of the weights would take " +
             std::to_string(bytes) + " bytes";
    return failure();
  }
  return match;
}

/// Multiplies each element by its channel's factor in f64 and rounds once;
/// `step` is 0 where all elements are the first.
template <typename T>
static void scaleElements(const T *source, int64_t step, T *target,
                          ArrayRef<int64_t> shape, int64_t channelDim,
                          ArrayRef<double> scale) {
  int64_t outer = llvm::product_of(shape.take_front(channelDim));
  int64_t channels = shape[channelDim];
  int64_t inner = llvm::product_of(shape.drop_front(channelDim + 1));
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t c = 0; c < channels; ++c) {
      double factor = scale[scale.size() == 1 ? 0 : c];
      for (int64_t j = 0; j < inner; ++j, source += step)
        *target++ = static_cast<T>(*source * factor);
    }
}

static ElementsAttr scaleWeights(ElementsAttr weights, int64_t channelDim,
                                 ArrayRef<double> scale) {
  auto type = cast<RankedTensorType>(weights.getShapedType());
  auto splat = dyn_cast<SplatElementsAttr>(weights);
  if (splat && scale.size() == 1) {
    double value = splat.getSplatValue<FloatAttr>().getValueAsDouble();
    return DenseElementsAttr::get(
        type, Attribute(FloatAttr::get(type.getElementType(),
                                       value * scale.front())));
  }
  ArrayRef<char> raw = splat ? splat.getRawData() : *getRawElements(weights);
  auto fill = [&](auto zero, MutableArrayRef<char> target) {
    using T = decltype(zero);
    scaleElements(reinterpret_cast<const T *>(raw.data()), splat ? 0 : 1,
                  reinterpret_cast<T *>(target.data()), type.getShape(),
                  channelDim, scale);
  };
  return createConstant(type, getResourceName(weights, "scaled_weights"),
                        [&](MutableArrayRef<char> target) {
                          if (type.getElementType().isF32())
                            fill(0.0f, target);
                          else
                            fill(0.0, target);
                        });
}

namespace {
/// A constant scale directly on the accumulator goes into constant weights:
///   conv(x, W) epilogue { acc * s + t } -> conv(x, W * s) epilogue { acc + t }
/// Changes rounding: never under strict. A shared weight is copied only if it
/// is small.
struct FoldScaleIntoWeights final
    : OpInterfaceRewritePattern<FusionRootOpInterface> {
  FoldScaleIntoWeights(MLIRContext *context, FPAccuracy accuracy)
      : OpInterfaceRewritePattern(context), accuracy(accuracy) {}
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    std::string reason;
    FailureOr<ScaledWeights> match = matchScale(root, accuracy, reason);
    if (failed(match))
      return rewriter.notifyMatchFailure(
          root, reason.empty() ? "expected a constant scale of channels before "
                                 "all else, and constant weights"
                               : reason);
    Value old = match->weights->get();
    ElementsAttr scaled = scaleWeights(
        match->constant, root.getWeightsChannelDim(), match->scale);
    rewriter.setInsertionPoint(root);
    Value weights = arith::ConstantOp::create(rewriter, old.getLoc(),
                                              cast<TypedAttr>(scaled));
    rewriter.modifyOpInPlace(root, [&] { match->weights->set(weights); });
    rewriter.replaceOp(match->multiply, root.getEpilogueBlock().getArgument(0));
    SmallVector<Value> operands(root->getOperands());
    dropDeadEpilogueOperands(rewriter, root);
    std::string note;
    if (match->copiedBytes)
      note = ", on a copy of " + std::to_string(match->copiedBytes) + " bytes";
    remarkFused(root.getLoc(), "fold-scale-into-weights",
                "the scale is part of the weights" + note);
    operands.push_back(old);
    eraseDead(rewriter, operands);
    return success();
  }
  FPAccuracy accuracy;
};
} // namespace

void fusion::populateFoldChannelConstantsPatterns(RewritePatternSet &patterns,
                                                  FPAccuracy accuracy) {
  patterns.addWithLabel<FoldChannelConstants>(
      {"fold-channel-constants", kRounds}, patterns.getContext(), accuracy);
  patterns.addWithLabel<FoldIntegerConstants>({"fold-integer-constants"},
                                              patterns.getContext());
}

void fusion::populateFoldScalePatterns(RewritePatternSet &patterns,
                                       FPAccuracy accuracy) {
  patterns.addWithLabel<FoldScaleIntoWeights>(
      {"fold-scale-into-weights", kRounds}, patterns.getContext(), accuracy);
}

SmallVector<PopulateFn> fusion::getFoldConstantsPhases(FPAccuracy accuracy) {
  return {
      [=](RewritePatternSet &set) {
        populateHoistChannelOpsPatterns(set, accuracy);
      },
      [=](RewritePatternSet &set) {
        populateFoldChannelConstantsPatterns(set, accuracy);
      },
      [=](RewritePatternSet &set) { populateFoldScalePatterns(set, accuracy); },
      [=](RewritePatternSet &set) {
        populateSimplifyArithmeticPatterns(set, accuracy);
      }};
}

namespace {
struct FusionFoldConstantsPass final
    : fusion::impl::FusionFoldConstantsPassBase<FusionFoldConstantsPass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getFoldConstantsPhases(fpAccuracy),
                       disabledPatterns, enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    Operation *op = getOperation();
    if (failed(verifyResources(op)))
      return signalPassFailure();
    mergeEqualConstants(op);
    for (FrozenRewritePatternSet &phase : phases)
      walkAndApplyPatterns(op, phase);
    op->walk([&](FusionRootOpInterface root) { remarkWhatStays(root); });
  }

private:
  void remarkWhatStays(FusionRootOpInterface root) {
    if (fpAccuracy == FPAccuracy::Strict && hasChannelChain(root))
      remarkMissed(root.getLoc(), "hoist-channel-ops",
                   "fp-accuracy: strict keeps the arithmetic on channels as "
                   "written");
    std::string reason;
    if (failed(matchScale(root, fpAccuracy, reason)) && !reason.empty())
      remarkMissed(root.getLoc(), "fold-scale-into-weights", reason);
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace
