//===-- MemoryPlanTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FusionDialect/Analysis/MemoryPlan.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::fusion;

/// Fails if two buffers share a step and a byte.
static void expectApart(ArrayRef<BufferLifetime> buffers,
                        const MemoryPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_GE(plan.offsets[i], 0);
    EXPECT_EQ(plan.offsets[i] % kBufferAlignment, 0);
    EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.size);
    for (size_t j = 0; j < i; ++j) {
      bool sameTime = buffers[i].first <= buffers[j].last &&
                      buffers[j].first <= buffers[i].last;
      bool samePlace = plan.offsets[i] < plan.offsets[j] + buffers[j].bytes &&
                       plan.offsets[j] < plan.offsets[i] + buffers[i].bytes;
      EXPECT_FALSE(sameTime && samePlace) << i << " and " << j;
    }
  }
}

TEST(MemoryPlan, nothing) {
  MemoryPlan plan = planMemory({});
  EXPECT_EQ(plan.size, 0);
  EXPECT_EQ(plan.liveBytes, 0);
}

TEST(MemoryPlan, oneAfterTheOtherSharesAPlace) {
  MemoryPlan plan = planMemory({{0, 1, 100}, {2, 3, 128}, {4, 4, 1}});
  EXPECT_EQ(plan.offsets, (SmallVector<int64_t>{0, 0, 0}));
  EXPECT_EQ(plan.size, 128);
  EXPECT_EQ(plan.liveBytes, 128);
}

TEST(MemoryPlan, theLastStepIsPartOfALifetime) {
  MemoryPlan plan = planMemory({{0, 1, 64}, {1, 2, 64}});
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.size, 128);
}

TEST(MemoryPlan, theTightestGapIsTaken) {
  // Two gaps under the last buffer: 128 bytes at 0 and 64 bytes at 640.
  MemoryPlan plan = planMemory(
      {{0, 0, 128}, {0, 2, 512}, {0, 0, 64}, {0, 2, 512}, {2, 2, 64}});
  expectApart({{0, 0, 128}, {0, 2, 512}, {0, 0, 64}, {0, 2, 512}, {2, 2, 64}},
              plan);
  EXPECT_EQ(plan.size, plan.liveBytes);
}

TEST(MemoryPlan, emptyBuffersTakeNoRoom) {
  std::vector<BufferLifetime> buffers = {{0, 3, 0}, {0, 3, 64}, {1, 2, 0}};
  MemoryPlan plan = planMemory(buffers);
  expectApart(buffers, plan);
  EXPECT_EQ(plan.size, 64);
}

TEST(MemoryPlan, aChainWithResiduals) {
  // Each step reads its predecessor and every third a residual.
  std::vector<BufferLifetime> buffers;
  for (int64_t i = 0; i < 60; ++i)
    buffers.push_back({i, i % 3 ? i + 1 : i + 3, 4096});
  MemoryPlan plan = planMemory(buffers);
  expectApart(buffers, plan);
  EXPECT_EQ(plan.size, plan.liveBytes);
}

TEST(MemoryPlan, randomLifetimes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLifetime> buffers;
    int64_t count = random() % 80;
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = random() % 50;
      int64_t last = first + random() % 10;
      buffers.push_back({first, last, int64_t(random() % 5000)});
    }
    MemoryPlan plan = planMemory(buffers);
    expectApart(buffers, plan);
    EXPECT_GE(plan.size, plan.liveBytes);
    EXPECT_LE(plan.size, plan.liveBytes + plan.liveBytes / 2);
  }
}

TEST(SlotPlan, nothing) { EXPECT_EQ(planSlots({}).numSlots, 0u); }

TEST(SlotPlan, buffersAliveTogetherAreApart) {
  SlotPlan plan = planSlots({{0, 1, 64}, {1, 2, 64}, {2, 3, 64}});
  EXPECT_EQ(plan.numSlots, 2u);
  EXPECT_NE(plan.slots[0], plan.slots[1]);
  EXPECT_NE(plan.slots[1], plan.slots[2]);
}

TEST(SlotPlan, equalSizesShare) {
  // Either slot is free for the last two: the small one goes to the small.
  SlotPlan plan =
      planSlots({{0, 0, 1024}, {0, 0, 128}, {1, 1, 128}, {1, 1, 1024}});
  EXPECT_EQ(plan.numSlots, 2u);
  EXPECT_EQ(plan.slots[1], plan.slots[2]);
  EXPECT_EQ(plan.slots[0], plan.slots[3]);
}
