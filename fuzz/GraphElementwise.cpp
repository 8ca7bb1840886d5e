//===-- GraphElementwise.cpp - Random elementwise ops ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations, batch norm, residuals, random formulas; broadcast in every way
// that a map can say.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

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
    switch (random.range(0, 6)) {
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
  switch (random.range(0, 13)) {
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

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

Tensor Graph::map(ArrayRef<Tensor> inputs, ArrayRef<AffineMap> maps,
                  Type elementType,
                  llvm::function_ref<Value(ArrayRef<Value>)> body) {
  const Tensor &first = inputs[0];
  Tensor init = empty(first.shape, dims(first), elementType);
  SmallVector<Value> operands;
  for (const Tensor &input : inputs)
    operands.push_back(input.value);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(unsigned(first.rank())));
  SmallVector<utils::IteratorType> iterators(size_t(first.rank()),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, operands, ValueRange{init.value},
      allMaps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder outer = b;
        b = ImplicitLocOpBuilder(loc, builder);
        SmallVector<Value> values(args.drop_back());
        Value yielded = body(values);
        linalg::YieldOp::create(b, yielded);
        b = outer;
      });
  return result(op, first.shape);
}

Tensor Graph::elementwise(Tensor tensor, int64_t channel) {
  Type elementType = tensor.elementType();
  SmallVector<Tensor> inputs{tensor};
  unsigned rank = unsigned(tensor.rank());
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  int64_t others = random.range(0, 2);
  for (int64_t i = 0; i < others; ++i) {
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> shape;
    auto add = [&](int64_t dim) {
      exprs.push_back(b.getAffineDimExpr(unsigned(dim)));
      shape.push_back(tensor.shape[dim]);
    };
    int64_t form = random.range(0, 9);
    if (rank == 0 || form == 0) {
      // A scalar.
    } else if (form < 6) {
      add(channel);
    } else if (form < 7) {
      // Broadcast by dims of size 1.
      for (int64_t dim = 0; dim < rank; ++dim) {
        exprs.push_back(dim == channel ? b.getAffineDimExpr(unsigned(dim))
                                       : b.getAffineConstantExpr(0));
        shape.push_back(dim == channel ? tensor.shape[dim] : 1);
      }
    } else {
      for (int64_t dim = 0; dim < rank; ++dim)
        if (random.chance(60))
          add(dim);
      if (random.chance(20) && exprs.size() == 2) {
        std::swap(exprs[0], exprs[1]);
        std::swap(shape[0], shape[1]);
      }
    }
    bool isKnown = llvm::all_of(exprs, [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return !dim || !tensor.type().isDynamicDim(dim.getPosition());
    });
    if (!isKnown)
      continue;
    inputs.push_back(parameter(shape, elementType));
    maps.push_back(AffineMap::get(rank, 0, exprs, b.getContext()));
  }
  int64_t ops = random.range(1, 4);
  return map(inputs, maps, elementType, [&](ArrayRef<Value> args) {
    SmallVector<Value> values(args);
    // Every operand is read.
    Value sum = args[0];
    for (Value other : args.drop_front()) {
      if (isa<FloatType>(elementType))
        sum = random.chance(50) ? Value(arith::AddFOp::create(b, sum, other))
                                : Value(arith::MulFOp::create(b, other, sum));
      else
        sum = arith::AddIOp::create(b, sum, other);
      values.push_back(sum);
    }
    for (int64_t i = 0; i < ops; ++i)
      values.push_back(randomScalar(values, elementType));
    return values.back();
  });
}

