//===-- BoundedRewritesTest.cpp - Rules that come to an end ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rules that undo each other are an error that names one; rules with an end
// are not.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/BoundedRewrites.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// {turn = from} -> {turn = to}
struct SetTurn : OpRewritePattern<func::FuncOp> {
  SetTurn(MLIRContext *context, int64_t from, int64_t to)
      : OpRewritePattern(context), from(from), to(to) {}
  LogicalResult matchAndRewrite(func::FuncOp op,
                                PatternRewriter &rewriter) const override {
    auto turn = op->getAttrOfType<IntegerAttr>("turn");
    if (!turn || turn.getInt() != from)
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op->setAttr("turn", rewriter.getI64IntegerAttr(to)); });
    return success();
  }
  int64_t from, to;
};

class BoundedRewritesTest : public testing::Test {
protected:
  BoundedRewritesTest() {
    context.loadDialect<func::FuncDialect>();
    Builder builder(&context);
    Location loc = FileLineColLoc::get(&context, "model.mlir", 7, 3);
    module = ModuleOp::create(loc);
    function = func::FuncOp::create(loc, "f", builder.getFunctionType({}, {}));
    function.setPrivate();
    function->setAttr("turn", builder.getI64IntegerAttr(0));
    module->push_back(function);
  }

  /// What applyBounded says; empty if it succeeds.
  std::string apply(ArrayRef<std::pair<int64_t, int64_t>> turns) {
    RewritePatternSet set(&context);
    for (auto [from, to] : turns)
      set.addWithLabel<SetTurn>(
          {from < to ? StringRef("count-up") : StringRef("count-down")},
          &context, from, to);
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
      error = (place ? std::to_string(place.getLine()) : "nowhere") + ": " +
              diagnostic.str();
    });
    bool result =
        succeeded(applyBounded(module.get().getOperation(), std::move(set)));
    EXPECT_EQ(result, error.empty());
    return error;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

TEST_F(BoundedRewritesTest, RulesThatUndoEachOtherAreAnError) {
  EXPECT_EQ(apply({{0, 1}, {1, 0}}),
            "7: expected rules to come to an end within 101000 rewrites, got "
            "50500 of them by 'count-up'");
}

TEST_F(BoundedRewritesTest, RulesWithAnEndAreNot) {
  EXPECT_EQ(apply({{0, 1}, {1, 2}, {2, 3}}), "");
  EXPECT_EQ(function->getAttrOfType<IntegerAttr>("turn").getInt(), 3);
}
