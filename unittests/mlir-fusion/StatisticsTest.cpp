//===-- StatisticsTest.cpp - Quantiles and intervals ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Statistics.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

static SmallVector<double> count(int64_t n) {
  SmallVector<double> samples;
  for (int64_t i = 1; i <= n; ++i)
    samples.push_back(i);
  return samples;
}

TEST(StatisticsTest, quantilesAreSamples) {
  EXPECT_EQ(getQuantile({3.0}, 0.9), 3);
  EXPECT_EQ(getQuantile(count(10), 0.5), 6);
  EXPECT_EQ(getQuantile(count(10), 1.0), 10);
  EXPECT_EQ(getDeciles(count(100)).front(), 11);
  EXPECT_EQ(getDeciles(count(100)).back(), 91);
}

TEST(StatisticsTest, fewSamplesSayNothing) {
  EXPECT_FALSE(getMedianInterval({}).has_value());
  EXPECT_FALSE(getMedianInterval(count(5)).has_value());
}

/// The ranks of tables of the sign test at 5 %.
TEST(StatisticsTest, intervalOfTheMedian) {
  for (auto [n, low, high] :
       {std::array<int, 3>{6, 1, 6}, std::array<int, 3>{10, 2, 9},
        std::array<int, 3>{25, 8, 18}, std::array<int, 3>{50, 18, 33}}) {
    std::optional<Interval> interval = getMedianInterval(count(n));
    ASSERT_TRUE(interval.has_value());
    EXPECT_EQ(interval->low, low) << n;
    EXPECT_EQ(interval->high, high) << n;
  }
}

TEST(StatisticsTest, noClaimInsideTheNoise) {
  Interval noise{0.97, 1.02};
  EXPECT_EQ(judge(Interval{1.01, 1.2}, noise), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{1.04, 1.2}, noise), Verdict::Slower);
  EXPECT_EQ(judge(Interval{0.9, 0.98}, noise), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{0.9, 0.96}, noise), Verdict::Faster);
  EXPECT_EQ(judge(Interval{0.5, 2.0}, noise), Verdict::NoDifference);
  EXPECT_EQ(judge(std::nullopt, noise), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{1.5, 1.6}, std::nullopt), Verdict::NoDifference);
}

TEST(StatisticsTest, noiseIsMirroredAsARatio) {
  // The same thing was once 4.6 times as fast as itself.
  Interval fast{0.217, 1.069};
  EXPECT_EQ(judge(Interval{1.891, 2.317}, fast), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{0.22, 0.5}, fast), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{4.7, 5.0}, fast), Verdict::Slower);
  EXPECT_EQ(judge(Interval{0.1, 0.2}, fast), Verdict::Faster);
  // And once more than twice as slow: much faster things are faster still.
  Interval slow{1.0, 2.1};
  EXPECT_EQ(judge(Interval{0.5, 0.6}, slow), Verdict::NoDifference);
  EXPECT_EQ(judge(Interval{0.3, 0.4}, slow), Verdict::Faster);
  EXPECT_EQ(judge(Interval{2.2, 2.4}, slow), Verdict::Slower);
}
