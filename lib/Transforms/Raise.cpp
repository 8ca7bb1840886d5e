//===-- Raise.cpp - The pass --fusion-raise -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase 1 and what its rules share.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"
#include "FusionDialect/Analysis/KernelPlan.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "ResolveSizes.h"
#include "RulePass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONRAISEPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

LogicalResult fusion::checkOperands(linalg::LinalgOp op, std::string &reason) {
  for (Type type : op->getOperandTypes()) {
    Type element = getElementTypeOrScalar(type);
    if (!isa<FloatType>(element) && !element.isSignlessInteger())
      return refuse(reason,
                    "unsupported-type: an element is no float or integer");
  }
  if (getElementTypeOrScalar(op.getDpsInitOperand(0)->get().getType())
          .isInteger(1))
    return refuse(reason, "unsupported-type: the result is of type i1");

  // linalg's verifier does not compare sizes where one of them is 0.
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, size] :
         llvm::zip_equal(op.getMatchingIndexingMap(&operand).getResults(),
                         op.getShape(&operand))) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || ShapedType::isDynamic(size))
        continue;
      int64_t &known = sizes[loop.getPosition()];
      if (!ShapedType::isDynamic(known) && known != size)
        return refuse(reason, "map-mismatch: operands differ in a size");
      known = size;
    }
  return success();
}

LogicalResult fusion::checkWindows(const WindowedSizes &sizes,
                                   std::string &reason) {
  for (auto [input, window, result, stride, dilation] :
       llvm::zip_equal(sizes.input, sizes.window, sizes.result, sizes.strides,
                       sizes.dilations)) {
    if (stride < 1 || dilation < 1)
      return refuse(reason,
                    "map-mismatch: a stride or dilation is not positive");
    if (ShapedType::isDynamic(window))
      continue;
    if (window < 1)
      return refuse(reason, "map-mismatch: a window has no elements");
    int64_t span;
    if (llvm::MulOverflow(window - 1, dilation, span) ||
        llvm::AddOverflow(span, int64_t(1), span))
      return refuse(reason, "map-mismatch: a window does not fit in 64 bits");
    if (ShapedType::isDynamic(input))
      continue;
    if (span > input)
      return refuse(reason, "map-mismatch: a window is larger than the image");
    if (!ShapedType::isDynamic(result) && result != (input - span) / stride + 1)
      return refuse(reason,
                    "map-mismatch: the result does not cover the image");
  }
  return success();
}

/// How much of the image windows reach if the result has `places`; nothing if
/// the window is not known or has no place. Its span is checked already.
static std::optional<int64_t> getReach(const WindowedDim &dim, int64_t places) {
  int64_t steps, reach;
  if (ShapedType::isDynamic(dim.window) || places < 1 ||
      llvm::MulOverflow(places - 1, dim.stride, steps) ||
      llvm::AddOverflow(steps, getWindowSpan(dim.window, dim.dilation), reach))
    return std::nullopt;
  return reach;
}

void fusion::cropImage(RewriterBase &rewriter, FusionRootOpInterface root) {
  OpOperand &image = *root.getPaddedInput();
  Value init = root.getInitValue();
  auto type = cast<RankedTensorType>(image.get().getType());
  Location loc = root.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(root);
  SmallVector<std::pair<int64_t, OpFoldResult>> cuts;
  for (const WindowedDim &dim : getWindowedDims(root)) {
    bool isDynamic = type.isDynamicDim(dim.image);
    int64_t places = root.getInitType().getDimSize(dim.result);
    if (dim.isPointwise()) {
      if ((isDynamic || ShapedType::isDynamic(places)) &&
          !haveEqualSizes(image.get(), dim.image, init, dim.result))
        cuts.emplace_back(
            dim.image, tensor::getMixedSize(rewriter, loc, init, dim.result));
    } else if (isDynamic) {
      if (std::optional<int64_t> reach = getReach(dim, places))
        cuts.emplace_back(dim.image, rewriter.getIndexAttr(*reach));
    }
  }
  if (cuts.empty())
    return;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, image.get());
  for (auto [dim, size] : cuts)
    sizes[dim] = size;
  SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
      ones(sizes.size(), rewriter.getIndexAttr(1));
  Value cut = tensor::ExtractSliceOp::create(rewriter, loc, image.get(), zeros,
                                             sizes, ones);
  rewriter.modifyOpInPlace(root, [&] { image.set(cut); });
}

