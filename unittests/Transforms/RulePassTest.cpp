//===-- RulePassTest.cpp - Labels of rules --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pipeline and the driver ask about labels.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Transforms/Patterns.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

TEST(RulePassTest, EveryPassHasLabels) {
  for (StringRef stage : {"fusion-fuse", "fusion-plan"}) {
    ASSERT_FALSE(getRulePasses(stage).empty());
    for (StringRef pass : getRulePasses(stage))
      EXPECT_FALSE(getRuleLabels(pass).empty()) << pass.str();
  }
  EXPECT_TRUE(getRulePasses("no-stage").empty());
  EXPECT_TRUE(getRuleLabels("no-pass").empty());
}

TEST(RulePassTest, LabelsAreUnique) {
  SmallVector<StringRef> labels = getRuleLabels();
  llvm::sort(labels);
  EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end());
}

namespace {
struct Nothing final : RewritePattern {
  explicit Nothing(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *, PatternRewriter &) const override {
    return failure();
  }
};
} // namespace

TEST(RulePassTest, RulesSayWhatTheyDoToRounding) {
  MLIRContext context;
  RewritePatternSet rules(&context);
  rules.addWithLabel<Nothing>({kRounds, "last"}, &context);
  rules.addWithLabel<Nothing>({"first", kReordersSums}, &context);
  rules.addWithLabel<Nothing>({"silent"}, &context);
  rules.add<Nothing>(&context);
  auto &patterns = rules.getNativePatterns();
  EXPECT_EQ(getRuleLabel(*patterns[0]), "last");
  EXPECT_EQ(getRuleRounding(*patterns[0]), "rounds");
  EXPECT_EQ(getRuleLabel(*patterns[1]), "first");
  EXPECT_EQ(getRuleRounding(*patterns[1]), "reorders-sums");
  EXPECT_EQ(getRuleRounding(*patterns[2]), "exact");
  // Without a label, its class.
  EXPECT_TRUE(getRuleLabel(*patterns[3]).contains("Nothing"));
  EXPECT_EQ(getRuleRounding("absorb-unary"), "exact");
  EXPECT_EQ(getRuleRounding("split-phases"), "reorders-sums");
  EXPECT_TRUE(getRuleRounding("no-rule").empty());
  for (StringRef word : {"rounds", "reorders-sums"})
    EXPECT_FALSE(llvm::is_contained(getRuleLabels(), word));
}

TEST(RulePassTest, EachPassGetsItsPart) {
  RuleSwitches switches =
      getSwitchesOf("fusion-absorb", {"absorb-unary", "reuse-residual"}, {});
  ASSERT_EQ(switches.disabled.size(), 1u);
  EXPECT_EQ(switches.disabled[0], "absorb-unary");
  EXPECT_TRUE(switches.enabled.empty());
}

TEST(RulePassTest, LabelsOfOtherStagesAreRefused) {
  // The pass is given what it does not know.
  RuleSwitches switches = getSwitchesOf("fusion-absorb", {"split-phases"}, {});
  ASSERT_EQ(switches.disabled.size(), 1u);
  EXPECT_EQ(switches.disabled[0], "split-phases");
}

TEST(RulePassTest, EnablingElsewhereDisablesHere) {
  // An empty list of enabled labels would enable all of them.
  RuleSwitches switches =
      getSwitchesOf("fusion-reuse-residual", {}, {"absorb-unary"});
  EXPECT_TRUE(switches.enabled.empty());
  ASSERT_EQ(switches.disabled.size(), 1u);
  EXPECT_EQ(switches.disabled[0], "reuse-residual");
}
