//===-- GraphBuilder.cpp - Leaves and sizes of random graphs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments, constants, and what results are written into.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

int64_t Tensor::size() const {
  int64_t size = 1;
  for (int64_t dim : shape)
    size *= dim;
  return size;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

ValueKind Graph::pickKind() {
  if (isSpecial && random.chance(40))
    return random.pick({ValueKind::Special, ValueKind::Extreme,
                        ValueKind::Special, ValueKind::Zero});
  return random.pick({ValueKind::Normal, ValueKind::Normal, ValueKind::Normal,
                      ValueKind::Whole, ValueKind::Whole,
                      ValueKind::Cancelling});
}

Tensor Graph::argument(ArrayRef<int64_t> shape, Type elementType,
                       ValueKind kind, ArrayRef<bool> dynamic) {
  SmallVector<int64_t> sizes(shape);
  for (auto [index, isDynamic] : llvm::enumerate(dynamic))
    if (isDynamic)
      sizes[index] = ShapedType::kDynamic;
  Type argumentType = RankedTensorType::get(sizes, elementType);
  Value value = function.front().addArgument(argumentType, b.getLoc());
  argumentAttrs.push_back(b.getDictionaryAttr(
      {b.getNamedAttr(kSeedAttr, b.getI64IntegerAttr(random.range(0, 999))),
       b.getNamedAttr(kShapeAttr, b.getDenseI64ArrayAttr(shape)),
       b.getNamedAttr(kValuesAttr,
                      b.getStringAttr(stringifyValueKind(kind)))}));
  return {value, SmallVector<int64_t>(shape)};
}

Tensor Graph::constant(ArrayRef<int64_t> shape, Type elementType,
                       ValueKind kind) {
  auto tensorType = RankedTensorType::get(shape, elementType);
  int64_t count = tensorType.getNumElements();
  // Another op of the same blob.
  if (random.chance(6))
    for (TypedAttr old : resources)
      if (old.getType() == tensorType)
        return {arith::ConstantOp::create(b, old), SmallVector<int64_t>(shape)};
  // All the same, now and then.
  bool isSplat = random.chance(12);
  std::string bytes = makeBytes(elementType, isSplat ? 1 : count, kind,
                                uint64_t(random.range(0, 999)));
  SmallVector<int64_t> sizes(shape);
  TypedAttr attr;
  // How bits that are no bytes lie in a blob, nobody says.
  bool hasBytes = elementType.isIntOrFloat() &&
                  elementType.getIntOrFloatBitWidth() % 8 == 0;
  if (!isSplat && hasBytes && count > 0 && random.chance(40)) {
    // Shared blobs come from parameters that are taken again.
    attr = DenseResourceElementsAttr::get(
        tensorType, "c",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(
            ArrayRef<char>(bytes.data(), bytes.size()), 64));
    resources.push_back(attr);
  } else if (count == 0) {
    attr = cast<TypedAttr>(
        DenseElementsAttr::get(tensorType, ArrayRef<Attribute>()));
  } else {
    attr = DenseElementsAttr::getFromRawBuffer(
        tensorType, ArrayRef<char>(bytes.data(), bytes.size()));
  }
  return {arith::ConstantOp::create(b, attr), sizes};
}

/// Elements of arguments are those that C has.
static bool hasCType(Type type) {
  return type.isIntOrFloat() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                            type.getIntOrFloatBitWidth());
}

/// Which dims of a parameter are known at run time only; mostly none.
SmallVector<bool> Graph::pickDynamic(size_t rank) {
  SmallVector<bool> dynamic;
  if (!hasDynamic || !random.chance(25))
    return dynamic;
  for (size_t dim = 0; dim < rank; ++dim)
    dynamic.push_back(random.chance(50));
  return dynamic;
}

