//===-- AssertSizes.cpp - What a model expects of sizes, said early -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --fusion-assert-sizes: what ops expect of the sizes of arguments is
// asserted before rewrites take one of two sizes that agree for the other.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "FusionDialect/Transforms/Passes.h"
#include "Requirements.h"
#include "ResolveSizes.h"
#include "ShapeSlices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fusion {
#define GEN_PASS_DEF_FUSIONASSERTSIZESPASS
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

using namespace mlir;
using namespace mlir::fusion;

static bool hasDynamicSize(func::FuncOp function) {
  auto isDynamic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return function
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isDynamic) ||
                       llvm::any_of(op->getResultTypes(), isDynamic)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Writes assertions at the heads of a function's blocks. All they read are
/// sizes of its arguments.
class Writer {
public:
  Writer(func::FuncOp function, func::FuncOp copy)
      : function(function), slices(copy) {}

  /// `question` is about the copy; what was asserted before is left out.
  void write(const SizeQuestion &question);

private:
  /// Where the next assertion of a block goes, and what was computed for those
  /// before it.
  struct Head {
    Head(Block *block, const ShapeSlices &slices, func::FuncOp function)
        : builder(OpBuilder::atBlockBegin(block)),
          cloner(builder, slices, [this, function](ArgumentSize size) {
            return getSize(function, size);
          }) {}
    Value getSize(func::FuncOp function, ArgumentSize size);

    OpBuilder builder;
    SliceCloner cloner;
  };
  bool holdsAlways(Value condition) const;

  func::FuncOp function;
  ShapeSlices slices;
  DenseMap<Block *, std::unique_ptr<Head>> heads;
  DenseSet<std::pair<Value, Block *>> said;
};
} // namespace

Value Writer::Head::getSize(func::FuncOp function, ArgumentSize size) {
  Value argument = function.getArgument(size.argument);
  if (isa<MemRefType>(argument.getType()))
    return builder.createOrFold<memref::DimOp>(function.getLoc(), argument,
                                               size.dim);
  return builder.createOrFold<tensor::DimOp>(function.getLoc(), argument,
                                             size.dim);
}

/// Of no argument a size is below 0.
bool Writer::holdsAlways(Value condition) const {
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  return matchPattern(condition, m_One()) ||
         (comparison &&
          comparison.getPredicate() == arith::CmpIPredicate::sge &&
          slices.getArgumentSize(comparison.getLhs()) &&
          matchPattern(comparison.getRhs(), m_Zero()));
}

void Writer::write(const SizeQuestion &question) {
  Value condition = cf::AssertOp(question.assertion).getArg();
  Block *block = question.original->getBlock();
  if (holdsAlways(condition) || slices.findObstacle(condition))
    return;
  for (Block *around = block; around && around != function->getBlock();
       around = around->getParentOp()->getBlock())
    if (said.contains({condition, around}))
      return;
  said.insert({condition, block});
  if (!question.requirement)
    return;
  std::unique_ptr<Head> &head = heads[block];
  if (!head)
    head = std::make_unique<Head>(block, slices, function);
  Value holds = head->cloner.clone(condition);
  cf::AssertOp::create(head->builder, question.original->getLoc(), holds,
                       cf::AssertOp(question.assertion).getMsg());
}

namespace {
struct FusionAssertSizesPass final
    : fusion::impl::FusionAssertSizesPassBase<FusionAssertSizesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateResolveSizesPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !hasDynamicSize(function))
      return;
    IRMapping mapping;
    OwningOpRef<func::FuncOp> copy =
        cast<func::FuncOp>(function->clone(mapping));
    SmallVector<SizeQuestion> questions = askSizeQuestions(function, mapping);
    if (failed(applyBounded(copy->getBody(), patterns)) ||
        failed(mergeAndResolve(*copy, patterns)))
      return signalPassFailure();
    Writer writer(function, *copy);
    for (const SizeQuestion &question : questions)
      writer.write(question);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
