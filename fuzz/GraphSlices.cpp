//===-- GraphSlices.cpp - Random slices of other ranks --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices whose dims of one element are left out, or put in, at places that are
// stated, constant or computed, in steps.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

Tensor Graph::reducedSlice(Tensor tensor) {
  if (tensor.rank() == 0 || tensor.size() == 0)
    return {};
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape, types;
  for (int64_t size : tensor.shape) {
    int64_t offset = 0, stride = 1, part = size;
    bool isUnit = random.chance(45);
    if (isUnit || random.chance(25))
      offset = random.range(0, size - 1);
    if (isUnit || random.chance(20))
      stride = random.range(1, 3);
    int64_t most = (size - offset - 1) / stride + 1;
    part = isUnit ? 1 : random.chance(70) ? most : random.range(1, most);
    offsets.push_back(anyNumber(offset));
    strides.push_back(random.chance(85) ? OpFoldResult(b.getIndexAttr(stride))
                                        : anyNumber(stride));
    bool isHidden = random.chance(12);
    sizes.push_back(isHidden ? OpFoldResult(unknownNumber(part))
                             : OpFoldResult(b.getIndexAttr(part)));
    if (part == 1 && !isHidden && random.chance(65))
      continue;
    shape.push_back(part);
    types.push_back(isHidden ? ShapedType::kDynamic : part);
  }
  return result(tensor::ExtractSliceOp::create(
                    b, RankedTensorType::get(types, tensor.elementType()),
                    tensor.value, offsets, sizes, strides),
                shape);
}

Tensor Graph::reducedInsert(Tensor tensor) {
  if (tensor.size() == 0 || tensor.size() > 2000 || tensor.rank() > 4)
    return {};
  SmallVector<OpFoldResult> offsets, sizes, strides, wide;
  SmallVector<int64_t> shape;
  auto add = [&](int64_t size, OpFoldResult stated) {
    int64_t low = random.range(0, 2), high = random.range(0, 1),
            stride = random.chance(75) ? 1 : 2;
    offsets.push_back(anyNumber(low));
    sizes.push_back(stated);
    strides.push_back(b.getIndexAttr(stride));
    shape.push_back(low + (size - 1) * stride + 1 + high);
    wide.push_back(random.chance(90)
                       ? OpFoldResult(b.getIndexAttr(shape.back()))
                       : OpFoldResult(unknownNumber(shape.back())));
  };
  int64_t more = std::min<int64_t>(random.range(0, 3), 5 - tensor.rank());
  for (int64_t at = 0; at <= tensor.rank(); ++at) {
    for (; more > 0 && random.chance(at == tensor.rank() ? 100 : 35); --more)
      add(1, b.getIndexAttr(1));
    if (at < tensor.rank())
      add(tensor.shape[at], dim(tensor, at));
  }
  bool isStatic = llvm::all_of(
      wide, [](OpFoldResult size) { return isa<Attribute>(size); });
  if (llvm::product_of(shape) > 5000)
    return {};
  Tensor into = isStatic && random.chance(50)
                    ? parameter(shape, tensor.elementType())
                    : filled(shape, wide, tensor.elementType(), 1);
  return result(tensor::InsertSliceOp::create(b, tensor.value, into.value,
                                              offsets, sizes, strides),
                shape);
}
