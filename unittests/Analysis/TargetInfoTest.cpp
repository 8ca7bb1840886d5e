//===-- TargetInfoTest.cpp - CPU names ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector sizes and tiles of named CPUs; nothing depends on the host.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fusion;

TEST(TargetInfoTest, NamedCPUs) {
  std::string error;
  FailureOr<TargetInfo> v3 = TargetInfo::get("x86-64-v3", error);
  ASSERT_TRUE(succeeded(v3)) << error;
  EXPECT_EQ(v3->vectorBits, 256u);
  EXPECT_EQ(v3->vectorRegisters, 16u);
  EXPECT_EQ(v3->getRegisterTile().rows, 6);
  FailureOr<TargetInfo> v4 = TargetInfo::get("x86-64-v4", error);
  ASSERT_TRUE(succeeded(v4)) << error;
  EXPECT_EQ(v4->vectorBits, 512u);
  EXPECT_EQ(v4->getRegisterTile().rows, 14);
  FailureOr<TargetInfo> v1 = TargetInfo::get("x86-64", error);
  ASSERT_TRUE(succeeded(v1)) << error;
  EXPECT_EQ(v1->vectorBits, 128u);
  EXPECT_FALSE(v1->convertsHalf);
  EXPECT_TRUE(v3->convertsHalf && v4->convertsHalf);
}

TEST(TargetInfoTest, Lanes) {
  MLIRContext context;
  Builder builder(&context);
  std::string error;
  FailureOr<TargetInfo> v4 = TargetInfo::get("x86-64-v4", error);
  ASSERT_TRUE(succeeded(v4)) << error;
  EXPECT_EQ(v4->getLanes(builder.getF32Type()), 16);
  EXPECT_EQ(v4->getLanes(builder.getF64Type()), 8);
  EXPECT_EQ(v4->getLanes(builder.getI1Type()), 64);
  EXPECT_EQ(v4->getPackedBlock(builder.getF32Type()), 32);
}

TEST(TargetInfoTest, UnknownCPU) {
  std::string error;
  EXPECT_TRUE(failed(TargetInfo::get("x86-64-v9", error)));
  EXPECT_NE(error.find("got 'x86-64-v9'"), std::string::npos);
}

TEST(TargetInfoTest, Host) {
  std::string error;
  FailureOr<TargetInfo> host = TargetInfo::get("host", error);
  ASSERT_TRUE(succeeded(host)) << error;
  EXPECT_NE(host->cpu, "host");
  EXPECT_GE(host->vectorBits, 128u);
}
