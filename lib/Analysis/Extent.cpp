//===-- Extent.cpp - Sizes and strides, some known at run time ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sizes and strides.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Analysis/Extent.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fusion;

/// What does not fit in 64 bits is a step that no loop takes: sizes of tensors
/// do. It wraps around, as it would at run time.
static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

Extent Extent::operator*(const Extent &other) const {
  Extent product(multiply(factor, other.factor));
  if (product.factor == 0)
    return product;
  llvm::append_range(product.symbols, symbols);
  llvm::append_range(product.symbols, other.symbols);
  llvm::sort(product.symbols);
  return product;
}

Extent Extent::operator/(int64_t divisor) const {
  assert(factor % divisor == 0 && "expected a divisor of the factor");
  Extent quotient(*this);
  quotient.factor /= divisor;
  return quotient;
}

static Value readSymbol(OpBuilder &builder, Location loc,
                        const Extent::Symbol &symbol, ValueRange operands) {
  Value operand = operands[symbol.operand];
  if (!symbol.isStride)
    return builder.createOrFold<memref::DimOp>(loc, operand, symbol.dim);
  return memref::ExtractStridedMetadataOp::create(builder, loc, operand)
      .getStrides()[symbol.dim];
}

OpFoldResult Extent::materialize(OpBuilder &builder, Location loc,
                                 ValueRange operands) const {
  SmallVector<OpFoldResult> factors{builder.getIndexAttr(factor)};
  for (const Symbol &symbol : symbols)
    factors.push_back(readSymbol(builder, loc, symbol, operands));
  return createProduct(builder, loc, factors);
}

OpFoldResult fusion::createProduct(OpBuilder &builder, Location loc,
                                   ArrayRef<OpFoldResult> sizes) {
  int64_t factor = 1;
  Value product;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      factor = multiply(factor, *known);
      continue;
    }
    auto value = cast<Value>(size);
    product =
        product ? arith::MulIOp::create(builder, loc, product, value) : value;
  }
  if (!product)
    return builder.getIndexAttr(factor);
  if (factor == 1)
    return product;
  Value constant = arith::ConstantIndexOp::create(builder, loc, factor);
  return builder.createOrFold<arith::MulIOp>(loc, product, constant);
}
