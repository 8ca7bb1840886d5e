//===-- TargetInfoTest.cpp - CPU names ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of named CPUs, and of systems as their files describe them;
// nothing depends on the host.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/TargetInfo.h"
#include "Targets.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace mlir::fusion;

TEST(TargetInfoTest, NamedCPUs) {
  TargetInfo v3 = getTarget("x86-64-v3"), v4 = getTarget("x86-64-v4"),
             v1 = getTarget("x86-64");
  EXPECT_EQ(v3.vectorBits, 256);
  EXPECT_EQ(v3.vectorRegisters, 16);
  EXPECT_EQ(v4.vectorBits, 512);
  EXPECT_EQ(v4.vectorRegisters, 32);
  EXPECT_EQ(v1.vectorBits, 128);
  EXPECT_FALSE(v1.convertsHalf || v1.hasMultiplyAdd);
  EXPECT_TRUE(v3.convertsHalf && v4.convertsHalf);
  EXPECT_TRUE(v3.hasMultiplyAdd && v4.hasMultiplyAdd);
}

TEST(TargetInfoTest, Ports) {
  // Servers of Intel have two of 512 bits, others one; Zen 4 has two of 256.
  EXPECT_EQ(getTarget("sapphirerapids").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("icelake-client").multiplyAddPorts, 1);
  EXPECT_EQ(getTarget("znver4").multiplyAddPorts, 1);
  EXPECT_EQ(getTarget("znver5").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("znver3").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("znver1").multiplyAddPorts, 1);
  EXPECT_EQ(getTarget("haswell").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("haswell").multiplyAddLatency, 5);
  // Where only the width differs, as many bits start in a cycle, by two units
  // at most.
  EXPECT_EQ(getTarget("znver4:vector-bits=256").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("znver4:vector-bits=128").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("sapphirerapids:vector-bits=256").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("haswell:vector-bits=512").multiplyAddPorts, 1);
  EXPECT_EQ(getTarget("znver4:vector-bits=512").multiplyAddPorts, 1);
  EXPECT_EQ(getTarget("znver4:fma-ports=1,vector-bits=256").multiplyAddPorts,
            1);
  // Names that LLVM has for the same CPU.
  EXPECT_EQ(getTarget("skx").multiplyAddPorts, 2);
  EXPECT_EQ(getTarget("core-avx2").l2Bytes, getTarget("haswell").l2Bytes);
}

/// Whatever CPU LLVM knows, its facts could be given.
TEST(TargetInfoTest, FactsOfAllCPUs) {
  SmallVector<StringRef> names;
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  for (StringRef name : names) {
    TargetInfo info = getTarget(name);
    std::string text = name.str();
    for (const TargetFact &fact : getTargetFacts()) {
      int64_t value = info.*fact.member;
      EXPECT_GE(value, fact.least) << name.str() << " " << fact.name.str();
      EXPECT_LE(value, fact.most) << name.str() << " " << fact.name.str();
      text += (text.size() == name.size() ? ":" : ",") + fact.name.str() + "=" +
              std::to_string(value);
    }
    TargetInfo again = getTarget(text);
    for (const TargetFact &fact : getTargetFacts())
      EXPECT_EQ(again.*fact.member, info.*fact.member);
    EXPECT_LE(info.l1Bytes, info.l2Bytes);
    EXPECT_LE(info.l2Bandwidth, info.l1Bandwidth);
    EXPECT_LE(info.l3Bandwidth, info.l2Bandwidth);
    EXPECT_LE(info.memoryBandwidth, info.l3Bandwidth);
  }
}

TEST(TargetInfoTest, FactsHaveNames) {
  llvm::StringSet<> names, keys;
  for (const TargetFact &fact : getTargetFacts()) {
    EXPECT_TRUE(names.insert(fact.name).second);
    EXPECT_TRUE(keys.insert(fact.key).second);
  }
}

