//===-- FloatRange.h - What a float may be ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by DropAsserts.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_FLOATRANGE_H
#define FUSIONDIALECT_LIB_TRANSFORMS_FLOATRANGE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>
#include <optional>

namespace mlir::fusion {

/// All values from `low` to `high`, infinities included, and perhaps NaN.
struct FloatRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool mayBeNaN = true;
};

/// Finds ranges of scalars, and of elements of tensors: through bodies of
/// linalg ops to what feeds them.
class FloatRanges {
public:
  FloatRange get(Value value);
  /// What the comparison gives, if it is always the same.
  std::optional<bool> decide(arith::CmpFOp op);

private:
  FloatRange compute(Value value);
  FloatRange computeOp(Operation *op);
  /// Of the elements of a linalg op's result.
  FloatRange computeElements(OpResult result);

  DenseMap<Value, FloatRange> known;
  unsigned depth = 0;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_FLOATRANGE_H