/// (x - mean) / sqrt(variance + eps) * gamma + beta, in one op or several.
Tensor Graph::batchNorm(Tensor tensor, int64_t channel) {
  if (tensor.rank() == 0 || tensor.type().isDynamicDim(unsigned(channel)))
    return {};
  Type elementType = tensor.elementType();
  unsigned rank = unsigned(tensor.rank());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap along = AffineMap::get(
      rank, 0, {b.getAffineDimExpr(unsigned(channel))}, b.getContext());
  SmallVector<int64_t> shape{tensor.shape[channel]};
  // Constants for the most part, as in trained networks.
  auto vector = [&](ValueKind kind) {
    return random.chance(85) ? constant(shape, elementType, kind)
                             : parameter(shape, elementType, kind);
  };
  Tensor mean = vector(pickKind()), variance = vector(ValueKind::Positive),
         gamma = vector(random.chance(10) ? ValueKind::Zero : pickKind()),
         beta = vector(pickKind());
  double epsilon = 1e-3;
  if (random.chance(50))
    return map({tensor, mean, variance, gamma, beta},
               {identity, along, along, along, along}, elementType,
               [&](ArrayRef<Value> args) -> Value {
                 Value eps = scalar(elementType, epsilon);
                 Value sum = arith::AddFOp::create(b, args[2], eps);
                 Value centered = arith::SubFOp::create(b, args[0], args[1]);
                 Value normal;
                 if (random.chance(50)) {
                   Value root = math::RsqrtOp::create(b, sum);
                   normal = arith::MulFOp::create(b, centered, root);
                 } else {
                   Value root = math::SqrtOp::create(b, sum);
                   normal = arith::DivFOp::create(b, centered, root);
                 }
                 Value scaled = arith::MulFOp::create(b, normal, args[3]);
                 return arith::AddFOp::create(b, scaled, args[4]);
               });
  Tensor root = map({variance}, {b.getMultiDimIdentityMap(1)}, elementType,
                    [&](ArrayRef<Value> args) -> Value {
                      Value eps = scalar(elementType, epsilon);
                      Value sum = arith::AddFOp::create(b, args[0], eps);
                      return math::RsqrtOp::create(b, sum);
                    });
  auto apply = [&](Tensor x, Tensor y, auto create) {
    return map({x, y}, {identity, along}, elementType,
               [&](ArrayRef<Value> args) -> Value {
                 return create(args[0], args[1]);
               });
  };
  auto sub = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(b, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  Tensor centered = apply(tensor, mean, sub);
  Tensor normal = apply(centered, root, mul);
  Tensor scaled = apply(normal, gamma, mul);
  return apply(scaled, beta, add);
}

Tensor Graph::activation(Tensor tensor) {
  return map({tensor}, {b.getMultiDimIdentityMap(unsigned(tensor.rank()))},
             tensor.elementType(),
             [&](ArrayRef<Value> args) { return applyActivation(args[0]); });
}

//===----------------------------------------------------------------------===//
// Ops on whole tensors
//===----------------------------------------------------------------------===//

/// Adds another tensor of the same shape, if there is one.
Tensor Graph::residual(Tensor tensor) {
  SmallVector<Tensor> others;
  for (const Tensor &other : tensors)
    if (other.value.getType() == tensor.value.getType() &&
        other.shape == tensor.shape && other.value != tensor.value)
      others.push_back(other);
  Tensor other;
  if (!others.empty())
    other = random.pickFrom(others);
  else if (tensor.isStatic())
    other = argument(tensor.shape, tensor.elementType(), pickKind());
  else
    return activation(tensor);
  bool isFloat = isa<FloatType>(tensor.elementType());
  if (random.chance(25))
    std::swap(tensor, other);
  if (random.chance(25))
    return result(
        isFloat
            ? arith::AddFOp::create(b, tensor.value, other.value).getOperation()
            : arith::AddIOp::create(b, tensor.value, other.value)
                  .getOperation(),
        tensor.shape);
  AffineMap identity = b.getMultiDimIdentityMap(unsigned(tensor.rank()));
  bool activates = random.chance(40);
  return map({tensor, other}, {identity, identity}, tensor.elementType(),
             [&](ArrayRef<Value> args) -> Value {
               Value sum;
               if (isFloat)
                 sum = random.chance(80)
                           ? Value(arith::AddFOp::create(b, args[0], args[1]))
                           : Value(arith::MulFOp::create(b, args[0], args[1]));
               else
                 sum = arith::AddIOp::create(b, args[0], args[1]);
               return activates ? applyActivation(sum) : sum;
             });
}

Tensor Graph::namedElementwise(Tensor tensor) {
  Tensor init = empty(tensor.shape, dims(tensor), tensor.elementType());
  bool isFloat = isa<FloatType>(tensor.elementType());
  auto unary = [&](auto tag) {
    using Op = decltype(tag);
    return result(Op::create(b, TypeRange{init.value.getType()},
                             ValueRange{tensor.value}, ValueRange{init.value}),
                  tensor.shape);
  };
  auto binary = [&](auto tag) {
    using Op = decltype(tag);
    return result(Op::create(b, TypeRange{init.value.getType()},
                             ValueRange{tensor.value, tensor.value},
                             ValueRange{init.value}),
                  tensor.shape);
  };
  switch (random.range(0, isFloat ? 6 : 2)) {
  case 0:
    return binary(linalg::AddOp());
  case 1:
    return binary(linalg::MulOp());
  case 2:
    return binary(linalg::MaxOp());
  case 3:
    return unary(linalg::TanhOp());
  case 4:
    return unary(linalg::NegFOp());
  case 5:
    return unary(linalg::AbsOp());
  default:
    return unary(linalg::SquareOp());
  }
}

Tensor Graph::castElements(Tensor tensor) {
  Type to;
  if (isa<FloatType>(tensor.elementType()))
    to = random.pick<Type>(
        {b.getF32Type(), b.getF16Type(), b.getBF16Type(), b.getF64Type()});
  else
    to = tensor.elementType().isInteger(8) ? Type(b.getI32Type())
         : random.chance(50)               ? Type(b.getI8Type())
                                           : Type(b.getF32Type());
  if (to == tensor.elementType())
    return activation(tensor);
  return map({tensor}, {b.getMultiDimIdentityMap(unsigned(tensor.rank()))}, to,
             [&](ArrayRef<Value> args) { return inType(args[0], to); });
}
