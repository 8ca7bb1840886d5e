//===-- NpyTest.cpp - Reading, writing and comparing .npy files -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are written byte by byte, so that headers can lie.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// A temporary file, removed at the end.
class TemporaryFile {
public:
  TemporaryFile() : remover(create()) {}
  StringRef getPath() const { return path; }
  void write(StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << bytes;
  }

private:
  StringRef create() {
    llvm::sys::fs::createTemporaryFile("npy", "npy", path);
    return path;
  }
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
};

/// The bytes of a file with `header` and `numBytes` bytes of data 0, 1, 2, ….
std::string makeFile(StringRef header, size_t numBytes, char version = 1) {
  std::string bytes("\x93NUMPY");
  bytes += version;
  bytes += '\0';
  size_t length = header.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(length >> (8 * i));
  bytes += header;
  for (size_t i = 0; i < numBytes; ++i)
    bytes += static_cast<char>(i);
  return bytes;
}

/// Reads `bytes` as a file; returns the message if that fails, else "".
std::string readError(StringRef bytes) {
  TemporaryFile file;
  file.write(bytes);
  llvm::Expected<NpyArray> array = readNpy(file.getPath());
  return array ? "" : llvm::toString(array.takeError());
}

std::string headerError(StringRef header, size_t numBytes = 4) {
  return readError(makeFile(header, numBytes));
}

NpyArray makeFloats(ArrayRef<float> values) {
  NpyArray array =
      NpyArray::create({'f', 4}, {static_cast<int64_t>(values.size())});
  std::memcpy(array.data.get(), values.data(), values.size() * sizeof(float));
  return array;
}

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)
} // namespace

TEST(NpyTest, RoundTrip) {
  TemporaryFile file;
  for (StringRef name : {"f32", "f64", "f16", "bf16", "i1", "i8", "ui8", "i16",
                         "i32", "i64", "index"}) {
    std::optional<NpyType> type = getNpyType(name);
    ASSERT_TRUE(type);
    NpyArray array = NpyArray::create(*type, {2, 3});
    for (size_t i = 0; i < array.getNumBytes(); ++i)
      array.data.get()[i] = i;
    ASSERT_FALSE(llvm::errorToBool(writeNpy(file.getPath(), array)));
    llvm::Expected<NpyArray> read = readNpy(file.getPath());
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->type.getDescr(), type->getDescr());
    EXPECT_EQ(read->shape, array.shape);
    EXPECT_EQ(
        std::memcmp(read->data.get(), array.data.get(), array.getNumBytes()),
        0);
  }
}

TEST(NpyTest, ScalarAndEmpty) {
  TemporaryFile file;
  for (SmallVector<int64_t> shape :
       {SmallVector<int64_t>{}, SmallVector<int64_t>{3, 0, 2}}) {
    ASSERT_FALSE(llvm::errorToBool(
        writeNpy(file.getPath(), NpyArray::create({'f', 4}, shape))));
    llvm::Expected<NpyArray> read = readNpy(file.getPath());
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->shape, shape);
  }
}

TEST(NpyTest, Versions) {
  StringRef header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n";
  EXPECT_EQ(readError(makeFile(header, 4, 1)), "");
  EXPECT_EQ(readError(makeFile(header, 4, 2)), "");
  EXPECT_EQ(readError(makeFile(header, 4, 3)), "");
  EXPECT_CONTAINS(readError(makeFile(header, 4, 4)),
                  "expected .npy version 1.0, 2.0 or 3.0, got 4.0");
  std::string minor = makeFile(header, 4, 2);
  minor[7] = 1;
  EXPECT_CONTAINS(readError(minor),
                  "expected .npy version 1.0, 2.0 or 3.0, got 2.1");
}

TEST(NpyTest, FortranOrder) {
  TemporaryFile file;
  file.write(
      makeFile("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 6));
  llvm::Expected<NpyArray> array = readNpy(file.getPath());
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  // Column-major 0, 1 | 2, 3 | 4, 5.
  SmallVector<double> values;
  for (int64_t i = 0; i < 6; ++i)
    values.push_back(array->getElement(i));
  EXPECT_EQ(values, (SmallVector<double>{0, 2, 4, 1, 3, 5}));
}

TEST(NpyTest, HeadersThatLie) {
  EXPECT_CONTAINS(
      headerError("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
      "expected 8 bytes of data for its shape, got 4");
  EXPECT_CONTAINS(headerError("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (4294967296, 4294967296)}"),
                  "expected a shape of at most 2^48 elements");
  EXPECT_CONTAINS(headerError("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (0, 4294967296, 4294967296)}"),
                  "expected a shape of at most 2^48 elements");
  EXPECT_CONTAINS(
      headerError("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
      "expected sizes of at least 0");
  EXPECT_CONTAINS(headerError("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (99999999999999999999,)}"),
                  "expected sizes of at least 0");
  EXPECT_CONTAINS(
      headerError("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}"),
      "got '>f4'");
  EXPECT_CONTAINS(
      headerError("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"),
      "got '<c8'");
  EXPECT_CONTAINS(
      headerError("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"),
      "got '|O'");
  EXPECT_CONTAINS(
      headerError(
          "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
      "got a record");
  // What is no tuple of integers, or no dictionary, in Python.
  EXPECT_CONTAINS(
      headerError("{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}"),
      "expected sizes without leading zeros");
  EXPECT_CONTAINS(
      headerError("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}"),
      "expected ',' behind the only size");
  EXPECT_CONTAINS(
      headerError(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1\n"),
      "expected the end of the header, got '+ 1'");
  EXPECT_EQ(
      readError(makeFile(
          "{'descr': '|u1', 'fortran_order': False, 'shape': (00, 2)}", 0)),
      "");
  EXPECT_CONTAINS(headerError("{'descr': '<f4', 'fortran_order': False}"),
                  "expected descr, fortran_order and shape");
  EXPECT_CONTAINS(headerError("{'descr': '<f4', 'descr': '<f4'}"), "once each");
  for (StringRef header :
       {"", "{", "{'descr'", "{'descr': '<f4",
        "{'descr': '<f4', 'fortran_order': Maybe",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1"})
    EXPECT_CONTAINS(headerError(header), "expected");
}

TEST(NpyTest, TruncatedFiles) {
  std::string whole =
      makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
  EXPECT_EQ(readError(whole), "");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_CONTAINS(readError(StringRef(whole).take_front(size)), "expected");
  EXPECT_CONTAINS(readError(whole + "x"), "got 5");
  EXPECT_CONTAINS(llvm::toString(readNpy("/nonexistent.npy").takeError()),
                  "cannot read");
}

TEST(NpyTest, Compare) {
  NpyArray want = makeFloats({1, 2, 100, 0});
  NpyArray got = makeFloats({1, 2.5, 100, 0});
  NpyDifference difference = compare(got, want, {{}, {}, 1e-2});
  EXPECT_EQ(difference.numBad, 0);
  EXPECT_EQ(difference.largestError, 0.5);
  EXPECT_EQ(difference.largestWanted, 100);
  EXPECT_EQ(difference.largestRelativeError, 0.25);
  difference = compare(got, want, {{}, {}, 1e-3});
  EXPECT_EQ(difference.numBad, 1);
  EXPECT_EQ(difference.firstBad, 1);
  EXPECT_EQ(compare(got, want, {0.25, {}, {}}).numBad, 0);
  EXPECT_EQ(compare(got, want, {{}, 0.4, {}}).numBad, 1);
  EXPECT_EQ(compare(got, want, {0.1, 0.4, {}}).numBad, 0);
}

TEST(NpyTest, CompareNotFinite) {
  NpyArray want = makeFloats({NAN, INFINITY, 1, 1});
  EXPECT_EQ(compare(want, want, {0.1, {}, {}}).numBad, 0);
  NpyDifference difference =
      compare(makeFloats({NAN, -INFINITY, NAN, INFINITY}), want, {0.1, {}, {}});
  EXPECT_EQ(difference.numBad, 3);
  EXPECT_EQ(difference.firstBad, 1);
}

TEST(NpyTest, Elements) {
  auto first = [](StringRef type, ArrayRef<uint8_t> bytes) {
    NpyArray array = NpyArray::create(*getNpyType(type), {});
    std::memcpy(array.data.get(), bytes.data(), bytes.size());
    return array.getElement(0);
  };
  EXPECT_EQ(first("f16", {0x00, 0xbe}), -1.5);
  EXPECT_EQ(first("bf16", {0xc0, 0xbf}), -1.5);
  EXPECT_EQ(first("i8", {0xff}), -1);
  EXPECT_EQ(first("ui8", {0xff}), 255);
  EXPECT_EQ(first("i16", {0xfe, 0xff}), -2);
  EXPECT_EQ(first("i1", {1}), 1);
  for (StringRef type : {"f16", "bf16", "f32", "f64", "i8", "i64"}) {
    NpyArray array = NpyArray::create(*getNpyType(type), {2});
    array.setElement(1, -2);
    EXPECT_EQ(array.getElement(0), 0);
    EXPECT_EQ(array.getElement(1), -2);
  }
  EXPECT_FALSE(getNpyType("f128"));
  EXPECT_FALSE(getNpyType("i4"));
}

TEST(NpyTest, FormatIndex) {
  EXPECT_EQ(formatIndex(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(formatIndex(0, {}), "[]");
}
