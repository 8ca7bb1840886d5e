//===-- GraphViews.cpp - Random views, reductions, control flow -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between roots in networks.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Tensor Graph::reshape(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (rank >= 2 && random.chance(50)) {
    int64_t at = random.range(0, rank - 2);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim == at + 1)
        groups.back().push_back(dim);
      else
        groups.push_back({dim});
    }
    SmallVector<int64_t> shape = tensor.shape;
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + at + 1);
    return result(tensor::CollapseShapeOp::create(b, tensor.value, groups),
                  shape);
  }
  if (rank == 0 || rank > 4 || !tensor.isStatic())
    return {};
  int64_t at = random.range(0, rank - 1), size = tensor.shape[at];
  int64_t factor = random.chance(40) || size == 0 ? 1 : random.range(1, size);
  if (size % factor != 0)
    factor = size;
  if (factor == 0)
    return {};
  bool isFirst = random.chance(50);
  SmallVector<int64_t> shape = tensor.shape;
  shape[at] = isFirst ? factor : size / factor;
  shape.insert(shape.begin() + at + 1, isFirst ? size / factor : factor);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, to = 0; dim < rank; ++dim) {
    groups.push_back({to++});
    if (dim == at)
      groups.back().push_back(to++);
  }
  return result(tensor::ExpandShapeOp::create(
                    b, RankedTensorType::get(shape, tensor.elementType()),
                    tensor.value, groups),
                shape);
}

Tensor Graph::transpose(Tensor tensor, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (int64_t from : permutation) {
    shape.push_back(tensor.shape[from]);
    sizes.push_back(dim(tensor, from));
  }
  Tensor init = empty(shape, sizes, tensor.elementType());
  if (random.chance(70))
    return result(
        linalg::TransposeOp::create(b, tensor.value, init.value, permutation),
        shape);
  // The same as a generic.
  unsigned rank = unsigned(tensor.rank());
  SmallVector<AffineExpr> exprs(rank);
  for (auto [to, from] : llvm::enumerate(permutation))
    exprs[from] = b.getAffineDimExpr(unsigned(to));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.value.getType()}, ValueRange{tensor.value},
      ValueRange{init.value},
      ArrayRef<AffineMap>{AffineMap::get(rank, 0, exprs, b.getContext()),
                          b.getMultiDimIdentityMap(rank)},
      iterators, [](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc, args[0]);
      });
  return result(op, shape);
}

Tensor Graph::randomTranspose(Tensor tensor) {
  int64_t rank = tensor.rank();
  // Upstream's verifier takes no empty permutation.
  if (rank == 0)
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank; ++dim)
    permutation.push_back(dim);
  if (rank >= 3 && random.chance(60)) {
    // To the other layout.
    bool toFirst = channelsLast;
    std::rotate(permutation.begin() + 1,
                toFirst ? permutation.end() - 1 : permutation.begin() + 2,
                permutation.end());
    if (rank == 4 || random.chance(50))
      channelsLast = !channelsLast;
  } else {
    for (size_t i = permutation.size(); i-- > 1;)
      std::swap(permutation[i],
                permutation[size_t(random.range(0, int64_t(i)))]);
  }
  return transpose(tensor, permutation);
}

Tensor Graph::concat(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (rank == 0)
    return {};
  int64_t at = random.chance(60) ? (channelsLast || rank < 3 ? rank - 1 : 1)
                                 : random.range(0, rank - 1);
  SmallVector<Value> inputs{tensor.value};
  SmallVector<int64_t> shape = tensor.shape;
  for (const Tensor &other : tensors) {
    bool fits = other.rank() == rank && inputs.size() < 3 &&
                other.elementType() == tensor.elementType();
    for (int64_t dim = 0; fits && dim < rank; ++dim)
      fits = dim == at || (other.shape[dim] == tensor.shape[dim] &&
                           other.type().getDimSize(unsigned(dim)) ==
                               tensor.type().getDimSize(unsigned(dim)));
    if (!fits || random.chance(30))
      continue;
    inputs.push_back(other.value);
    shape[at] += other.shape[at];
  }
  if (random.chance(40))
    std::reverse(inputs.begin(), inputs.end());
  if (tensor.size() > 5000)
    return {};
  return result(tensor::ConcatOp::create(b, at, inputs), shape);
}

Tensor Graph::slice(Tensor tensor) {
  if (!tensor.isStatic() || tensor.size() == 0 || tensor.rank() == 0)
    return {};
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  int64_t cut = random.range(0, tensor.rank() - 1);
  for (int64_t dim = 0; dim < tensor.rank(); ++dim) {
    int64_t size = tensor.shape[dim], offset = 0, stride = 1, part = size;
    if (dim == cut || random.chance(20)) {
      offset = random.range(0, size - 1);
      stride = random.chance(25) ? 2 : 1;
      part = random.range(1, (size - offset - 1) / stride + 1);
    }
    offsets.push_back(b.getIndexAttr(offset));
    sizes.push_back(b.getIndexAttr(part));
    strides.push_back(b.getIndexAttr(stride));
    shape.push_back(part);
  }
  return result(
      tensor::ExtractSliceOp::create(b, tensor.value, offsets, sizes, strides),
      shape);
}

