//===-- WidenFloats.cpp - f16 and bf16 computed in f32 --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-widen-floats, also for integers that floats hold in part:
// without it, LLVM calls compiler-rt, which no
// compiled model is linked with, for most of what is done with these types.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "FusionDialect/Conversion/Passes.h"
#include "RoundFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONWIDENFLOATSPASS
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool needsSteps(Type type) {
  return isSmallFloat(type) || isWideInteger(type);
}

namespace {
struct FusionWidenFloatsPass final
    : fusion::impl::FusionWidenFloatsPassBase<FusionWidenFloatsPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    // No fact that a module may state matters here.
    FailureOr<TargetInfo> info =
        TargetInfo::get(UnknownLoc::get(context), target);
    if (failed(info))
      return failure();
    RewritePatternSet steps(context);
    populateRoundOncePatterns(steps);
    populateWideIntegerPatterns(steps);
    conversionsInSteps = std::move(steps);
    RewritePatternSet expand(context);
    arith::populateExpandBFloat16Patterns(expand);
    if (!info->convertsHalf)
      populateExpandHalfPatterns(expand);
    expandConversions = std::move(expand);
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    bool any = false;
    root->walk([&](Operation *op) {
      any |= llvm::any_of(op->getOperandTypes(), needsSteps) ||
             llvm::any_of(op->getResultTypes(), needsSteps);
      if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        any |= truncate.getRoundingmode().has_value();
    });
    if (!any)
      return;
    if (failed(applyBounded(root, conversionsInSteps)) ||
        failed(widenComputations(root)))
      return signalPassFailure();
    walkAndApplyPatterns(root, expandConversions);
  }

private:
  /// What computes: extf of operands, the op in f32, truncf of results.
  LogicalResult widenComputations(Operation *root) {
    Builder builder(&getContext());
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {builder.getF16Type(), builder.getBF16Type()},
        builder.getF32Type());
    // Upstream's may be folded with the truncf of the producer; each op of the
    // source rounds.
    converter.addTargetMaterialization(
        [](OpBuilder &nested, Type type, ValueRange inputs, Location loc) {
          return arith::ExtFOp::create(nested, loc, type, inputs);
        });
    RewritePatternSet patterns(&getContext());
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(getContext());
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    target.addDynamicallyLegalDialect<math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    // A denormal f16 is a normal f32.
    target.addDynamicallyLegalOp<math::IsNormalOp>([](math::IsNormalOp op) {
      return !getElementTypeOrSelf(op.getOperand().getType()).isBF16();
    });
    return applyPartialConversion(root, target, std::move(patterns));
  }

  FrozenRewritePatternSet conversionsInSteps, expandConversions;
};
} // namespace
