//===-- Extent.h - Sizes and strides, some known at run time ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's plan is made of. Compared by value, so that a plan can see
// that rows follow each other evenly whatever their number.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_EXTENT_H
#define FUSIONDIALECT_ANALYSIS_EXTENT_H

#include "mlir/IR/Builders.h"
#include <tuple>

namespace mlir::fusion {

/// A size or a stride: a constant times sizes and strides of an op's operands.
class Extent {
public:
  /// The size or stride of a dim of an operand of memref or tensor type.
  struct Symbol {
    unsigned operand, dim;
    bool isStride = false;

    bool operator==(const Symbol &other) const { return tie() == other.tie(); }
    bool operator<(const Symbol &other) const { return tie() < other.tie(); }

  private:
    std::tuple<unsigned, unsigned, bool> tie() const {
      return {operand, dim, isStride};
    }
  };

  Extent(int64_t factor = 0) : factor(factor) {}
  Extent(Symbol symbol) : factor(1), symbols{symbol} {}

  bool isStatic() const { return symbols.empty(); }
  int64_t getFactor() const { return factor; }
  ArrayRef<Symbol> getSymbols() const { return symbols; }
  int64_t getStatic() const {
    assert(isStatic() && "expected a constant");
    return factor;
  }

  Extent operator*(const Extent &other) const;
  /// Exact: only for constants that divide the factor.
  Extent operator/(int64_t divisor) const;
  bool operator==(const Extent &other) const {
    return factor == other.factor && symbols == other.symbols;
  }
  bool operator!=(const Extent &other) const { return !(*this == other); }

  /// The extent as an attribute or, if it is not static, as ops that compute it
  /// from `operands`.
  OpFoldResult materialize(OpBuilder &builder, Location loc,
                           ValueRange operands) const;

private:
  int64_t factor;
  /// In ascending order.
  SmallVector<Symbol, 2> symbols;
};

/// The product of `sizes`, as ops only of what is no attribute.
OpFoldResult createProduct(OpBuilder &builder, Location loc,
                           ArrayRef<OpFoldResult> sizes);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_EXTENT_H
