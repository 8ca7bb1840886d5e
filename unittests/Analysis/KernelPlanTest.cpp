//===-- KernelPlanTest.cpp - Tiles, panels and units ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of roots parsed from text, for both register tiles.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct KernelPlanTest : testing::Test {
  KernelPlanTest() {
    context.loadDialect<FusionDialect, arith::ArithDialect, func::FuncDialect,
                        memref::MemRefDialect>();
    std::string error;
    v3 = *TargetInfo::get("x86-64-v3", error);
    v4 = *TargetInfo::get("x86-64-v4", error);
  }
  /// The only root of a function with `arguments` and `body`.
  FusionRootOpInterface parse(const std::string &arguments,
                              const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {" + body + " return }", &context);
    FusionRootOpInterface root;
    if (module)
      module->walk([&](FusionRootOpInterface op) { root = op; });
    return root;
  }
  /// A 3 x 3 convolution of a padded image with a packed filter.
  FusionRootOpInterface parseConv(int64_t size, int64_t channels,
                                  int64_t block) {
    auto image = [&](int64_t pad) {
      std::string edge = std::to_string(size + pad);
      return "memref<1x" + edge + "x" + edge + "x" + std::to_string(channels) +
             "xf32>";
    };
    std::string filter = "memref<" + std::to_string(channels / block) +
                         "x3x3x" + std::to_string(channels) + "x" +
                         std::to_string(block) + "xf32>";
    return parse("%x: " + image(2) + ", %w: " + filter + ", %y: " + image(0),
                 "fusion.conv ins(%x, %w : " + image(2) + ", " + filter +
                     ") outs(%y : " + image(0) +
                     ") {filter_layout = packed, input_layout = channels_last, "
                     "output_layout = channels_last}");
  }
  std::optional<int64_t> countUnits(FusionRootOpInterface root) {
    OpBuilder builder(root);
    return getConstantIntValue(
        createKernelUnits(builder, root, root->getOperands(), v4));
  }
  std::string whyNot(FusionRootOpInterface root) {
    std::string reason;
    EXPECT_FALSE(hasKernel(root, v4, &reason));
    return reason;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  TargetInfo v3, v4;
};
} // namespace

TEST(Extent, WrapsAroundAsIndicesDo) {
  // 3 x 6148914691236517206 is two more than 64 bits hold.
  EXPECT_EQ((Extent(3) * Extent(6148914691236517206)).getStatic(), 2);
}

TEST(RowCutTest, NearEqualHeights) {
  RowCut cut = RowCut::get(49, 14);
  EXPECT_EQ(cut.height, 13);
  EXPECT_EQ(cut.tall, 1);
  EXPECT_EQ(cut.low, 3);
  cut = RowCut::get(56, 14);
  EXPECT_EQ(cut.height, 14);
  EXPECT_EQ(cut.tall, 4);
  EXPECT_EQ(cut.low, 0);
  cut = RowCut::get(1, 14);
  EXPECT_EQ(cut.height, 1);
  EXPECT_EQ(cut.tall + cut.low, 1);
}

TEST_F(KernelPlanTest, RowsOfPixels) {
  FusionRootOpInterface root = parseConv(56, 64, 32);
  ASSERT_TRUE(root);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->rows, (SmallVector<Extent>{56, 56}));
  EXPECT_EQ(plan->cut.height, 14);
  EXPECT_EQ(plan->wholeRows, 1);
  EXPECT_EQ(plan->vectors, 2);
  EXPECT_TRUE(plan->panelFastest);
  EXPECT_EQ(plan->prefetchSteps, 0);
  EXPECT_EQ(countUnits(root), 56 * 4 * 2);
  // A filter row and its channels are one loop.
  ASSERT_EQ(plan->reductions.size(), 2u);
  EXPECT_EQ(plan->reductions[1].size, 3 * 64);
  EXPECT_EQ(getFlops(root), 2ll * 56 * 56 * 64 * 64 * 9);
}

TEST_F(KernelPlanTest, NarrowImagesTakeWholeRows) {
  FusionRootOpInterface root = parseConv(7, 512, 32);
  ASSERT_TRUE(root);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->wholeRows, 7);
  EXPECT_EQ(plan->cut.height, 2);
  EXPECT_EQ(plan->cut.tall, 3);
  EXPECT_EQ(plan->cut.low, 1);
  // Big weights: all row blocks use a panel before the next one.
  EXPECT_FALSE(plan->panelFastest);
  EXPECT_GE(plan->prefetchSteps, 16);
  EXPECT_EQ(countUnits(root), 4 * 16);
}

TEST_F(KernelPlanTest, AVX2) {
  FailureOr<KernelPlan> plan = KernelPlan::get(parseConv(14, 256, 16), v3);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->lanes, 8);
  EXPECT_EQ(plan->vectors, 2);
  EXPECT_EQ(plan->cut.height, 5);
  EXPECT_EQ(plan->cut.tall, 2);
  EXPECT_EQ(plan->cut.low, 1);
}

