//===-- SignatureTest.cpp - Signatures, names and calls -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library tells of itself must be read back whole, or refused.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Target/Target.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "gtest/gtest.h"

using namespace mlir::fusion;

namespace {

Signature getExample() {
  Signature signature;
  signature.name = "net";
  signature.entry = "main";
  signature.version = "1.2.3";
  signature.target = "x86-64-v3";
  signature.threading = "openmp";
  signature.inputs = {{"image \"x\" \\ \n", "f32", {1, 3, 224, 224}},
                      {"flag", "i1", {}}};
  signature.outputs = {{"y", "bf16", {1, 0}}};
  signature.workspaceSize = int64_t{1} << 40;
  return signature;
}

TEST(Signature, RoundTrip) {
  Signature signature = getExample();
  llvm::Expected<Signature> read = Signature::fromJSON(signature.toJSON());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->toJSON(), signature.toJSON());
  EXPECT_EQ(read->inputs[0].name, signature.inputs[0].name);
  EXPECT_EQ(read->workspaceSize, signature.workspaceSize);
}

TEST(Signature, BrokenNameIsNoBrokenJSON) {
  Signature signature = getExample();
  signature.inputs[0].name = "\xff";
  llvm::Expected<Signature> read = Signature::fromJSON(signature.toJSON());
  EXPECT_TRUE(bool(read));
}

TEST(Signature, Elements) {
  Signature signature = getExample();
  EXPECT_EQ(signature.inputs[0].getNumElements(), 150528);
  EXPECT_EQ(signature.inputs[0].getElementBytes(), 4u);
  EXPECT_EQ(signature.inputs[0].getCType(), "float");
  EXPECT_EQ(signature.inputs[1].getNumElements(), 1);
  EXPECT_EQ(signature.inputs[1].getCType(), "uint8_t");
  EXPECT_EQ(signature.outputs[0].getNumElements(), 0);
  EXPECT_EQ(signature.outputs[0].getCType(), "uint16_t");
}

std::string getErrorOf(std::string text) {
  llvm::Expected<Signature> read = Signature::fromJSON(text);
  return read ? "" : llvm::toString(read.takeError());
}

/// The example's JSON with `from` replaced.
std::string change(llvm::StringRef from, llvm::StringRef to) {
  std::string text = getExample().toJSON();
  return text.replace(text.find(from.str()), from.size(), to.str());
}

TEST(Signature, DynamicSizes) {
  Signature signature = getExample();
  EXPECT_FALSE(signature.isDynamic());
  signature.inputs[0].shape[2] = TensorSignature::kDynamicSize;
  signature.workspaceSize = TensorSignature::kDynamicSize;
  llvm::Expected<Signature> read = Signature::fromJSON(signature.toJSON());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_TRUE(read->isDynamic());
  EXPECT_TRUE(read->inputs[0].isDynamic());
  EXPECT_FALSE(read->inputs[1].isDynamic());
  EXPECT_EQ(read->inputs[0].shape, (std::vector<int64_t>{1, 3, -1, 224}));
}

TEST(Signature, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(getErrorOf(change("\"abi\":1", "\"abi\":2")),
            "expected a signature of ABI 1, got 2");
  EXPECT_NE(getErrorOf(""), "");
  EXPECT_NE(getErrorOf("[]"), "");
  EXPECT_NE(getErrorOf("{}"), "");
  EXPECT_NE(getErrorOf(change("f32", "f31")).find("known element type"),
            std::string::npos);
  EXPECT_NE(getErrorOf(change("224", "-24")).find("sizes of at least 0"),
            std::string::npos);
  EXPECT_NE(getErrorOf(change("\"inputs\"", "\"ins\"")).find("inputs"),
            std::string::npos);
}

TEST(Name, IsACIdentifier) {
  EXPECT_EQ(getNameFromPath("out/my-net.so"), "my_net");
  EXPECT_EQ(getNameFromPath("50.o"), "_50");
  EXPECT_EQ(getNameFromPath("a.b.o"), "a_b");
  EXPECT_EQ(getNameFromPath(""), "_");
}

// Of the type that it is called as, whatever the pointers point to.
int runThree(void *a, void *b, void *c, void *workspace) {
  *static_cast<int *>(c) = *static_cast<int *>(a) + *static_cast<int *>(b);
  return workspace ? *static_cast<int *>(workspace) : 0;
}

TEST(Call, PassesPointers) {
  int a = 1, b = 2, c = 0, workspace = 7;
  llvm::Expected<int> status = callWithPointers(
      reinterpret_cast<void *>(&runThree), {&a, &b, &c, &workspace});
  ASSERT_TRUE(bool(status));
  EXPECT_EQ(*status, 7);
  EXPECT_EQ(c, 3);
}

TEST(Call, RefusesTooMany) {
  std::vector<void *> arguments(129);
  llvm::Expected<int> status = callWithPointers(nullptr, arguments);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(llvm::toString(status.takeError()),
            "expected at most 128 arguments, got 129");
}

TEST(JIT, RefusesTooFew) {
  Signature signature;
  signature.outputs.push_back({"y", "f32", {TensorSignature::kDynamicSize}});
  JIT jit(signature, nullptr);
  llvm::Expected<int> status = jit.run({});
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(llvm::toString(status.takeError()),
            "expected 2 tensors and dims, got 0");
}

} // namespace
