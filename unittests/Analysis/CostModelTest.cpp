//===-- CostModelTest.cpp - Costs of epilogues ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is counted for a root and for an op that it could absorb.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
class CostModelTest : public ::testing::Test {
protected:
  CostModelTest() {
    context.loadDialect<FusionDialect, arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect>();
  }
  /// A matmul with `epilogue` followed by `consumer`, which reads %0.
  void parse(StringRef epilogue, StringRef consumer) {
    std::string text =
        ("func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: "
         "tensor<16xf32>, %r: tensor<4x16xf32>, %init: tensor<4x16xf32>) -> "
         "tensor<4x16xf32> {\n"
         "%0 = fusion.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) "
         "outs(%init : tensor<4x16xf32>) " +
         epilogue + " -> tensor<4x16xf32>\n" + consumer +
         "\nreturn %1 : tensor<4x16xf32>\n}")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    module->walk([&](FusionRootOpInterface op) { root = op; });
    consumerOp = root->getNextNode();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  FusionRootOpInterface root;
  Operation *consumerOp = nullptr;
};
} // namespace

TEST_F(CostModelTest, Epilogue) {
  parse("epilogue(%acc: f32, %c = %b[1] : tensor<16xf32>, %d = %r[0, 1] : "
        "tensor<4x16xf32>) {\n%k = arith.constant 2.0 : f32\n%s = arith.addf "
        "%acc, %c : f32\n%t = arith.addf %s, %d : f32\n%u = arith.mulf %t, %k "
        ": f32\nfusion.yield %u : f32\n}",
        "%1 = arith.negf %0 : tensor<4x16xf32>");
  EpilogueCost cost = getEpilogueCost(root);
  EXPECT_EQ(cost.fullSizeOperands, 1u);
  EXPECT_EQ(cost.broadcastOperands, 1u);
  EXPECT_EQ(cost.ops, 3u);
}

TEST_F(CostModelTest, InitIsAStream) {
  parse("epilogue(%acc: f32, init %d: f32) {\n%s = arith.addf %acc, %d : "
        "f32\nfusion.yield %s : f32\n}",
        "%1 = arith.negf %0 : tensor<4x16xf32>");
  EXPECT_EQ(getEpilogueCost(root).fullSizeOperands, 1u);
}

TEST_F(CostModelTest, TensorOp) {
  parse("", "%1 = arith.addf %0, %r : tensor<4x16xf32>");
  EpilogueCost cost = getAddedCost(root, consumerOp);
  EXPECT_EQ(cost.fullSizeOperands, 1u);
  EXPECT_EQ(cost.broadcastOperands, 0u);
  EXPECT_EQ(cost.ops, 1u);
  EXPECT_FALSE(defaultFusionControl(root, consumerOp));
}

TEST_F(CostModelTest, GenericByItsMaps) {
  parse("", "%1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, "
            "j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, "
            "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
            "\"parallel\"]} ins(%0, %b, %r : tensor<4x16xf32>, tensor<16xf32>, "
            "tensor<4x16xf32>) outs(%init : tensor<4x16xf32>) {\n^bb0(%p: f32, "
            "%q: f32, %s: f32, %o: f32):\n%t = arith.mulf %p, %q : f32\n%u = "
            "arith.addf %t, %s : f32\nlinalg.yield %u : f32\n} -> "
            "tensor<4x16xf32>");
  EpilogueCost cost = getAddedCost(root, consumerOp);
  EXPECT_EQ(cost.fullSizeOperands, 1u);
  EXPECT_EQ(cost.broadcastOperands, 1u);
  EXPECT_EQ(cost.ops, 2u);
}

TEST_F(CostModelTest, RefusesManyStreams) {
  std::string arguments, body = "%s0 = arith.negf %acc : f32\n";
  for (unsigned i = 0; i < kLargestEpilogue.fullSizeOperands; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    arguments += ", %d" + n + " = %r[0, 1] : tensor<4x16xf32>";
    body += "%s" + next + " = arith.addf %s" + n + ", %d" + n + " : f32\n";
  }
  parse("epilogue(%acc: f32" + arguments + ") {\n" + body + "fusion.yield %s" +
            std::to_string(kLargestEpilogue.fullSizeOperands) + " : f32\n}",
        "%1 = arith.addf %0, %r : tensor<4x16xf32>");
  EXPECT_EQ(defaultFusionControl(root, consumerOp), StringRef("unprofitable"));
}
