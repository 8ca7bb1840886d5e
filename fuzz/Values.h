//===-- Values.h - The numbers of inputs and constants ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays are made from a kind and a seed, so that a graph's text says what it
// is run on.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_VALUES_H
#define FUZZ_VALUES_H

#include "Random.h"
#include "mlir/IR/Types.h"
#include <optional>
#include <string>

namespace mlir::fusion::fuzz {

enum class ValueKind {
  /// Around zero.
  Normal,
  /// Small whole numbers, sums of which are exact.
  Whole,
  /// Above zero: variances, divisors.
  Positive,
  Zero,
  One,
  /// Largest and smallest magnitudes.
  Extreme,
  /// NaN, infinities, denormals and -0 among others.
  Special,
  /// Pairs that cancel.
  Cancelling,
};

StringRef stringifyValueKind(ValueKind kind);
ArrayRef<StringLiteral> getValueKindNames();
std::optional<ValueKind> symbolizeValueKind(StringRef name);

/// The bytes of `count` elements.
std::string makeBytes(Type elementType, int64_t count, ValueKind kind,
                      uint64_t seed);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_VALUES_H
