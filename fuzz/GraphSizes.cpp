//===-- GraphSizes.cpp - Sizes that types know or do not ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts, numbers that only an argument's shape tells, and windows that do not
// reach all of their image.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

/// The same tensor, of whose sizes the type tells more or fewer.
Tensor Graph::castSizes(Tensor tensor) {
  SmallVector<int64_t> sizes(tensor.type().getShape());
  for (auto [size, known] : llvm::zip_equal(sizes, tensor.shape))
    if (random.chance(50))
      size = random.chance(60) ? ShapedType::kDynamic : known;
  auto type = RankedTensorType::get(sizes, tensor.elementType());
  if (type == tensor.type())
    return tensor;
  return {tensor::CastOp::create(b, type, tensor.value), tensor.shape};
}

/// The same tensor, of sizes that only arguments' shapes tell.
Tensor Graph::hideSizes(Tensor tensor, ArrayRef<int64_t> hidden) {
  SmallVector<OpFoldResult> offsets(tensor.shape.size(), b.getIndexAttr(0)),
      steps(tensor.shape.size(), b.getIndexAttr(1)), sizes = dims(tensor);
  for (int64_t dim : hidden)
    sizes[dim] = unknownSize(tensor.shape[dim]);
  return result(
      tensor::ExtractSliceOp::create(b, tensor.value, offsets, sizes, steps),
      tensor.shape);
}

/// A number that only the shape of an argument tells, also below zero.
Value Graph::unknownNumber(int64_t number) {
  if (number > 0 && random.chance(60))
    return unknownSize(number);
  int64_t more = random.range(0, 2);
  Value size = unknownSize(std::max<int64_t>(number, 0) + more);
  Value less =
      arith::ConstantIndexOp::create(b, std::max<int64_t>(-number, 0) + more);
  return arith::SubIOp::create(b, size, less);
}

/// An attribute, a constant, or a number that is known at run time.
OpFoldResult Graph::anyNumber(int64_t number) {
  if (random.chance(60))
    return b.getIndexAttr(number);
  if (random.chance(50))
    return Value(arith::ConstantIndexOp::create(b, number));
  return unknownNumber(number);
}

/// How many windows there are along a dim: all that fit, or where they are
/// loose any number that an argument or the result's type states.
OpFoldResult Graph::windowCount(OpFoldResult size, int64_t known, int64_t reach,
                                int64_t stride, bool isLoose, int64_t &count) {
  count = (known - reach) / stride + 1;
  // A window of nothing that is read once would be read at -1.
  if (!isLoose || reach <= 0 || random.chance(30))
    return windowSize(size, -reach, stride);
  if (count > 1 && random.chance(70))
    count -= random.range(1, std::min<int64_t>(count - 1, 3));
  return random.chance(60) ? OpFoldResult(b.getIndexAttr(count))
                           : OpFoldResult(unknownSize(count));
}