TEST(TargetInfoTest, GivenFacts) {
  TargetInfo info = getTarget("znver4:l2=2MiB,l1=49152,l3=1GiB,fma-ports=2");
  EXPECT_EQ(info.l2Bytes, 2 << 20);
  EXPECT_EQ(info.l1Bytes, 48 << 10);
  EXPECT_EQ(info.getL1Ways(), 12);
  EXPECT_EQ(info.l3Bytes, 1 << 30);
  EXPECT_EQ(info.multiplyAddPorts, 2);
  EXPECT_EQ(info.cpu, "znver4");
}

TEST(TargetInfoTest, Lanes) {
  MLIRContext context;
  Builder builder(&context);
  TargetInfo v4 = getTarget("x86-64-v4");
  EXPECT_EQ(v4.getLanes(builder.getF32Type()), 16);
  EXPECT_EQ(v4.getLanes(builder.getF64Type()), 8);
  EXPECT_EQ(v4.getLanes(builder.getI1Type()), 64);
}

TEST(TargetInfoTest, UnknownCPU) {
  std::string error;
  EXPECT_TRUE(failed(TargetInfo::get("x86-64-v9", error)));
  EXPECT_NE(error.find("got 'x86-64-v9'"), std::string::npos);
}

TEST(TargetInfoTest, Host) {
  TargetInfo host = getTarget("host");
  EXPECT_NE(host.cpu, "host");
  EXPECT_GE(host.vectorBits, 128);
  for (const TargetFact &fact : getTargetFacts()) {
    EXPECT_GE(host.*fact.member, fact.least) << fact.name.str();
    EXPECT_LE(host.*fact.member, fact.most) << fact.name.str();
  }
}

//===-- Systems as files --------------------------------------------------===//

namespace {
struct TargetSystemTest : testing::Test {
  TargetSystemTest() {
    std::error_code code =
        llvm::sys::fs::createUniqueDirectory("target-system", folder);
    EXPECT_FALSE(code);
  }
  ~TargetSystemTest() override { llvm::sys::fs::remove_directories(folder); }
  void write(StringRef path, StringRef text) {
    SmallString<128> full(folder);
    llvm::sys::path::append(full, "cpu0", path);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(full));
    std::error_code code;
    llvm::raw_fd_ostream(full, code) << text << "\n";
  }
  void writeCache(int index, StringRef level, StringRef type, StringRef size,
                  StringRef cpus) {
    std::string cache = "cache/index" + std::to_string(index) + "/";
    write(cache + "level", level);
    write(cache + "type", type);
    write(cache + "size", size);
    write(cache + "shared_cpu_list", cpus);
  }
  TargetInfo read() {
    TargetInfo info = getTarget("znver4");
    info.readSystem(folder);
    return info;
  }
  void expectNothingTaken() {
    TargetInfo named = getTarget("znver4"), info = read();
    for (const TargetFact &fact : getTargetFacts())
      EXPECT_EQ(info.*fact.member, named.*fact.member) << fact.name.str();
  }
  SmallString<128> folder;
};
} // namespace

TEST_F(TargetSystemTest, Caches) {
  write("topology/thread_siblings_list", "0,12");
  writeCache(0, "1", "Data", "48K", "0,12");
  writeCache(1, "1", "Instruction", "64K", "0,12");
  writeCache(2, "2", "Unified", "2M", "0,12");
  writeCache(3, "3", "Unified", "24576K", "0-5,12-17");
  TargetInfo info = read();
  EXPECT_EQ(info.l1Bytes, 48 << 10);
  EXPECT_EQ(info.l2Bytes, 2 << 20);
  EXPECT_EQ(info.l3Bytes, 24 << 20);
  EXPECT_EQ(info.cores, 6);
}

TEST_F(TargetSystemTest, Nothing) { expectNothingTaken(); }

TEST_F(TargetSystemTest, NonsenseIsNotTaken) {
  write("topology/thread_siblings_list", "none");
  writeCache(0, "1", "Data", "0K", "");
  writeCache(1, "2", "Unified", "-1K", "3-1");
  writeCache(2, "x", "Unified", "7M", "0");
  writeCache(3, "9", "Unified", "7M", "0");
  writeCache(4, "3", "Unified", "99999999999999999999K", "a-b");
  expectNothingTaken();
}
