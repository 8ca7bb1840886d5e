//===-- Raise.cpp - The pass --fusion-raise -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phase 1 and what its rules share.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Passes.h"
#include "RulePass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

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
    if (ShapedType::isDynamic(input) || ShapedType::isDynamic(window))
      continue;
    int64_t span = getWindowSpan(window, dilation);
    if (window < 1 || span > input)
      return refuse(reason, "map-mismatch: a window is larger than the image");
    if (!ShapedType::isDynamic(result) && result != (input - span) / stride + 1)
      return refuse(reason,
                    "map-mismatch: the result does not cover the image");
  }
  return success();
}

SmallVector<int64_t> fusion::getWindowAttr(linalg::LinalgOp op,
                                           StringRef name) {
  auto attr = op->getAttrOfType<DenseIntElementsAttr>(name);
  return attr ? llvm::to_vector(attr.getValues<int64_t>())
              : SmallVector<int64_t>{1, 1};
}

void fusion::populateRaisePatterns(RewritePatternSet &patterns) {
  populateRaiseConvPatterns(patterns);
  populateRaiseMatmulPatterns(patterns);
  populateRaisePoolPatterns(patterns);
  populateRaiseInitPatterns(patterns);
  populateFoldPadPatterns(patterns);
}

// A walk does not visit what it makes, and applies one rule to an op.
SmallVector<PopulateFn> fusion::getRaisePhases() {
  return {[](RewritePatternSet &set) {
            populateRaiseConvPatterns(set);
            populateRaiseMatmulPatterns(set);
            populateRaisePoolPatterns(set);
          },
          populateRaiseInitPatterns, populateFoldPadPatterns};
}

/// Says that no rule raises a product or convolution of this form.
static void explainUnknownForm(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return;
  StringRef name = op->getName().getStringRef();
  bool isGeneric = isa<linalg::GenericOp>(op);
  if (isGeneric && linalg::isaContractionOpInterface(linalgOp))
    remarkMissed(op->getLoc(), "raise-matmul",
                 "not-raised: a product in this form is no root");
  else if ((isGeneric || name.contains("conv_1d") || name.contains("conv_3d") ||
            name.contains("pooling_nwc") || name.contains("pooling_ncw") ||
            name.contains("pooling_ndhwc")) &&
           linalg::isaConvolutionOpInterface(linalgOp))
    remarkMissed(op->getLoc(),
                 name.contains("pool") ? "raise-pool" : "raise-conv",
                 ("not-raised: " + name + " in this form is no root").str());
}

namespace {
struct FusionRaisePass final
    : fusion::impl::FusionRaisePassBase<FusionRaisePass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    return freezeRules(context, getRaisePhases(), disabledPatterns,
                       enabledPatterns, phases);
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
      explainRaiseConv(inner);
      explainRaiseMatmul(inner);
      explainRaisePool(inner);
      explainFoldPad(inner);
      explainUnknownForm(inner);
    });
  }
  SmallVector<FrozenRewritePatternSet> phases;
};
} // namespace
