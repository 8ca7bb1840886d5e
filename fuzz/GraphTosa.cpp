//===-- GraphTosa.cpp - Random TOSA graphs --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TOSA as TensorFlow's and PyTorch's exporters write it; sizes are static.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===-- Graphs ------------------------------------------------------------===//

Tensor Graph::tosaStep(Tensor tensor) {
  bool isImage = tensor.rank() == 4;
  Type elementType = tensor.elementType();
  if (elementType.isInteger(32) && random.chance(70))
    return tosaRescale(tensor);
  bool isRootType = !elementType.isInteger(32);
  int64_t choice = random.range(0, 99);
  if (isImage && isRootType) {
    if (choice < 30)
      return tosaConv(tensor);
    if (choice < 38)
      return tosaTransposeConv(tensor);
    if (choice < 50)
      return tosaPool(tensor);
    if (choice < 55)
      return tosaMatmul(tensor);
  }
  if (choice < 72)
    return tosaElementwise(tensor);
  if (choice < 88)
    return tosaActivation(tensor);
  return tosaView(tensor);
}

void Graph::buildTosa() {
  isTosa = true;
  channelsLast = true;
  hasDynamic = false;
  if (random.chance(35))
    type = b.getI8Type();
  else if (type.isF64())
    type = b.getF32Type();
  int64_t channels = random.pick<int64_t>({1, 2, 3, 4, 8, 8, 16, 17});
  SmallVector<int64_t> shape{random.range(1, 2), random.range(2, 12),
                             random.range(2, 12), channels};
  tensors.push_back(argument(shape, type, pickKind()));
  int64_t steps = random.range(1, 6);
  for (int64_t i = 0; i < steps && budget > 0; ++i)
    if (Tensor next = tosaStep(pickTensor()))
      tensors.push_back(next);
}

//===-- Leaves ------------------------------------------------------------===//

Tensor Graph::tosaParameter(ArrayRef<int64_t> shape, Type elementType,
                            std::optional<ValueKind> kind) {
  ValueKind values = kind ? *kind : pickKind();
  if (random.chance(20))
    return argument(shape, elementType, values);
  std::string bytes = makeBytes(
      elementType, RankedTensorType::get(shape, elementType).getNumElements(),
      values, uint64_t(random.range(0, 999)));
  auto attr = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(shape, elementType),
      ArrayRef<char>(bytes.data(), bytes.size()));
  return result(tosa::ConstOp::create(b, attr.getType(), attr), shape);
}

Value Graph::tosaShape(ArrayRef<int64_t> sizes) {
  return tosa::ConstShapeOp::create(
      b, tosa::shapeType::get(b.getContext(), int(sizes.size())),
      b.getIndexTensorAttr(sizes));
}

Value Graph::tosaZero(Type elementType, int64_t value) {
  auto shaped = RankedTensorType::get({1}, elementType);
  Attribute element =
      isa<FloatType>(elementType)
          ? Attribute(b.getFloatAttr(elementType, double(value)))
          : Attribute(b.getIntegerAttr(elementType, value));
  return tosa::ConstOp::create(b, shaped,
                               DenseElementsAttr::get(shaped, element));
}

//===-- Elementwise ops and views -----------------------------------------===//

Tensor Graph::tosaElementwise(Tensor tensor) {
  Type elementType = tensor.elementType();
  if (elementType.isInteger(8))
    return tosaActivation(tensor);
  SmallVector<int64_t> shape = tensor.shape;
  if (random.chance(60)) {
    for (size_t dim = 0; dim + 1 < shape.size(); ++dim)
      shape[dim] = 1;
  } else if (random.chance(30)) {
    shape.assign(shape.size(), 1);
  }
  Tensor other = tosaParameter(shape, elementType);
  for (const Tensor &old : tensors)
    if (old.value.getType() == tensor.value.getType() &&
        old.value != tensor.value && random.chance(50))
      other = old;
  Type tensorType = tensor.value.getType();
  switch (random.range(0, 3)) {
  case 0:
    return result(tosa::AddOp::create(b, tensorType, tensor.value, other.value),
                  tensor.shape);
  case 1:
    return result(tosa::SubOp::create(b, tensorType, tensor.value, other.value),
                  tensor.shape);
  case 2:
    return result(
        tosa::MaximumOp::create(b, tensorType, tensor.value, other.value),
        tensor.shape);
  default: {
    Value shift = tosaZero(b.getI8Type());
    return result(
        tosa::MulOp::create(b, tensorType, tensor.value, other.value, shift),
        tensor.shape);
  }
  }
}

Tensor Graph::tosaActivation(Tensor tensor) {
  Type elementType = tensor.elementType();
  Type tensorType = tensor.value.getType();
  auto clamp = [&]() {
    double low = random.chance(70) ? 0 : -1, high = random.chance(50) ? 6 : 100;
    auto attr = [&](double value) -> Attribute {
      if (isa<FloatType>(elementType))
        return b.getFloatAttr(elementType, value);
      return b.getIntegerAttr(elementType, int64_t(value));
    };
    auto mode = tosa::NanPropagationModeAttr::get(
        b.getContext(), random.chance(80) ? tosa::NanPropagationMode::PROPAGATE
                                          : tosa::NanPropagationMode::IGNORE);
    return result(tosa::ClampOp::create(b, tensorType, tensor.value, attr(low),
                                        attr(high), mode),
                  tensor.shape);
  };
  if (!isa<FloatType>(elementType))
    return clamp();
  switch (random.range(0, 4)) {
  case 0:
    return result(tosa::SigmoidOp::create(b, tensorType, tensor.value),
                  tensor.shape);
  case 1:
    return result(tosa::TanhOp::create(b, tensorType, tensor.value),
                  tensor.shape);
  case 2:
    return result(tosa::ExpOp::create(b, tensorType, tensor.value),
                  tensor.shape);
  default:
    return clamp();
  }
}

