//===-- Npy.cpp - Tensors of numpy's types --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their elements, and how much two of them differ.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "FusionDialect/Analysis/TensorSizes.h"
#include "Options.h"
#include "Report.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fusion;

//===-- Types and arrays --------------------------------------------------===//

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

//===-- Comparison --------------------------------------------------------===//

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
