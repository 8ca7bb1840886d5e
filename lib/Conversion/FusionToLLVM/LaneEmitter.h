//===-- LaneEmitter.h - Arithmetic on scalars and lanes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by what expands functions and conversions: the same text for a scalar
// and for each lane of a vector.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_LANEEMITTER_H
#define FUSION_CONVERSION_LANEEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fusion {

/// `type` with another element type.
inline Type getTypeLike(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Arithmetic on values of one shape, in one type of floats and, for bits, in
/// integers of the same width.
class LaneEmitter {
public:
  LaneEmitter(ImplicitLocOpBuilder &builder, Value like)
      : LaneEmitter(builder, like, builder.getF32Type()) {}
  LaneEmitter(ImplicitLocOpBuilder &builder, Value like, FloatType element)
      : builder(builder), floats(getTypeLike(like.getType(), element)),
        integers(getTypeLike(like.getType(),
                             builder.getIntegerType(element.getWidth()))) {}

  Value constant(double value) {
    FloatAttr number =
        builder.getFloatAttr(getElementTypeOrSelf(floats), value);
    return createScalarOrSplatConstant(builder, builder.getLoc(), floats,
                                       number.getValue());
  }
  Value integer(uint64_t value) {
    return createScalarOrSplatConstant(builder, builder.getLoc(), integers,
                                       static_cast<int64_t>(value));
  }

  Value add(Value x, Value y) { return arith::AddFOp::create(builder, x, y); }
  Value add(Value x, double y) { return add(x, constant(y)); }
  Value subtract(Value x, Value y) {
    return arith::SubFOp::create(builder, x, y);
  }
  Value multiply(Value x, Value y) {
    return arith::MulFOp::create(builder, x, y);
  }
  Value multiply(Value x, double y) { return multiply(x, constant(y)); }
  Value divide(Value x, Value y) {
    return arith::DivFOp::create(builder, x, y);
  }
  /// x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(builder, x, y, z);
  }
  Value fma(Value x, double y, Value z) { return fma(x, constant(y), z); }
  Value fma(Value x, Value y, double z) { return fma(x, y, constant(z)); }
  Value fma(Value x, double y, double z) {
    Value factor = constant(y);
    return fma(x, factor, z);
  }
  /// c[0] + c[1] x + c[2] x^2 + …
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, coefficient);
    return sum;
  }

  Value compare(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(builder, predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, condition, x, y);
  }
  /// `x` between the two; NaN stays NaN. The constant is compared and chosen
  /// first: that is what one x86 instruction does.
  Value clamp(Value x, double low, double high) {
    for (auto [predicate, value] :
         {std::pair(arith::CmpFPredicate::OGT, low),
          std::pair(arith::CmpFPredicate::OLT, high)}) {
      Value bound = constant(value);
      Value beyond = arith::CmpFOp::create(builder, predicate, bound, x);
      x = select(beyond, bound, x);
    }
    return x;
  }
  /// True where |x| is below 2^-25: there x is expm1(x) and log1p(x), rounded,
  /// down to -0 and the denormals.
  Value isTiny(Value x) {
    return compare(arith::CmpFPredicate::OLT, absolute(x), 0x1p-25f);
  }

  Value bits(Value x) { return arith::BitcastOp::create(builder, integers, x); }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(builder, floats, x);
  }
  Value addBits(Value x, Value y) {
    return arith::AddIOp::create(builder, x, y);
  }
  Value subtractBits(Value x, Value y) {
    return arith::SubIOp::create(builder, x, y);
  }
  Value toExponent(Value x) { return shiftLeft(x, 23); }
  Value shiftRight(Value x, uint32_t places) {
    return arith::ShRSIOp::create(builder, x, integer(places));
  }
  Value shiftRightUnsigned(Value x, uint32_t places) {
    return arith::ShRUIOp::create(builder, x, integer(places));
  }
  Value shiftLeft(Value x, uint32_t places) {
    return arith::ShLIOp::create(builder, x, integer(places));
  }
  Value isNegative(Value x) {
    return compareBits(arith::CmpIPredicate::slt, bits(x), integer(0));
  }
  Value compareBits(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(builder, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(builder, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(builder, x, y); }
  Value absolute(Value x) { return math::AbsFOp::create(builder, x); }
  Value floor(Value x) { return math::FloorOp::create(builder, x); }
  /// A narrower float in this type.
  Value widen(Value x) { return arith::ExtFOp::create(builder, floats, x); }
  /// A wider float in this type.
  Value narrow(Value x) { return arith::TruncFOp::create(builder, floats, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(builder, predicate, x, y);
  }
  Value toFloat(Value x) { return arith::SIToFPOp::create(builder, floats, x); }

private:
  ImplicitLocOpBuilder &builder;
  Type floats, integers;
};

} // namespace mlir::fusion

#endif // FUSION_CONVERSION_LANEEMITTER_H