Tensor Graph::tosaView(Tensor tensor) {
  Type elementType = tensor.elementType();
  int64_t rank = tensor.rank();
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, elementType);
  };
  switch (random.range(0, 4)) {
  case 0: {
    // To channels-first and back.
    if (rank != 4)
      return {};
    SmallVector<int32_t> to{0, 3, 1, 2}, from{0, 2, 3, 1};
    ArrayRef<int64_t> s = tensor.shape;
    SmallVector<int64_t> shape{s[0], s[3], s[1], s[2]};
    Value first = tosa::TransposeOp::create(b, typeOf(shape), tensor.value, to);
    Tensor middle = tosaActivation({first, SmallVector<int64_t>(shape)});
    return result(tosa::TransposeOp::create(b, tensor.value.getType(),
                                            middle.value, from),
                  tensor.shape);
  }
  case 1: {
    SmallVector<int64_t> shape = tensor.shape, starts(size_t(rank), 0);
    int64_t dim = random.range(0, rank - 1);
    starts[dim] = random.range(0, shape[dim] - 1);
    shape[dim] = random.range(1, shape[dim] - starts[dim]);
    Value start = tosaShape(starts);
    Value size = tosaShape(shape);
    return result(
        tosa::SliceOp::create(b, typeOf(shape), tensor.value, start, size),
        shape);
  }
  case 2: {
    SmallVector<int64_t> pads, shape;
    for (int64_t dim = 0; dim < rank; ++dim) {
      bool isSpatial = dim > 0 && dim + 1 < rank;
      int64_t low = isSpatial ? random.range(0, 2) : 0,
              high = isSpatial ? random.range(0, 2) : 0;
      pads.append({low, high});
      shape.push_back(low + tensor.shape[dim] + high);
    }
    Value sizes = tosaShape(pads);
    Value zero = tosaZero(elementType);
    return result(
        tosa::PadOp::create(b, typeOf(shape), tensor.value, sizes, zero),
        shape);
  }
  case 3: {
    SmallVector<int64_t> shape = tensor.shape;
    int64_t axis = random.range(0, rank - 1);
    shape[axis] *= 2;
    if (typeOf(shape).getNumElements() > 6000)
      return {};
    return result(tosa::ConcatOp::create(b, typeOf(shape),
                                         ValueRange{tensor.value, tensor.value},
                                         uint32_t(axis)),
                  shape);
  }
  default: {
    if (elementType.isInteger(8))
      return {};
    SmallVector<int64_t> shape = tensor.shape;
    int64_t axis = random.range(0, rank - 1);
    shape[axis] = 1;
    auto axisAttr = b.getI32IntegerAttr(int32_t(axis));
    if (random.chance(50))
      return result(
          tosa::ReduceSumOp::create(b, typeOf(shape), tensor.value, axisAttr),
          shape);
    return result(
        tosa::ReduceMaxOp::create(b, typeOf(shape), tensor.value, axisAttr),
        shape);
  }
  }
}

/// From i32 to i8, as behind every quantized root.
Tensor Graph::tosaRescale(Tensor tensor) {
  if (!tensor.elementType().isInteger(32))
    return {};
  bool perChannel = random.chance(50);
  int64_t count = perChannel ? tensor.shape.back() : 1;
  SmallVector<int32_t> multipliers;
  SmallVector<int8_t> shifts;
  for (int64_t i = 0; i < count; ++i) {
    multipliers.push_back(int32_t(random.range(1 << 30, 2147483647)));
    shifts.push_back(int8_t(random.range(31, 42)));
  }
  auto multiplierType = RankedTensorType::get({count}, b.getI32Type());
  auto shiftType = RankedTensorType::get({count}, b.getI8Type());
  Value multiplier = tosa::ConstOp::create(
      b, multiplierType,
      DenseElementsAttr::get(multiplierType, ArrayRef<int32_t>(multipliers)));
  Value shift = tosa::ConstOp::create(
      b, shiftType,
      DenseElementsAttr::get(shiftType, ArrayRef<int8_t>(shifts)));
  Value inputZero = tosaZero(b.getI32Type());
  Value outputZero = tosaZero(b.getI8Type(), random.range(-10, 10));
  auto rounding = random.chance(50) ? tosa::RoundingMode::SINGLE_ROUND
                                    : tosa::RoundingMode::DOUBLE_ROUND;
  return result(tosa::RescaleOp::create(
                    b, RankedTensorType::get(tensor.shape, b.getI8Type()),
                    tensor.value, multiplier, shift, inputZero, outputZero,
                    /*scale32=*/true, rounding, perChannel,
                    /*input_unsigned=*/false, /*output_unsigned=*/false),
                tensor.shape);
}
