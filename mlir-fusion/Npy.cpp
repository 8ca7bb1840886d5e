//===-- Npy.cpp - Tensors in numpy's files --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format: "\x93NUMPY", major and minor version, the header's length, the
// header (a Python dictionary of descr, fortran_order and shape), the data.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "FileKind.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "Options.h"
#include "Report.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral kMagic("\x93NUMPY");

//===----------------------------------------------------------------------===//
// Types and arrays
//===----------------------------------------------------------------------===//

std::string NpyType::getDescr() const {
  return (Twine(size == 1 ? "|" : "<") + Twine(kind == 'B' ? 'u' : kind) +
          Twine(size))
      .str();
}

std::string NpyType::getName() const {
  if (kind == 'b')
    return "i1";
  if (kind == 'B')
    return "bf16";
  StringRef prefix = kind == 'f' ? "f" : kind == 'u' ? "ui" : "i";
  return (prefix + Twine(size * 8)).str();
}

std::optional<NpyType> fusion::getNpyType(StringRef name) {
  if (name == "i1")
    return NpyType{'b', 1};
  if (name == "index")
    return NpyType{'i', 8};
  if (name == "bf16")
    return NpyType{'B', 2};
  NpyType type;
  if (name.consume_front("ui"))
    type.kind = 'u';
  else if (name.consume_front("si") || name.consume_front("i"))
    type.kind = 'i';
  else if (!name.consume_front("f"))
    return std::nullopt;
  unsigned bits;
  if (name.getAsInteger(10, bits) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, bits) ||
      (type.kind == 'f' && bits == 8))
    return std::nullopt;
  type.size = bits / 8;
  return type;
}

std::optional<size_t> fusion::countBytes(NpyType type,
                                         ArrayRef<int64_t> shape) {
  // Beside a zero, sizes must have no overflow either.
  std::optional<int64_t> bytes = type.size;
  for (int64_t size : shape)
    if (bytes)
      bytes = llvm::checkedMul<int64_t>(*bytes, std::max<int64_t>(size, 1));
  if (bytes && llvm::is_contained(shape, 0))
    return 0;
  return bytes && *bytes <= kMaxTensorBytes ? bytes : std::nullopt;
}

NpyArray NpyArray::create(NpyType type, ArrayRef<int64_t> shape) {
  NpyArray array{type, llvm::to_vector(shape), nullptr};
  constexpr size_t alignment = 64;
  size_t bytes =
      llvm::alignTo(std::max<size_t>(array.getNumBytes(), 1), alignment);
  auto *data = static_cast<char *>(std::aligned_alloc(alignment, bytes));
  if (!data) {
    (void)error("expected memory for an array of " + Twine(bytes) + " bytes");
    // Removes temporary files.
    llvm::sys::RunInterruptHandlers();
    std::exit(kBadInput);
  }
  std::memset(data, 0, bytes);
  array.data = std::shared_ptr<char>(data, std::free);
  return array;
}

int64_t NpyArray::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

template <typename T>
static double readAs(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return static_cast<double>(value);
}

double NpyArray::getElement(int64_t index) const {
  const char *element = data.get() + index * type.size;
  if (type.kind == 'f') {
    if (type.size == 4)
      return readAs<float>(element);
    if (type.size == 8)
      return readAs<double>(element);
    uint64_t bits = llvm::support::endian::read16le(element);
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits))
        .convertToDouble();
  }
  if (type.kind == 'B')
    return llvm::bit_cast<float>(
        uint32_t(llvm::support::endian::read16le(element)) << 16);
  bool isSigned = type.kind == 'i';
  switch (type.size) {
  case 1:
    return isSigned ? readAs<int8_t>(element) : readAs<uint8_t>(element);
  case 2:
    return isSigned ? readAs<int16_t>(element) : readAs<uint16_t>(element);
  case 4:
    return isSigned ? readAs<int32_t>(element) : readAs<uint32_t>(element);
  default:
    return isSigned ? readAs<int64_t>(element) : readAs<uint64_t>(element);
  }
}

void NpyArray::setElement(int64_t index, double value) {
  char *element = data.get() + index * type.size;
  if (type.isFloat()) {
    const llvm::fltSemantics &semantics =
        type.kind == 'B' ? llvm::APFloat::BFloat()
        : type.size == 2 ? llvm::APFloat::IEEEhalf()
        : type.size == 4 ? llvm::APFloat::IEEEsingle()
                         : llvm::APFloat::IEEEdouble();
    llvm::APFloat rounded(value);
    bool losesInfo;
    rounded.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
    std::memcpy(element, &bits, type.size);
    return;
  }
  int64_t integer = static_cast<int64_t>(value);
  std::memcpy(element, &integer, type.size);
}

std::string NpyArray::getTypeString() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type.getName();
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

NpyDifference fusion::compare(const NpyArray &got, const NpyArray &want,
                              const Tolerance &tolerance) {
  NpyDifference result;
  int64_t count = want.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    double magnitude = std::fabs(want.getElement(i));
    if (std::isfinite(magnitude))
      result.largestWanted = std::max(result.largestWanted, magnitude);
  }
  double absolute = tolerance.absolute.value_or(0);
  if (tolerance.relativeToLargest)
    absolute = *tolerance.relativeToLargest * result.largestWanted;
  double relative = tolerance.relative.value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    double g = got.getElement(i), w = want.getElement(i);
    if (g == w || (std::isnan(g) && std::isnan(w)))
      continue;
    double error = std::fabs(g - w);
    bool finite = std::isfinite(error);
    if (!finite)
      error = INFINITY;
    result.largestError = std::max(result.largestError, error);
    if (w != 0)
      result.largestRelativeError =
          std::max(result.largestRelativeError,
                   finite ? error / std::fabs(w) : INFINITY);
    if (finite && error <= absolute + relative * std::fabs(w))
      continue;
    if (result.numBad++ == 0)
      result.firstBad = i;
  }
  return result;
}

std::string fusion::formatIndex(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    indices[dim] = index % shape[dim];
    index /= shape[dim];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(indices, os);
  os << ']';
  return text;
}
