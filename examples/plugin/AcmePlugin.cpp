//===-- AcmePlugin.cpp - A third party's dialect and pass -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for mlir-fusion-opt that knows nothing of its sources: an
// elementwise op, its lowering, and a fusion rule over our interface.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Config/llvm-config.h"

#include "AcmeDialect.h.inc"
#define GET_OP_CLASSES
#include "AcmeOps.h.inc"

#include "AcmeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "AcmeOps.cpp.inc"

using namespace mlir;

void acme::AcmeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "AcmeOps.cpp.inc"
      >();
}

namespace {
/// softsign(x) -> x / (1 + |x|), on scalars and vectors.
struct LowerSoftsign final : OpRewritePattern<acme::SoftsignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(acme::SoftsignOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value one = arith::ConstantOp::create(
        rewriter, loc, type, cast<TypedAttr>(rewriter.getOneAttr(type)));
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value sum = arith::AddFOp::create(rewriter, loc, magnitude, one);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, op.getOperand(), sum);
    return success();
  }
};

/// softsign(softsign(x)) in the epilogue of any root: counted and remarked by a
/// rule of the third party's own, written against our interface.
struct CountSoftsigns final
    : OpInterfaceRewritePattern<fusion::FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(fusion::FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (root->hasAttr("acme.softsigns"))
      return rewriter.notifyMatchFailure(root, "expected no count yet");
    auto ops = root.getEpilogueBlock().getOps<acme::SoftsignOp>();
    rewriter.modifyOpInPlace(root, [&] {
      root->setAttr("acme.softsigns",
                    rewriter.getI64IntegerAttr(llvm::range_size(ops)));
    });
    return success();
  }
};

template <typename Pattern>
struct AcmePass : PassWrapper<AcmePass<Pattern>, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AcmePass<Pattern>)
  StringRef getArgument() const override;
  StringRef getDescription() const override { return "a third party's pass"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&this->getContext());
    patterns.add<Pattern>(&this->getContext());
    walkAndApplyPatterns(this->getOperation(), std::move(patterns));
  }
};
template <>
StringRef AcmePass<LowerSoftsign>::getArgument() const {
  return "acme-lower-softsign";
}
template <>
StringRef AcmePass<CountSoftsigns>::getArgument() const {
  return "acme-count-softsigns";
}
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) { registry->insert<acme::AcmeDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING, [] {
            PassRegistration<AcmePass<LowerSoftsign>>();
            PassRegistration<AcmePass<CountSoftsigns>>();
          }};
}
