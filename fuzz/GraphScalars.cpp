//===-- GraphScalars.cpp - Random scalar formulas -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of elementwise ops compute.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// Casts as importers do: signed.
Value Graph::inType(Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (auto wide = dyn_cast<FloatType>(to)) {
    auto floatType = dyn_cast<FloatType>(from);
    if (!floatType)
      return arith::SIToFPOp::create(b, to, value);
    if (floatType.getWidth() < wide.getWidth())
      return arith::ExtFOp::create(b, to, value);
    if (floatType.getWidth() > wide.getWidth())
      return arith::TruncFOp::create(b, to, value);
    Value middle = arith::ExtFOp::create(b, b.getF32Type(), value);
    return arith::TruncFOp::create(b, to, middle);
  }
  if (isa<FloatType>(from))
    return arith::FPToSIOp::create(b, to, value);
  if (from.isIndex() || to.isIndex())
    return arith::IndexCastOp::create(b, to, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, to, value);
  return arith::TruncIOp::create(b, to, value);
}

Value Graph::applyActivation(Value x) {
  Type xType = x.getType();
  if (!isa<FloatType>(xType)) {
    Value low =
        scalar(xType, random.chance(60) ? 0 : double(random.range(-99, 0)));
    Value clamped = arith::MaxSIOp::create(b, x, low);
    if (random.chance(50))
      return clamped;
    Value high = scalar(xType, double(random.range(1, 100)));
    return arith::MinSIOp::create(b, clamped, high);
  }
  Value zero = scalar(xType, 0), one = scalar(xType, 1);
  switch (random.range(0, 14)) {
  case 0:
    return arith::MaximumFOp::create(b, x, zero);
  case 1:
    return arith::MaxNumFOp::create(b, x, zero);
  case 2: {
    auto predicate =
        random.pick({arith::CmpFPredicate::UGT, arith::CmpFPredicate::OGT,
                     arith::CmpFPredicate::OGE});
    Value isAbove = arith::CmpFOp::create(b, predicate, x, zero);
    return arith::SelectOp::create(b, isAbove, x, zero);
  }
  case 3: {
    Value six = scalar(xType, 6);
    Value low = arith::MaximumFOp::create(b, x, zero);
    return arith::MinimumFOp::create(b, low, six);
  }
  case 4: {
    // Clamped by comparisons, as torch-mlir states it.
    Value low = scalar(xType, -0.5), high = scalar(xType, 2.5);
    Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::ULT, x, low);
    Value first = arith::SelectOp::create(b, isBelow, low, x);
    Value isAbove =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, first, high);
    return arith::SelectOp::create(b, isAbove, high, first);
  }
  case 5: {
    Value minus = arith::NegFOp::create(b, x);
    Value power = math::ExpOp::create(b, minus);
    Value sum = arith::AddFOp::create(b, one, power);
    Value sigmoid = arith::DivFOp::create(b, one, sum);
    if (random.chance(50))
      return sigmoid;
    return arith::MulFOp::create(b, x, sigmoid);
  }
  case 6:
    return math::TanhOp::create(b, x);
  case 7: {
    Value half = scalar(xType, 0.5), root = scalar(xType, 0.70710678);
    Value scaled = arith::MulFOp::create(b, x, root);
    Value erf = math::ErfOp::create(b, scaled);
    Value sum = arith::AddFOp::create(b, erf, one);
    Value part = arith::MulFOp::create(b, x, half);
    return arith::MulFOp::create(b, part, sum);
  }
  case 8: {
    Value slope = scalar(xType, 0.0625);
    Value isAbove =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, zero);
    Value small = arith::MulFOp::create(b, x, slope);
    return arith::SelectOp::create(b, isAbove, x, small);
  }
  case 9: {
    Value three = scalar(xType, 3), six = scalar(xType, 6);
    Value shifted = arith::AddFOp::create(b, x, three);
    Value low = arith::MaximumFOp::create(b, shifted, zero);
    Value high = arith::MinimumFOp::create(b, low, six);
    Value product = arith::MulFOp::create(b, x, high);
    if (random.chance(50))
      return arith::DivFOp::create(b, product, six);
    Value sixth = scalar(xType, 0.16666667);
    return arith::MulFOp::create(b, product, sixth);
  }
  case 10: {
    Value power = math::ExpM1Op::create(b, x);
    Value isAbove =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, zero);
    return arith::SelectOp::create(b, isAbove, x, power);
  }
  case 11: {
    Value limit = scalar(xType, double(random.range(-2, 2)) / 2);
    return random.chance(50) ? Value(arith::MaximumFOp::create(b, x, limit))
                             : Value(arith::MinimumFOp::create(b, limit, x));
  }
  case 12: {
    // An assertion that holds.
    Value size = math::AbsFOp::create(b, x), small = scalar(xType, 0.125);
    Value divisor = arith::AddFOp::create(b, size, small);
    Value isAway =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, divisor, zero);
    cf::AssertOp::create(b, isAway, "expected no zero");
    return arith::DivFOp::create(b, one, divisor);
  }
  case 13: {
    Value first = scalar(xType, random.pick({0.5, -3.0, 1.7}));
    Value second = scalar(xType, random.pick({2.0, 0.3, -0.125}));
    Value scaled = arith::MulFOp::create(b, x, first);
    return arith::MulFOp::create(b, second, scaled);
  }
  default: {
    Value power = math::ExpOp::create(b, x);
    return math::Log1pOp::create(b, power);
  }
  }
}