Tensor Graph::insert(Tensor tensor) {
  if (!tensor.isStatic() || tensor.size() == 0 || tensor.size() > 3000)
    return {};
  SmallVector<OpFoldResult> offsets, sizes, strides, wide;
  SmallVector<int64_t> shape;
  for (int64_t size : tensor.shape) {
    int64_t low = random.range(0, 1), high = random.range(0, 1);
    offsets.push_back(b.getIndexAttr(low));
    sizes.push_back(b.getIndexAttr(size));
    strides.push_back(b.getIndexAttr(1));
    shape.push_back(low + size + high);
    wide.push_back(b.getIndexAttr(shape.back()));
  }
  Tensor into = random.chance(60) ? filled(shape, wide, tensor.elementType(), 0)
                                  : parameter(shape, tensor.elementType());
  return result(tensor::InsertSliceOp::create(b, tensor.value, into.value,
                                              offsets, sizes, strides),
                shape);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor Graph::reduceDims(Tensor tensor, ArrayRef<int64_t> reduced,
                         ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                         bool isMax) {
  Type elementType = tensor.elementType();
  bool isFloat = isa<FloatType>(elementType);
  Tensor init = filled(shape, sizes, elementType,
                       !isMax    ? 0
                       : isFloat ? -HUGE_VAL
                                 : -128);
  auto op = linalg::ReduceOp::create(
      b, tensor.value, init.value, reduced,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value next;
        if (isFloat)
          next = isMax ? Value(arith::MaximumFOp::create(builder, loc, args[0],
                                                         args[1]))
                       : Value(arith::AddFOp::create(builder, loc, args[0],
                                                     args[1]));
        else
          next = isMax ? Value(arith::MaxSIOp::create(builder, loc, args[0],
                                                      args[1]))
                       : Value(arith::AddIOp::create(builder, loc, args[0],
                                                     args[1]));
        linalg::YieldOp::create(builder, loc, next);
      });
  return result(op, shape);
}

Tensor Graph::reduce(Tensor tensor) {
  int64_t rank = tensor.rank();
  if (rank == 0)
    return {};
  int64_t at = random.range(0, rank - 1);
  SmallVector<int64_t> shape = tensor.shape;
  SmallVector<OpFoldResult> sizes = dims(tensor);
  shape.erase(shape.begin() + at);
  sizes.erase(sizes.begin() + at);
  bool isMax = random.chance(50);
  return reduceDims(tensor, at, shape, sizes, isMax);
}

Tensor Graph::softmax(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.size() == 0)
    return {};
  Tensor init = empty(tensor.shape, dims(tensor), tensor.elementType());
  return result(linalg::SoftmaxOp::create(
                    b, TypeRange{init.value.getType()}, tensor.value,
                    init.value, uint64_t(random.range(0, tensor.rank() - 1))),
                tensor.shape);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Of the same type, from nothing but `tensor` and constants.
Tensor Graph::sameShape(Tensor tensor) {
  int64_t last = std::max<int64_t>(tensor.rank() - 1, 0);
  Tensor next;
  if (random.chance(40) && tensor.rank() >= 3 && tensor.rank() <= 5) {
    next = sameConv(tensor, {channelsLast, tensor.rank()});
    if (next && random.chance(50))
      next = activation(next);
  } else if (random.chance(50)) {
    next = elementwise(tensor, last);
  }
  if (!next || next.value.getType() != tensor.value.getType() ||
      next.shape != tensor.shape)
    next = activation(tensor);
  return next.value.getType() == tensor.value.getType() &&
                 next.shape == tensor.shape
             ? next
             : tensor;
}

Tensor Graph::branch(Tensor tensor) {
  Tensor flag = argument({}, b.getI1Type(), ValueKind::Whole);
  Value condition = tensor::ExtractOp::create(b, flag.value, ValueRange());
  auto op = scf::IfOp::create(b, TypeRange{tensor.value.getType()}, condition,
                              /*withElseRegion=*/true);
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&region->front());
    Tensor inner = random.chance(80) ? sameShape(tensor) : tensor;
    scf::YieldOp::create(b, inner.value);
  }
  return result(op, tensor.shape);
}

Tensor Graph::loop(Tensor tensor) {
  Value low = arith::ConstantIndexOp::create(b, 0);
  Value high = arith::ConstantIndexOp::create(b, random.range(0, 3));
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto op = scf::ForOp::create(b, low, high, one, ValueRange{tensor.value});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    Tensor carried{op.getRegionIterArg(0), tensor.shape};
    Tensor inner = sameShape(carried);
    scf::YieldOp::create(b, inner.value);
  }
  return result(op, tensor.shape);
}

/// A private function that is called once or twice.
Tensor Graph::call(Tensor tensor) {
  Type tensorType = tensor.value.getType();
  func::FuncOp callee;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module->getBody());
    callee =
        func::FuncOp::create(b, ("part" + Twine(numSymbols++)).str(),
                             b.getFunctionType({tensorType}, {tensorType}));
    callee.setPrivate();
    b.setInsertionPointToStart(callee.addEntryBlock());
    Tensor inner = sameShape({callee.getArgument(0), tensor.shape});
    func::ReturnOp::create(b, inner.value);
  }
  Tensor first = result(
      func::CallOp::create(b, callee, ValueRange{tensor.value}), tensor.shape);
  if (random.chance(50))
    return first;
  return result(func::CallOp::create(b, callee, ValueRange{first.value}),
                tensor.shape);
}