TEST_F(KernelPlanTest, PointwiseIsOneLongRow) {
  FusionRootOpInterface root = parse(
      "%x: memref<2x5x7x8xf32>, %w: memref<2x1x1x8x32xf32>, "
      "%y: memref<2x5x7x40xf32, strided<[2800, 560, 80, 1], offset: 40>>",
      "fusion.conv ins(%x, %w : memref<2x5x7x8xf32>, memref<2x1x1x8x32xf32>) "
      "outs(%y : memref<2x5x7x40xf32, "
      "strided<[2800, 560, 80, 1], offset: 40>>) {filter_layout = packed, "
      "input_layout = channels_last, output_layout = channels_last}");
  ASSERT_TRUE(root);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->rows, SmallVector<Extent>{70});
  EXPECT_EQ(plan->init.rows, SmallVector<Extent>{80});
  EXPECT_EQ(plan->getLastPanelSize(), 8);
  EXPECT_EQ(plan->reductions.size(), 1u);
}

TEST_F(KernelPlanTest, TilesSpanNoBatchesOfTheRhs) {
  const char *body = "fusion.matmul ins(%x, %w : memref<6x3x8xf32>, "
                     "memref<6x8x16xf32>) outs(%y : memref<6x3x16xf32>)";
  FusionRootOpInterface root =
      parse("%x: memref<6x3x8xf32>, %w: memref<6x8x16xf32>, "
            "%y: memref<6x3x16xf32>",
            body);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->rows, (SmallVector<Extent>{6, 3}));
  EXPECT_EQ(plan->wholeRows, 1);
  EXPECT_EQ(countUnits(root), 6);
}

TEST_F(KernelPlanTest, RowsOfUnknownNumberAreOneLongRow) {
  FusionRootOpInterface root = parse(
      "%x: memref<?x?x?x8xf32>, %w: memref<2x1x1x8x32xf32>, "
      "%y: memref<?x?x?x40xf32>",
      "fusion.conv ins(%x, %w : memref<?x?x?x8xf32>, memref<2x1x1x8x32xf32>) "
      "outs(%y : memref<?x?x?x40xf32>) {filter_layout = packed, "
      "input_layout = channels_last, output_layout = channels_last}");
  ASSERT_TRUE(root);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  ASSERT_EQ(plan->rows.size(), 1u);
  EXPECT_EQ(plan->rows[0], Extent(Extent::Symbol{2, 0}) *
                               Extent(Extent::Symbol{2, 1}) *
                               Extent(Extent::Symbol{2, 2}));
  EXPECT_EQ(plan->input.rows, SmallVector<Extent>{8});
  EXPECT_TRUE(plan->cut.atRunTime);
  EXPECT_EQ(plan->cut.height, 14);
  EXPECT_EQ(plan->cut.getPartHeight(), 7);
  EXPECT_EQ(countUnits(root), std::nullopt);
}

TEST_F(KernelPlanTest, ImagesOfKnownSizeKeepTheirTiles) {
  FusionRootOpInterface root = parse(
      "%x: memref<?x7x7x8xf32>, %w: memref<2x1x1x8x32xf32>, "
      "%y: memref<?x7x7x40xf32>",
      "fusion.conv ins(%x, %w : memref<?x7x7x8xf32>, memref<2x1x1x8x32xf32>) "
      "outs(%y : memref<?x7x7x40xf32>) {filter_layout = packed, "
      "input_layout = channels_last, output_layout = channels_last}");
  ASSERT_TRUE(root);
  FailureOr<KernelPlan> plan = KernelPlan::get(root, v4);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->rows.size(), 2u);
  EXPECT_FALSE(plan->cut.atRunTime);
  EXPECT_EQ(plan->cut.height, 13);
}

TEST_F(KernelPlanTest, Reasons) {
  EXPECT_EQ(whyNot(parse("%x: memref<1x4x4x?xf32>, %y: memref<1x2x2x?xf32>",
                         "fusion.pool max ins(%x : memref<1x4x4x?xf32>) "
                         "outs(%y : memref<1x2x2x?xf32>) {window = [2, 2], "
                         "strides = [2, 2], layout = channels_last}")),
            "dynamic-shape: the pool's channels are not known");
  EXPECT_EQ(whyNot(parse("%x: memref<4x8xf16>, %w: memref<8x16xf16>, "
                         "%y: memref<4x16xf16>",
                         "fusion.matmul ins(%x, %w : memref<4x8xf16>, "
                         "memref<8x16xf16>) outs(%y : memref<4x16xf16>)")),
            "unsupported-type: the kernel sums in f32, f64, i32 and i64 only");
  EXPECT_EQ(whyNot(parse("%x: memref<4x8xf32>, %w: memref<16x8xf32>, "
                         "%y: memref<4x16xf32>",
                         "fusion.matmul ins(%x, %w : memref<4x8xf32>, "
                         "memref<16x8xf32>) outs(%y : memref<4x16xf32>) "
                         "{transpose_rhs}")),
            "no-kernel: the rhs is transposed and not constant");
}