/// One more op on some of the values.
Value Graph::randomScalar(SmallVectorImpl<Value> &values, Type type) {
  auto any = [&]() -> Value {
    if (random.chance(20))
      return scalar(type, isa<FloatType>(type) ? double(random.range(-8, 8)) / 4
                                               : double(random.range(-8, 8)));
    return random.pickFrom(values);
  };
  Value x = random.pickFrom(values), y = any();
  if (!isa<FloatType>(type)) {
    switch (random.range(0, 8)) {
    case 8: {
      // By another dialect, whose ops have no vectors.
      if (type.isIndex() || random.chance(70))
        return arith::MaxSIOp::create(b, y, x);
      Value left = arith::IndexCastOp::create(b, b.getIndexType(), x);
      Value right = arith::IndexCastOp::create(b, b.getIndexType(), y);
      Value sum = index::AddOp::create(b, left, right);
      return arith::IndexCastOp::create(b, type, sum);
    }
    case 7: {
      // By what is no zero, and never -1.
      Value one = scalar(type, 1), limit = scalar(type, 5);
      Value above = arith::MaxSIOp::create(b, y, one);
      Value divisor = arith::MinSIOp::create(b, above, limit);
      return arith::DivSIOp::create(b, x, divisor);
    }
    case 0:
      return arith::AddIOp::create(b, x, y);
    case 1:
      return arith::SubIOp::create(b, x, y);
    case 2:
      return arith::MulIOp::create(b, x, y);
    case 3:
      return arith::MaxSIOp::create(b, x, y);
    case 4: {
      Value isLess = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
      Value other = any();
      return arith::SelectOp::create(b, isLess, x, other);
    }
    case 5:
      return arith::XOrIOp::create(b, x, y);
    default:
      return arith::MinSIOp::create(b, y, x);
    }
  }
  switch (random.range(0, 14)) {
  case 14: {
    // A branch in the body.
    if (random.chance(70))
      return arith::MaximumFOp::create(b, y, x);
    Value answer = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
    auto branch = scf::IfOp::create(b, TypeRange{type}, answer,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, y);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, x);
    return branch.getResult(0);
  }
  case 0:
  case 1:
    return arith::AddFOp::create(b, x, y);
  case 2:
    return arith::SubFOp::create(b, x, y);
  case 3:
  case 4:
    return arith::MulFOp::create(b, x, y);
  case 5: {
    // Away from zero.
    Value square = arith::MulFOp::create(b, y, y);
    Value one = scalar(type, 1);
    Value divisor = arith::AddFOp::create(b, square, one);
    return arith::DivFOp::create(b, x, divisor);
  }
  case 6: {
    Value divisor = scalar(type, random.pick({2.0, 3.0, -5.0, 0.1}));
    return arith::DivFOp::create(b, x, divisor);
  }
  case 7:
    return arith::MaximumFOp::create(b, x, y);
  case 8:
    return arith::MinNumFOp::create(b, x, y);
  case 9:
    return math::AbsFOp::create(b, x);
  case 10: {
    Value size = math::AbsFOp::create(b, x);
    return math::SqrtOp::create(b, size);
  }
  case 11: {
    auto predicate =
        random.pick({arith::CmpFPredicate::OLT, arith::CmpFPredicate::UGE,
                     arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE});
    Value answer = arith::CmpFOp::create(b, predicate, x, y);
    Value other = any();
    return arith::SelectOp::create(b, answer, x, other);
  }
  case 12:
    return random.chance(50) ? Value(math::FloorOp::create(b, x))
                             : Value(arith::NegFOp::create(b, x));
  default:
    return applyActivation(x);
  }
}
