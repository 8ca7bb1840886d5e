//===-- WidenFloats.cpp - f16 and bf16 computed in f32 --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-widen-floats: without it, LLVM calls compiler-rt, which no
// compiled model is linked with, for most of what is done with these types.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

/// `type` with another element type.
static Type getTypeLike(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

static Value splat(OpBuilder &builder, Location loc, Type type, int64_t value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

static bool isSmallFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

namespace {
/// extf of 16 bits to f64 -> extf to f32, extf to f64.
struct ExtendInSteps final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmallFloat(op.getIn().getType()) ||
        !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "expected 16 bits to f64");
    Type single = getTypeLike(op.getType(), rewriter.getF32Type());
    Value extended =
        arith::ExtFOp::create(rewriter, op.getLoc(), single, op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), extended);
    return success();
  }
};

/// truncf of f64 to 16 bits -> truncf to f32, truncf to 16 bits; the first
/// rounds to odd, so that the second rounds as if it were the only one.
struct TruncateInSteps final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type type = x.getType();
    if (!getElementTypeOrSelf(type).isF64() || !isSmallFloat(op.getType()) ||
        op.getRoundingmodeAttr())
      return rewriter.notifyMatchFailure(op, "expected f64 to 16 bits");
    Location loc = op.getLoc();
    Type single = getTypeLike(type, rewriter.getF32Type());
    Type bitsType = getTypeLike(type, rewriter.getI32Type());
    Value nearest = arith::TruncFOp::create(rewriter, loc, single, x);
    Value back = arith::ExtFOp::create(rewriter, loc, type, nearest);
    auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
      return arith::CmpFOp::create(rewriter, loc, predicate, lhs, rhs);
    };
    auto magnitude = [&](Value value) {
      return math::AbsFOp::create(rewriter, loc, value);
    };
    Value bits = arith::BitcastOp::create(rewriter, loc, bitsType, nearest);
    Value one = splat(rewriter, loc, bitsType, 1);
    // Rounded away from zero: one step back. Rounded at all: the last bit is
    // set. Infinity steps back to the largest number, which is odd.
    Value tooLarge =
        compare(arith::CmpFPredicate::OGT, magnitude(back), magnitude(x));
    Value lower = arith::SubIOp::create(rewriter, loc, bits, one);
    Value truncated =
        arith::SelectOp::create(rewriter, loc, tooLarge, lower, bits);
    Value odd = arith::OrIOp::create(rewriter, loc, truncated, one);
    Value isInexact = compare(arith::CmpFPredicate::ONE, back, x);
    bits = arith::SelectOp::create(rewriter, loc, isInexact, odd, bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(
        op, op.getType(),
        arith::BitcastOp::create(rewriter, loc, single, bits));
    return success();
  }
};

/// An integer of more bits than f32 has -> bf16, by f64. (f16 is infinite long
/// before f32 rounds.)
template <typename Op>
struct ConvertByF64 final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        getElementTypeOrSelf(op.getIn().getType()).getIntOrFloatBitWidth() <=
            24)
      return rewriter.notifyMatchFailure(op, "expected a wide integer");
    Value wide = Op::create(rewriter, op.getLoc(),
                            getTypeLike(op.getType(), rewriter.getF64Type()),
                            op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

struct FusionWidenFloatsPass final
    : fusion::impl::FusionWidenFloatsPassBase<FusionWidenFloatsPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet steps(context);
    steps.add<ExtendInSteps, TruncateInSteps, ConvertByF64<arith::SIToFPOp>,
              ConvertByF64<arith::UIToFPOp>>(context);
    conversionsInSteps = std::move(steps);
    RewritePatternSet expand(context);
    arith::populateExpandBFloat16Patterns(expand);
    expandConversions = std::move(expand);
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    bool any = false;
    root->walk([&](Operation *op) {
      any |= llvm::any_of(op->getOperandTypes(), isSmallFloat) ||
             llvm::any_of(op->getResultTypes(), isSmallFloat);
    });
    if (!any)
      return;
    if (failed(applyPatternsGreedily(root, conversionsInSteps)) ||
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
