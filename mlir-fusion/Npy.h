//===-- Npy.h - Tensors in numpy's files ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, writes and compares the .npy files that `mlir-fusion run` takes and
// makes.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_NPY_H
#define MLIR_FUSION_NPY_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mlir::fusion {

/// The element type of an array as numpy sees it.
struct NpyType {
  /// f(loat), i(nteger), u(nsigned integer), b(ool); B is bf16, which numpy
  /// lacks and files hold as u2.
  char kind = 'f';
  /// Bytes of one element.
  unsigned size = 4;

  bool isFloat() const { return kind == 'f' || kind == 'B'; }
  bool operator==(const NpyType &other) const {
    return kind == other.kind && size == other.size;
  }
  /// numpy's word for it, such as <f4.
  std::string getDescr() const;
  /// MLIR's word for it: f32, i8, ui8, i1, ….
  std::string getName() const;
};

/// The numpy type of elements of the MLIR type `name` (index is i64); nothing
/// if there is none.
std::optional<NpyType> getNpyType(StringRef name);

/// Bytes of an array; none if no machine has them.
std::optional<size_t> countBytes(NpyType type, ArrayRef<int64_t> shape);

/// A dense row-major array in memory, aligned for any vector.
struct NpyArray {
  NpyType type;
  SmallVector<int64_t> shape;
  std::shared_ptr<char> data;

  /// An array of zeros.
  static NpyArray create(NpyType type, ArrayRef<int64_t> shape);

  int64_t getNumElements() const;
  size_t getNumBytes() const { return getNumElements() * type.size; }
  /// Element `index` in row-major order, as the nearest double.
  double getElement(int64_t index) const;
  /// Stores `value`, rounded to the element type.
  void setElement(int64_t index, double value);
  /// Shape and type as MLIR writes them: 1x3x224x224xf32.
  std::string getTypeString() const;
};

/// Reads format version 1, 2 or 3; Fortran order becomes C order. The file is
/// not trusted: what it says is checked against what it holds.
llvm::Expected<NpyArray> readNpy(StringRef path);

/// Writes format version 1.
llvm::Error writeNpy(StringRef path, const NpyArray &array);

/// How much two arrays of one shape differ.
struct NpyDifference {
  double largestError = 0;
  double largestWanted = 0;
  /// The largest |got - want| / |want| over elements that are not zero.
  double largestRelativeError = 0;
  /// Elements out of tolerance, and the first of them (-1: none).
  int64_t numBad = 0;
  int64_t firstBad = -1;
};

/// What counts as equal: |got - want| <= absolute + relative * |want|, or
/// relativeToLargest times the largest |want|.
struct Tolerance {
  std::optional<double> relative, absolute, relativeToLargest;
};

/// Compares arrays of the same shape. A NaN equals a NaN, an infinity itself.
NpyDifference compare(const NpyArray &got, const NpyArray &want,
                      const Tolerance &tolerance);

/// The row-major `index` as one index a dim: [0, 2, 5].
std::string formatIndex(int64_t index, ArrayRef<int64_t> shape);

} // namespace mlir::fusion

#endif // MLIR_FUSION_NPY_H