LogicalResult fusion::checkFactors(const ReductionBody &body,
                                   std::string &reason) {
  if (body.lhs.isUnsigned || (body.rhs && body.rhs->isUnsigned))
    return refuse(reason, "unsupported-type: the elements are unsigned");
  if (body.hasZeroPoints())
    return refuse(reason, "not-raised: a root takes no zero points");
  return success();
}

void fusion::populateRaisePatterns(RewritePatternSet &patterns) {
  populateZeroPointPatterns(patterns);
  populateRaiseConvPatterns(patterns);
  populateRaiseGlobalPoolPatterns(patterns);
  populateRaiseMatmulPatterns(patterns);
  populateRaisePoolPatterns(patterns);
  populateRaiseInitPatterns(patterns);
  populateFoldPadPatterns(patterns);
  populateRaiseAveragePatterns(patterns);
  populateRaiseConvTransposePatterns(patterns);
  populateWidenSumsPatterns(patterns);
}

// A walk does not visit what it makes, and applies one rule to an op.
SmallVector<PopulateFn> fusion::getRaisePhases() {
  return {populateZeroPointPatterns,
          [](RewritePatternSet &set) {
            populateRaiseConvPatterns(set);
            populateRaiseGlobalPoolPatterns(set);
            populateRaiseMatmulPatterns(set);
            populateRaisePoolPatterns(set);
          },
          populateRaiseInitPatterns,
          populateFoldPadPatterns,
          populateRaiseAveragePatterns,
          populateRaiseConvTransposePatterns,
          populateWidenSumsPatterns};
}

/// Of an op that upstream calls a product or convolution, but whose body is
/// none that a root has: complex numbers, or a product of booleans.
static void explainUnknownBody(linalg::LinalgOp op) {
  StringRef name = op->getName().getStringRef();
  StringRef label = "raise-matmul";
  if (linalg::isaConvolutionOpInterface(op))
    label = name.contains("pool") ? "raise-pool" : "raise-conv";
  else if (!linalg::isaContractionOpInterface(op))
    return;
  std::string reason;
  if (succeeded(checkOperands(op, reason)))
    reason = ("not-raised: the body of " + name + " is no root's").str();
  remarkMissed(op->getLoc(), label, reason);
}

/// Says why an op that looks like a root was not raised.
static void explainRaise(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics())
    return;
  std::optional<ReductionBody> body = matchReductionBody(linalgOp);
  if (!body) {
    explainUnknownBody(linalgOp);
    return;
  }
  if (body->hasZeroPoints())
    return explainZeroPoints(linalgOp, *body);
  switch (getRootFamily(linalgOp, *body)) {
  case RootFamily::Conv:
    return explainRaiseConv(linalgOp, *body);
  case RootFamily::Matmul:
    return explainRaiseMatmul(linalgOp, *body);
  case RootFamily::Pool:
    return explainRaisePool(linalgOp, *body);
  case RootFamily::None:
    return;
  }
}

namespace {
struct FusionRaisePass final
    : fusion::impl::FusionRaisePassBase<FusionRaisePass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getRaisePhases(), disabledPatterns,
                       enabledPatterns, traceRules, phases);
  }
  void runOnOperation() override {
    Operation *op = getOperation();
    for (const FrozenRewritePatternSet &rules : phases)
      walkAndApplyPatterns(op, rules);
    // Pads and fills that nothing reads any more would still count as readers
    // of the root before them.
    op->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *inner) {
      if (isOpTriviallyDead(inner))
        inner->erase();
    });
    op->walk([](Operation *inner) {
      explainRaise(inner);
      explainRaiseConvTranspose(inner);
      explainFoldPad(inner);
    });
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace
