//===-- NpyFile.cpp - numpy's files ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format: "\x93NUMPY", major and minor version, the header's length, the
// header (a Python dictionary of descr, fortran_order and shape), the data.
//
//===----------------------------------------------------------------------===//

#include "FileKind.h"
#include "Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kMagic("\x93NUMPY");

//===-- The header --------------------------------------------------------===//

namespace {
/// Parses the header's dictionary, Python's literal syntax as numpy writes it.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  /// Returns what is wrong, or nothing.
  std::optional<std::string> parse();

  NpyType type;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<StringRef> parseString();
  std::optional<std::string> parseType();
  std::optional<std::string> parseShape();

  StringRef rest;
};
} // namespace

std::optional<StringRef> HeaderParser::parseString() {
  rest = rest.ltrim();
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return std::nullopt;
  size_t end = rest.find(rest[0], 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef text = rest.slice(1, end);
  rest = rest.drop_front(end + 1);
  return text;
}

std::optional<std::string> HeaderParser::parseType() {
  std::optional<StringRef> descr = parseString();
  if (!descr)
    return "expected a plain element type, got a record or no string";
  StringRef size = *descr;
  bool bigEndian = size.consume_front(">");
  if (!bigEndian && !size.consume_front("<") && !size.consume_front("|"))
    size.consume_front("=");
  if (!size.empty()) {
    type.kind = size[0];
    if (!size.drop_front().getAsInteger(10, type.size) &&
        !(bigEndian && type.size > 1)) {
      bool known =
          (type.kind == 'f' && llvm::is_contained({2u, 4u, 8u}, type.size)) ||
          ((type.kind == 'i' || type.kind == 'u') &&
           llvm::is_contained({1u, 2u, 4u, 8u}, type.size)) ||
          (type.kind == 'b' && type.size == 1);
      if (known)
        return std::nullopt;
    }
  }
  return "expected little-endian elements f2, f4, f8, i1, i2, i4, i8, u1, u2, "
         "u4, u8 or b1, got '" +
         descr->str() + "'";
}

std::optional<std::string> HeaderParser::parseShape() {
  if (!consume("("))
    return "expected a shape in parentheses";
  int64_t count = 1;
  bool hasComma = true;
  while (!consume(")")) {
    int64_t size;
    rest = rest.ltrim();
    StringRef digits = rest.take_while(llvm::isDigit);
    if (rest.consumeInteger(10, size) || size < 0)
      return "expected sizes of at least 0 in the shape";
    if (digits.starts_with("0") && size != 0)
      return "expected sizes without leading zeros in the shape";
    shape.push_back(size);
    // An empty dim hides nothing: the product of the others must fit too.
    if (llvm::MulOverflow(count, std::max<int64_t>(size, 1), count) ||
        count > (int64_t(1) << 48))
      return "expected a shape of at most 2^48 elements";
    hasComma = consume(",");
    if (!hasComma && !rest.ltrim().starts_with(")"))
      return "expected ',' or ')' in the shape";
  }
  // (3) is a number.
  if (shape.size() == 1 && !hasComma)
    return "expected ',' behind the only size of the shape";
  return std::nullopt;
}

std::optional<std::string> HeaderParser::parse() {
  bool hasType = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return "expected a header in braces";
  while (!consume("}")) {
    std::optional<StringRef> key = parseString();
    if (!key || !consume(":"))
      return "expected 'key': value in the header";
    std::optional<std::string> problem;
    if (*key == "descr" && !hasType) {
      hasType = true;
      problem = parseType();
    } else if (*key == "fortran_order" && !hasOrder) {
      hasOrder = true;
      fortranOrder = consume("True");
      if (!fortranOrder && !consume("False"))
        problem = "expected True or False as fortran_order";
    } else if (*key == "shape" && !hasShape) {
      hasShape = true;
      problem = parseShape();
    } else {
      problem = "expected descr, fortran_order and shape once each, got '" +
                key->str() + "'";
    }
    if (problem)
      return problem;
    if (!consume(",") && !rest.ltrim().starts_with("}"))
      return "expected ',' or '}' in the header";
  }
  if (!rest.trim().empty())
    return "expected the end of the header, got '" + rest.trim().str() + "'";
  if (!hasType || !hasOrder || !hasShape)
    return "expected descr, fortran_order and shape in the header";
  return std::nullopt;
}

//===-- Files -------------------------------------------------------------===//

/// Copies column-major `from` into `array`, which is row-major.
static void copyFromFortranOrder(NpyArray &array, const char *from) {
  int64_t rank = array.shape.size(), count = array.getNumElements();
  SmallVector<int64_t> strides(rank, 1), index(rank, 0);
  for (int64_t dim = 1; dim < rank; ++dim)
    strides[dim] = strides[dim - 1] * array.shape[dim - 1];
  unsigned size = array.type.size;
  int64_t source = 0;
  for (int64_t target = 0; target < count; ++target) {
    std::memcpy(array.data.get() + target * size, from + source * size, size);
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      source += strides[dim];
      if (++index[dim] < array.shape[dim])
        break;
      source -= strides[dim] * array.shape[dim];
      index[dim] = 0;
    }
  }
}

