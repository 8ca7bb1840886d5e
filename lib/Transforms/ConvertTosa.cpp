//===-- ConvertTosa.cpp - TOSA input --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-convert-tosa: our rules for what upstream's conversions
// lose, then these, one after the other. Functions without TOSA ops are left
// as they are, so that the pass may come first for every model.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Transforms/Passes.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "RulePass.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONCONVERTTOSAPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool isTosa(Operation *op) {
  return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
}

static bool hasTosa(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isTosa(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// One of upstream's conversions, and the ops that it is to take.
struct Step {
  void (*populate)(const TypeConverter &, RewritePatternSet &);
  bool (*takes)(Operation *);
};

// Each may make ops for the next. Constants go last: the others ask for them.
constexpr Step kSteps[] = {
    {[](const TypeConverter &converter, RewritePatternSet &set) {
       tosa::populateTosaToLinalgNamedConversionPatterns(
           converter, &set, TosaToLinalgNamedOptions());
     },
     [](Operation *op) {
       return isa<tosa::AvgPool2dOp, tosa::Conv2DOp, tosa::Conv3DOp,
                  tosa::DepthwiseConv2DOp, tosa::MatMulOp, tosa::MaxPool2dOp,
                  tosa::TransposeOp>(op);
     }},
    {[](const TypeConverter &converter, RewritePatternSet &set) {
       tosa::populateTosaToLinalgConversionPatterns(converter, &set);
       tosa::populateTosaToTensorConversionPatterns(converter, &set);
       tosa::populateTosaToSCFConversionPatterns(&set);
     },
     [](Operation *op) {
       return isTosa(op) &&
              !isa<tosa::ApplyScaleOp, tosa::ConstOp, tosa::ConstShapeOp>(op);
     }},
    {[](const TypeConverter &, RewritePatternSet &set) {
       tosa::populateTosaToArithConversionPatterns(&set);
       // 64-bit products: exact for every multiplier and shift.
       tosa::populateTosaRescaleToArithConversionPatterns(
           &set, /*include32Bit=*/false);
     },
     [](Operation *op) { return isa<tosa::ApplyScaleOp, tosa::ConstOp>(op); }},
};

struct FusionConvertTosaPass final
    : fusion::impl::FusionConvertTosaPassBase<FusionConvertTosaPass> {
  using Base::Base;
  LogicalResult initialize(MLIRContext *context) override {
    if (failed(freezeRules(context, getConvertTosaPhases(), disabledPatterns,
                           enabledPatterns, traceRules, roots)))
      return failure();
    tosa::populateTosaTypeConversion(converter);
    for (const Step &step : kSteps) {
      RewritePatternSet patterns(context);
      step.populate(converter, patterns);
      steps.emplace_back(std::move(patterns));
    }
    RewritePatternSet folds(context);
    populateSimplifyTransposePatterns(folds);
    constants = std::move(folds);
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](FunctionOpInterface function) {
      if (!hasTosa(function))
        return WalkResult::advance();
      return WalkResult(convert(function));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult convert(FunctionOpInterface function);

  TypeConverter converter;
  SmallVector<FrozenRewritePatternSet> roots, steps;
  FrozenRewritePatternSet constants;
};
} // namespace

/// Upstream's conversions crash on unranked tensors and quantized types.
static LogicalResult checkTypes(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<TensorType>(type);
      if (tensor &&
          (!tensor.hasRank() || !tensor.getElementType().isIntOrIndexOrFloat()))
        return op->emitOpError("expected ranked tensors of floats or "
                               "integers, got ")
               << type;
    }
  return success();
}

LogicalResult FusionConvertTosaPass::convert(FunctionOpInterface function) {
  WalkResult types = function->walk([](Operation *op) {
    return WalkResult(isTosa(op) ? checkTypes(op) : success());
  });
  if (types.wasInterrupted())
    return failure();
  for (const FrozenRewritePatternSet &rules : roots)
    walkAndApplyPatterns(function, rules);
  for (auto [step, patterns] : llvm::zip_equal(kSteps, steps)) {
    ConversionTarget target(getContext());
    // An op that a step has no pattern for is no error yet.
    target.markUnknownOpDynamicallyLegal(
        [takes = step.takes](Operation *op) -> std::optional<bool> {
          if (takes(op))
            return std::nullopt;
          return true;
        });
    if (failed(applyPartialConversion(function, target, patterns)))
      return failure();
  }
  // What they leave of constants, such as a pad's value or the transpose of a
  // filter, is folded by its bytes.
  if (failed(verifyResources(function)) ||
      failed(applyBounded(function, constants)))
    return failure();
  // Constants stay where their reader does.
  Operation *left = nullptr;
  function->walk([&](Operation *op) {
    if (isTosa(op) && (!left || isa<tosa::ConstOp, tosa::ConstShapeOp>(left)))
      left = op;
  });
  if (!left)
    return success();
  return left->emitOpError("expected a form that upstream's conversions from "
                           "TOSA to linalg take; state it by linalg or other "
                           "TOSA ops");
}

// Labels are those of RaiseTosa.cpp.
SmallVector<PopulateFn> fusion::getConvertTosaPhases() {
  return {populateRaiseTosaPatterns};
}
