//===-- AcmePlugin.cpp - A third party's dialect and pass -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for mlir-fusion-opt that knows nothing of its sources: an
// elementwise op, its lowering, and a fusion rule over our interface.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Dialect/Fusion.h"
#include "FusionDialect/Transforms/Patterns.h"
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

/// x * a + b -> fma(x, a, b) in the epilogue of any root: a rule of the third
/// party's own, written against our interface.
struct ContractEpilogue final
    : OpInterfaceRewritePattern<fusion::FusionRootOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(fusion::FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (auto sum : llvm::make_early_inc_range(
             root.getEpilogueBlock().getOps<arith::AddFOp>())) {
      auto product = sum.getLhs().getDefiningOp<arith::MulFOp>();
      if (!product || !product->hasOneUse())
        continue;
      rewriter.setInsertionPoint(sum);
      rewriter.replaceOpWithNewOp<math::FmaOp>(sum, product.getLhs(),
                                               product.getRhs(), sum.getRhs());
      rewriter.eraseOp(product);
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(root,
                                         "expected a product plus a term");
    fusion::remarkFused(root.getLoc(), fusion::getRuleLabel(*this),
                        "products and sums are rounded once");
    return success();
  }
};

struct LowerSoftsignPass final
    : PassWrapper<LowerSoftsignPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerSoftsignPass)
  StringRef getArgument() const override { return "acme-lower-softsign"; }
  StringRef getDescription() const override {
    return "Says what a softsign computes";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerSoftsign>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

struct ContractPass final : PassWrapper<ContractPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ContractPass)
  // A pass with options is copied without them.
  ContractPass() = default;
  ContractPass(const ContractPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "acme-contract"; }
  StringRef getDescription() const override {
    return "Contracts products and sums in epilogues";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet rules(&getContext());
    // Its label, and what it does to rounding: mlir-fusion-fuzz holds it to it.
    rules.addWithLabel<ContractEpilogue>(
        {"acme-contract-epilogue", fusion::kRounds}, &getContext());
    fusion::traceRules(rules, traced);
    walkAndApplyPatterns(getOperation(), std::move(rules));
  }
  Option<std::string> traced{
      *this, "trace-rules",
      llvm::cl::desc(
          "Say what came of each rule on ops of this name or place")};
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING,
      [](DialectRegistry *registry) { registry->insert<acme::AcmeDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Acme", LLVM_VERSION_STRING, [] {
            PassRegistration<LowerSoftsignPass>();
            PassRegistration<ContractPass>();
          }};
}
