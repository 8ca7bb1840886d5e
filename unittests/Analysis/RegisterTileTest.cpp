//===-- RegisterTileTest.cpp - Which tile is the cheapest -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the model of the innermost loop must get right, by shapes and CPUs.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/RegisterTile.h"
#include "Targets.h"

using namespace mlir;
using namespace mlir::fusion;

static TiledWork makeWork(const TargetInfo &target, int64_t lines,
                          int64_t width, int64_t channels, int64_t depth) {
  TiledWork work;
  work.lines = lines;
  work.width = width;
  work.channels = channels;
  work.depth = depth;
  work.lanes = target.vectorBits / 32;
  work.inputBytes = lines * width * depth * 4;
  return work;
}

static RegisterTile choose(StringRef text, int64_t lines, int64_t width,
                           int64_t channels, int64_t depth) {
  TargetInfo target = getTarget(text);
  return chooseRegisterTile(makeWork(target, lines, width, channels, depth),
                            target);
}

TEST(RegisterTileTest, RowsBesideVectors) {
  TargetInfo v4 = getTarget("x86-64-v4"), v3 = getTarget("x86-64-v3");
  EXPECT_EQ(getMaxRows(v4, 2), 14);
  EXPECT_EQ(getMaxRows(v4, 3), 9);
  EXPECT_EQ(getMaxRows(v4, 4), 6);
  EXPECT_EQ(getMaxRows(v3, 2), 6);
  EXPECT_EQ(getMaxRows(v3, 3), 4);
  EXPECT_EQ(getMaxRows(v3, 4), 2);
  // However few registers there are.
  EXPECT_EQ(getMaxRows(getTarget("x86-64:registers=8"), 7), 1);
}

TEST(RegisterTileTest, TwoVectorsForMostShapes) {
  for (StringRef cpu : {"znver4", "znver3", "x86-64-v3", "x86-64-v4",
                        "sapphirerapids", "haswell", "x86-64"})
    for (int64_t channels : {64, 128, 256, 512})
      EXPECT_EQ(choose(cpu, 56, 56, channels, 576).vectors, 2)
          << cpu.str() << " " << channels;
  EXPECT_EQ(choose("znver4", 56, 56, 64, 576).rows, 14);
  EXPECT_EQ(choose("znver3", 56, 56, 64, 576).rows, 6);
}

TEST(RegisterTileTest, NarrowResultsHaveNarrowPanels) {
  EXPECT_EQ(choose("znver4", 1, 3136, 16, 96).vectors, 1);
  EXPECT_EQ(choose("znver4", 1, 3136, 1, 96).vectors, 1);
  EXPECT_EQ(choose("znver4", 1, 3136, 17, 96).vectors, 2);
}

TEST(RegisterTileTest, ThreeVectorsWithoutALonelyOne) {
  // 24 channels are three vectors of 8: of two and one, the one has too few
  // sums to hide a multiply-add.
  EXPECT_EQ(choose("znver3", 1, 3136, 24, 144).vectors, 3);
}

TEST(RegisterTileTest, FewRowsTakeWidePanels) {
  // One row has no more sums than vectors.
  EXPECT_EQ(choose("znver3", 1, 1, 256, 512).vectors, 4);
  EXPECT_EQ(choose("sapphirerapids", 1, 1, 256, 512).vectors, 4);
  // Where weights come from memory, they are what is waited for.
  EXPECT_EQ(choose("znver3:l3=0", 1, 1, 4096, 16384).vectors, 2);
  // With the latency of a CPU that has none, nothing is to be hidden.
  EXPECT_EQ(
      choose("znver3:fma-latency=1,l1-bandwidth=4096", 1, 1, 256, 512).vectors,
      2);
}

TEST(RegisterTileTest, CachesMatter) {
  // A stream of weights for each row block: fewer rows read them more often.
  TargetInfo small = getTarget("znver4:l2=32KiB,l3=0,memory-bandwidth=1"),
             large = getTarget("znver4");
  TiledWork work = makeWork(large, 1, 56, 64, 1152);
  double wide = estimateCycles(work, small, {6, 4}),
         tall = estimateCycles(work, small, {14, 2});
  EXPECT_GT(wide, 1.5 * tall);
  wide = estimateCycles(work, large, {6, 4});
  tall = estimateCycles(work, large, {14, 2});
  EXPECT_LT(wide, 1.1 * tall);
}

TEST(RegisterTileTest, RowsThatShareSetsAreFew) {
  EXPECT_TRUE(shareSets(4096) && shareSets(8192));
  EXPECT_FALSE(shareSets(0) || shareSets(4096 + 64));
  TargetInfo target = getTarget("znver4");
  TiledWork apart = makeWork(target, 1, 196, 512, 1024), shared = apart;
  shared.rowBytes = 4096;
  EXPECT_GT(estimateCycles(shared, target, {14, 2}),
            estimateCycles(apart, target, {14, 2}));
}

TEST(RegisterTileTest, CyclesAreAtLeastThoseOfTheMultiplyAdds) {
  for (StringRef cpu : {"znver4", "znver3", "sapphirerapids"}) {
    TargetInfo target = getTarget(cpu);
    TiledWork work = makeWork(target, 7, 7, 500, 4608);
    double sums = 7 * 7 * llvm::divideCeil(500, work.lanes);
    for (int64_t vectors : {1, 2, 3, 4})
      EXPECT_GE(
          estimateCycles(work, target, {getMaxRows(target, vectors), vectors}),
          sums * work.depth / target.multiplyAddPorts);
  }
}