llvm::Expected<NpyArray> fusion::readNpy(StringRef path) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError(path + ": " + message);
  };
  if (isPipeOrDevice(path))
    return fail("expected a regular file, got a pipe or a device");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail("cannot read: " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.consume_front(kMagic) || bytes.size() < 4)
    return fail("expected a .npy file");
  unsigned version = static_cast<uint8_t>(bytes[0]);
  unsigned minor = static_cast<uint8_t>(bytes[1]);
  if (version < 1 || version > 3 || minor != 0)
    return fail("expected .npy version 1.0, 2.0 or 3.0, got " + Twine(version) +
                "." + Twine(minor));
  bytes = bytes.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return fail("expected a header, got the end of the file");
  size_t length = version == 1 ? llvm::support::endian::read16le(bytes.data())
                               : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return fail("expected a header of " + Twine(length) + " bytes, got " +
                Twine(bytes.size()));
  HeaderParser header(bytes.take_front(length));
  if (std::optional<std::string> problem = header.parse())
    return fail(*problem);
  bytes = bytes.drop_front(length);

  // Compared before anything is allocated: the shape may be a lie.
  std::optional<size_t> expected = countBytes(header.type, header.shape);
  if (!expected)
    return fail("expected a shape that a machine has memory for, got " +
                NpyArray{header.type, header.shape, nullptr}.getTypeString());
  if (bytes.size() != *expected)
    return fail("expected " + Twine(*expected) +
                " bytes of data for its shape, got " + Twine(bytes.size()));
  NpyArray array = NpyArray::create(header.type, header.shape);
  if (header.fortranOrder)
    copyFromFortranOrder(array, bytes.data());
  else
    std::memcpy(array.data.get(), bytes.data(), bytes.size());
  return array;
}

llvm::Error fusion::writeNpy(StringRef path, const NpyArray &array) {
  std::string header = "{'descr': '" + array.type.getDescr() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.shape)
    header += std::to_string(size) + ",";
  header += "), }";
  // The data starts at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  size_t total = llvm::alignTo(prefix + header.size() + 1, 64);
  header.append(total - prefix - header.size() - 1, ' ');
  header += '\n';

  // Written beside and renamed by commit(): never half a file.
  auto file = llvm::FileOutputBuffer::create(path, total + array.getNumBytes());
  if (!file)
    return llvm::createStringError(
        path + ": cannot write: " + llvm::toString(file.takeError()));
  char *out = reinterpret_cast<char *>((*file)->getBufferStart());
  std::memcpy(out, kMagic.data(), kMagic.size());
  out[kMagic.size()] = 1;
  out[kMagic.size() + 1] = 0;
  llvm::support::endian::write16le(out + kMagic.size() + 2, header.size());
  std::memcpy(out + prefix, header.data(), header.size());
  std::memcpy(out + total, array.data.get(), array.getNumBytes());
  return (*file)->commit();
}
