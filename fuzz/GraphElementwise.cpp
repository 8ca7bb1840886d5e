//===-- GraphElementwise.cpp - Random elementwise ops ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations, batch norm, residuals; broadcast in every way that a map can
// say.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

Tensor Graph::map(ArrayRef<Tensor> inputs, ArrayRef<AffineMap> maps,
                  Type elementType,
                  llvm::function_ref<Value(ArrayRef<Value>)> body,
                  bool mayTurn) {
  const Tensor &first = inputs[0];
  unsigned rank = unsigned(first.rank());
  SmallVector<OpFoldResult> sizes = dims(first);
  SmallVector<int64_t> shape = first.shape;
  // Sizes that the input's type does not know.
  if (mayTurn && !first.isStatic() && random.chance(8))
    sizes = getAsIndexOpFoldResult(b.getContext(), shape);
  // The result in another order of dims.
  SmallVector<AffineExpr> order;
  for (unsigned dim = 0; dim < rank; ++dim)
    order.push_back(b.getAffineDimExpr(dim));
  if (mayTurn && rank > 1 && random.chance(4)) {
    std::swap(order[0], order[rank - 1]);
    std::swap(shape[0], shape[rank - 1]);
    std::swap(sizes[0], sizes[rank - 1]);
  }
  Tensor init = empty(shape, sizes, elementType);
  SmallVector<Value> operands;
  for (const Tensor &input : inputs)
    operands.push_back(input.value);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(AffineMap::get(rank, 0, order, b.getContext()));
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
  return result(op, shape);
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
        // Or by the first of several.
        shape.push_back(dim == channel      ? tensor.shape[dim]
                        : random.chance(90) ? 1
                                            : 2);
      }
    } else if (form < 8 && rank > 1 && random.chance(15)) {
      // Along a diagonal.
      exprs.push_back(b.getAffineDimExpr(0) + b.getAffineDimExpr(rank - 1));
      shape.push_back(
          std::max<int64_t>(tensor.shape[0] + tensor.shape[rank - 1] - 1, 0));
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
      return (!dim && tensor.isStatic()) || isa<AffineConstantExpr>(expr) ||
             (dim && !tensor.type().isDynamicDim(dim.getPosition()));
    });
    if (!isKnown)
      continue;
    inputs.push_back(parameter(shape, elementType));
    maps.push_back(AffineMap::get(rank, 0, exprs, b.getContext()));
  }
  int64_t ops = random.range(1, 4);
  return map(
      inputs, maps, elementType,
      [&](ArrayRef<Value> args) {
        SmallVector<Value> values(args);
        // Every operand is read.
        Value sum = args[0];
        for (Value other : args.drop_front()) {
          if (isa<FloatType>(elementType))
            sum = random.chance(50)
                      ? Value(arith::AddFOp::create(b, sum, other))
                      : Value(arith::MulFOp::create(b, other, sum));
          else
            sum = arith::AddIOp::create(b, sum, other);
          values.push_back(sum);
        }
        for (int64_t i = 0; i < ops; ++i)
          values.push_back(randomScalar(values, elementType));
        return values.back();
      },
      /*mayTurn=*/true);
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
  return map(
      {tensor}, {b.getMultiDimIdentityMap(unsigned(tensor.rank()))},
      tensor.elementType(),
      [&](ArrayRef<Value> args) { return applyActivation(args[0]); },
      /*mayTurn=*/true);
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
  if (random.chance(25))
    std::swap(tensor, other);
  return addTensors(tensor, other, random.chance(40));
}

Tensor Graph::addTensors(Tensor tensor, Tensor other, bool activates) {
  // A step in between may have turned one of them.
  if (tensor.value.getType() != other.value.getType() ||
      tensor.shape != other.shape)
    return tensor;
  bool isFloat = isa<FloatType>(tensor.elementType());
  if (random.chance(25))
    return result(
        isFloat
            ? arith::AddFOp::create(b, tensor.value, other.value).getOperation()
            : arith::AddIOp::create(b, tensor.value, other.value)
                  .getOperation(),
        tensor.shape);
  AffineMap identity = b.getMultiDimIdentityMap(unsigned(tensor.rank()));
  return map(
      {tensor, other}, {identity, identity}, tensor.elementType(),
      [&](ArrayRef<Value> args) -> Value {
        Value sum;
        if (isFloat)
          sum = random.chance(80)
                    ? Value(arith::AddFOp::create(b, args[0], args[1]))
                    : Value(arith::MulFOp::create(b, args[0], args[1]));
        else
          sum = arith::AddIOp::create(b, args[0], args[1]);
        return activates ? applyActivation(sum) : sum;
      },
      /*mayTurn=*/true);
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