Tensor Graph::parameter(ArrayRef<int64_t> shape, Type elementType,
                        std::optional<ValueKind> kind) {
  if (!kind && random.chance(15))
    for (Tensor old : parameters)
      if (ArrayRef<int64_t>(old.shape) == shape &&
          old.elementType() == elementType &&
          old.value.getParentBlock() == b.getInsertionBlock())
        return old;
  ValueKind values = kind ? *kind : pickKind();
  if (!shape.empty() && !llvm::is_contained(shape, 0) && random.chance(6)) {
    // A part of a larger constant.
    SmallVector<int64_t> whole(shape);
    whole[0] += random.range(1, 2);
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1)), sizes;
    for (int64_t size : shape)
      sizes.push_back(b.getIndexAttr(size));
    offsets[0] = b.getIndexAttr(1);
    Tensor from = constant(whole, elementType, values);
    return result(
        tensor::ExtractSliceOp::create(b, from.value, offsets, sizes, strides),
        shape);
  }
  Tensor tensor =
      random.chance(20) && hasCType(elementType) &&
              b.getInsertionBlock() == &function.front()
          ? argument(shape, elementType, values, pickDynamic(shape.size()))
          : constant(shape, elementType, values);
  if (!kind)
    parameters.push_back(tensor);
  return tensor;
}

Value Graph::scalar(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  APInt number(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(),
               uint64_t(int64_t(value)), /*isSigned=*/true,
               /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
}

Value Graph::unknownSize(int64_t size) {
  // Other functions have no arguments for this.
  if (b.getInsertionBlock() != &function.front())
    return arith::ConstantIndexOp::create(b, size);
  Tensor ruler = argument({size}, b.getI8Type(), ValueKind::Zero, {true});
  Value first = arith::ConstantIndexOp::create(b, 0);
  return tensor::DimOp::create(b, ruler.value, first);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult Graph::dim(const Tensor &tensor, int64_t index) {
  return tensor::getMixedSize(b, b.getLoc(), tensor.value, index);
}

SmallVector<OpFoldResult> Graph::dims(const Tensor &tensor) {
  return tensor::getMixedSizes(b, b.getLoc(), tensor.value);
}

OpFoldResult Graph::windowSize(OpFoldResult size, int64_t add, int64_t divide) {
  AffineExpr expr = (b.getAffineDimExpr(0) + add).floorDiv(divide) + 1;
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(1, 0, expr), {size});
}

Tensor Graph::empty(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                    Type elementType) {
  return {tensor::EmptyOp::create(b, sizes, elementType),
          SmallVector<int64_t>(shape)};
}

Tensor Graph::filled(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                     Type elementType, double value) {
  Tensor destination = empty(shape, sizes, elementType);
  Value number = scalar(elementType, value);
  return result(linalg::FillOp::create(b, number, destination.value), shape);
}

Tensor Graph::initial(ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> sizes,
                      Type elementType, int64_t channel) {
  if (random.chance(75))
    return filled(shape, sizes, elementType, 0);
  if (random.chance(40))
    return filled(shape, sizes, elementType, random.chance(50) ? -0.5 : 1.25);
  if (channel < 0 || isa<Value>(sizes[channel]) || random.chance(25)) {
    bool isStatic = llvm::all_of(
        sizes, [](OpFoldResult size) { return isa<Attribute>(size); });
    if (!isStatic)
      return filled(shape, sizes, elementType, 0);
    return parameter(shape, elementType);
  }
  // A bias for each channel, whose size the op wants to be stated.
  Tensor bias = parameter({shape[channel]}, elementType);
  if (!bias.isStatic())
    return filled(shape, sizes, elementType, 0);
  Tensor destination = empty(shape, sizes, elementType);
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (dim != channel)
      others.push_back(dim);
  return result(
      linalg::BroadcastOp::create(b, bias.value, destination.value, others),
      shape);
}

Tensor Graph::result(Operation *op, ArrayRef<int64_t> shape) {
  return {op->getResult(0), SmallVector<int64_t>(shape)};
}
