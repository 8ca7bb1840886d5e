//===-- Number.h - A scalar with what it may be off by ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of the reference: each scalar is computed in f64 together with
// a bound on how far a right result may be from it. Used by Evaluate.cpp.
//
// A float carries its value, a magnitude (the same formula with every term's
// absolute value) and a depth (how many roundings lie on the longest way from
// an input). Sums and products, which rules may re-associate and distribute,
// only grow magnitude and depth: whatever the order, the result is within
// depth * unit * magnitude. Anything else (a maximum, exp, a comparison) turns
// that bound into an error, which is carried on by the function's own slope. So
// cancellation neither fails a right result nor hides a wrong one. An error of
// infinity says that any result is right.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_NUMBER_H
#define FUZZ_NUMBER_H

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <limits>
#include <optional>

namespace mlir::fusion::fuzz {

inline constexpr double kAnything = std::numeric_limits<double>::infinity();

struct Number {
  /// One of them, as the type says; integers are sign-extended.
  double value = 0;
  int64_t integer = 0;
  /// How far a right result may be off, before rounding's own part.
  double error = 0;
  double magnitude = 0;
  double depth = 0;
  /// A zero between or around a transposed convolution's elements: a root
  /// does not multiply it, importers' forms do, which shows at what is not
  /// finite.
  bool isGap = false;

  static Number ofFloat(double value);
  static Number ofInt(int64_t value, double error = 0);
  static Number anything();
};

/// What arithmetic needs to know of an element type.
struct NumberType {
  explicit NumberType(Type type);

  bool isFloat = false;
  unsigned width = 0;
  /// Half the distance of 1 to its neighbour; the largest finite number; the
  /// smallest above zero.
  double unit = 0, largest = 0, smallest = 0;

  /// To the nearest number of the type, as hardware does.
  double round(double value) const;
  /// Sign-extended from the type's width.
  int64_t wrap(int64_t value) const;
  /// The bound that rounding's part is added to.
  double getBound(const Number &number) const;
};

/// Whether operations are rounded to their types, for results that must be
/// equal to the bit; or not, for the best value, with bounds.
enum class Precision { Exact, Rounded };

/// The sum of numbers of `type` as one operation: whatever their order.
Number addAll(MutableArrayRef<Number> terms, const NumberType &type,
              Precision precision);

/// An op on scalars of arith or math, ready to be evaluated many times.
class ScalarOp {
public:
  /// Nothing if the op is none that is known here.
  static std::optional<ScalarOp> get(Operation *op);
  /// An element of the same bits.
  static ScalarOp getBitcast(Type from, Type to);
  Number evaluate(ArrayRef<Number> operands, Precision precision) const;

private:
  enum class Code : uint8_t;
  ScalarOp(Code code, NumberType from, NumberType to)
      : code(code), from(from), to(to) {}
  Number evaluateRounded(ArrayRef<Number> operands) const;
  double roundFloat(ArrayRef<Number> operands) const;
  Number evaluateFloat(ArrayRef<Number> operands) const;
  Number evaluateInt(ArrayRef<Number> operands) const;
  Number convert(const Number &operand) const;
  Number castBits(const Number &operand) const;
  Number compare(const Number &a, const Number &b) const;
  Number select(const Number &a, const Number &b) const;
  Number apply(const Number &a) const;
  void addFunctionError(Number &result, double factor = 1) const;
  double call(double a) const;

  Code code;
  int64_t predicate = 0;
  /// Of the first (for a select: the second) operand and the result.
  NumberType from, to;
};

} // namespace mlir::fusion::fuzz

#endif // FUZZ_NUMBER_H
