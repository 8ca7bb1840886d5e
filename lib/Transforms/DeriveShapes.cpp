//===-- DeriveShapes.cpp - Sizes of results before a call -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-derive-shapes: all questions about sizes are asked in a
// copy of the entry, upstream's patterns answer them, and the answers move to a
// function of their own.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Analysis/Entry.h"
#include "FusionDialect/Transforms/Passes.h"
#include "Requirements.h"
#include "ResolveSizes.h"
#include "ShapeAnswers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONDERIVESHAPESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Asserts in the entry what has no answer before it is called.
static void assertInEntry(ArrayRef<SizeQuestion> unanswered) {
  DenseMap<Operation *, SmallVector<cf::AssertOp>> all;
  for (const SizeQuestion &question : unanswered) {
    if (!question.requirement)
      continue;
    auto [it, isNew] = all.try_emplace(question.original);
    if (isNew)
      it->second = assertRequirements(question.original);
    it->second[*question.requirement] = nullptr;
  }
  // The others have been answered.
  for (auto &[op, assertions] : all)
    for (cf::AssertOp assertion : assertions)
      if (assertion)
        assertion.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct FusionDeriveShapesPass final
    : fusion::impl::FusionDeriveShapesPassBase<FusionDeriveShapesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateResolveSizesPatterns(set);
    tensor::ExtractOp::getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    FailureOr<func::FuncOp> entry = getRecordedEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    if (getDynamicSizes(entry->getArgumentTypes()).empty() &&
        getDynamicSizes(entry->getResultTypes()).empty())
      return;
    if (failed(derive(*entry)))
      return signalPassFailure();
  }

  LogicalResult derive(func::FuncOp entry) {
    if (!entry.getBody().hasOneBlock())
      return emitError(entry.getLoc())
             << "expected structured control flow in an entry with dynamic "
                "sizes, got more than one block";
    if (failed(applyBounded(entry.getBody(), patterns)))
      return failure();
    IRMapping mapping;
    OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(entry->clone(mapping));
    SmallVector<SizeQuestion> questions = askSizeQuestions(entry, mapping);
    SmallVector<ArgumentSize> sizes = getDynamicSizes(copy->getResultTypes());
    Operation *terminator = copy->front().getTerminator();
    OpBuilder ofCopy(terminator);
    SmallVector<Value> wanted;
    for (auto [result, dim] : sizes)
      wanted.push_back(ofCopy.createOrFold<tensor::DimOp>(
          terminator->getLoc(), terminator->getOperand(result), dim));
    terminator->setOperands(wanted);
    if (failed(applyBounded(copy->getBody(), patterns)) ||
        failed(mergeAndResolve(*copy, patterns)))
      return failure();

    SymbolTable symbols(getOperation());
    AnswerBuilder answers(entry, *copy, symbols);
    if (failed(answers.addSizes(sizes, terminator->getOperands())))
      return failure();
    SmallVector<SizeQuestion> unanswered;
    for (const SizeQuestion &question : questions) {
      if (failed(answers.answer(question.assertion)))
        unanswered.push_back(question);
      else if (!question.requirement)
        // What is checked before the call needs no check in it.
        question.original->erase();
    }
    if (failed(answers.finish(patterns)))
      return failure();
    assertInEntry(unanswered);
    if (failed(applyBounded(entry.getBody(), patterns)))
      return failure();
    Builder builder(&getContext());
    auto errors = llvm::map_to_vector(
        answers.errors,
        [](const std::string &text) -> StringRef { return text; });
    updateEntry(entry, {builder.getNamedAttr(
                            "shapes", SymbolRefAttr::get(answers.function)),
                        builder.getNamedAttr("shape_errors",
                                             builder.getStrArrayAttr(errors))});
    return success();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
