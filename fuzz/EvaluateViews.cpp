//===-- EvaluateViews.cpp - Constants and views in numbers ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, slices, padding, concatenation.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

//===----------------------------------------------------------------------===//
// Constants and shapes
//===----------------------------------------------------------------------===//

llvm::Error Evaluator::runConstant(Operation *op) {
  Attribute attr = cast<arith::ConstantOp>(op).getValue();
  Value result = op->getResult(0);
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    setInt(result, number.getValue().getSExtValue());
    return llvm::Error::success();
  }
  Type type = getElementTypeOrSelf(result.getType());
  auto shaped = dyn_cast<RankedTensorType>(result.getType());
  Array array(type, shaped ? shaped.getShape() : ArrayRef<int64_t>());
  auto fromAPFloat = [&](const APFloat &number) {
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    return readNumber(type, reinterpret_cast<const char *>(&bits));
  };
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    array.numbers[0] = fromAPFloat(number.getValue());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (isa<FloatType>(type)) {
      for (auto [number, element] :
           llvm::zip_equal(array.numbers, dense.getValues<APFloat>()))
        number = fromAPFloat(element);
    } else {
      for (auto [number, element] :
           llvm::zip_equal(array.numbers, dense.getValues<APInt>()))
        number = Number::ofInt(element.getSExtValue());
    }
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return makeError(op, "no blob");
    array = Array::fromBytes(type, shaped.getShape(), blob->getData());
  } else {
    return makeError(op, "unknown constant");
  }
  set(result, std::move(array));
  return llvm::Error::success();
}

/// What the reducer makes may compute sizes that nothing can have.
static llvm::Error checkSizes(Operation *op, ArrayRef<int64_t> sizes) {
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return makeError(op, "negative size");
  return llvm::Error::success();
}

llvm::Error Evaluator::runShape(Operation *op) {
  Value result = op->getResult(0);
  Type elementType = getElementTypeOrSelf(result.getType());
  // The sizes of a reshape's result; the elements stay.
  auto reshape = [&](ArrayRef<int64_t> shape) -> llvm::Error {
    Array array = get(op->getOperand(0));
    // What the reducer makes may be no reshape any more.
    if (llvm::any_of(shape, [](int64_t size) { return size < 0; }) ||
        llvm::product_of(shape) != int64_t(array.numbers.size()))
      return makeError(op, "another number of elements");
    array.shape.assign(shape.begin(), shape.end());
    set(result, std::move(array));
    return llvm::Error::success();
  };
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case([&](tensor::EmptyOp empty) -> llvm::Error {
        SmallVector<int64_t> shape = getInts(empty.getMixedSizes());
        if (llvm::Error error = checkSizes(op, shape))
          return error;
        Array array(elementType, shape);
        for (Number &number : array.numbers)
          number = Number::anything();
        set(result, std::move(array));
        return llvm::Error::success();
      })
      .Case([&](tensor::ExpandShapeOp expand) -> llvm::Error {
        return reshape(getInts(expand.getMixedOutputShape()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> llvm::Error {
        SmallVector<int64_t> shape;
        ArrayRef<int64_t> source = get(collapse.getSrc()).shape;
        for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
          shape.push_back(1);
          for (int64_t dim : group)
            shape.back() *= source[dim];
        }
        return reshape(shape);
      })
      .Case([&](tensor::ReshapeOp op) -> llvm::Error {
        SmallVector<int64_t> shape;
        for (const Number &size : get(op.getShape()).numbers)
          shape.push_back(size.integer);
        return reshape(shape);
      })
      .Case(
          [&](tensor::CastOp) { return reshape(get(op->getOperand(0)).shape); })
      .Case([&](tensor::DimOp dim) -> llvm::Error {
        setInt(result, get(dim.getSource()).shape[getInt(dim.getIndex())]);
        return llvm::Error::success();
      })
      .Case([&](tensor::FromElementsOp from) -> llvm::Error {
        Array array(elementType, from.getType().getShape());
        for (auto [number, element] :
             llvm::zip_equal(array.numbers, from.getElements()))
          number = get(element).numbers[0];
        set(result, std::move(array));
        return llvm::Error::success();
      })
      .Case([&](tensor::ExtractOp extract) -> llvm::Error {
        const Array &source = get(extract.getTensor());
        SmallVector<int64_t> at;
        for (Value index : extract.getIndices())
          at.push_back(getInt(index));
        Array array(elementType, {});
        array.numbers[0] = source.numbers[getPlace(at, source.shape)];
        set(result, std::move(array));
        return llvm::Error::success();
      })
      .Case([&](tensor::SplatOp splat) -> llvm::Error {
        SmallVector<int64_t> shape(splat.getType().getShape());
        auto size = splat.getDynamicSizes().begin();
        for (int64_t &dim : shape)
          if (ShapedType::isDynamic(dim))
            dim = getInt(*size++);
        if (llvm::Error error = checkSizes(op, shape))
          return error;
        Array array(elementType, shape);
        for (Number &number : array.numbers)
          number = get(splat.getInput()).numbers[0];
        set(result, std::move(array));
        return llvm::Error::success();
      })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto apply) -> llvm::Error {
            SmallVector<Attribute> operands;
            Builder builder(op->getContext());
            for (Value operand : op->getOperands())
              operands.push_back(builder.getIndexAttr(getInt(operand)));
            SmallVector<int64_t> folded;
            SmallVector<Attribute> attrs;
            if (failed(apply.getMap().constantFold(operands, attrs)))
              return makeError(op, "not a number");
            for (Attribute attr : attrs)
              folded.push_back(cast<IntegerAttr>(attr).getInt());
            setInt(result, isa<affine::AffineMaxOp>(op)
                               ? *llvm::max_element(folded)
                               : *llvm::min_element(folded));
            return llvm::Error::success();
          })
      .Default([&](Operation *) -> llvm::Error {
        return makeError(op, "unknown op");
      });
}

//===----------------------------------------------------------------------===//
// Slices, padding, concatenation
//===----------------------------------------------------------------------===//

/// Calls with the linear places in the slice and in the whole; false if a place
/// is outside.
static bool forEachInSlice(ArrayRef<int64_t> whole, ArrayRef<int64_t> offsets,
                           ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                           llvm::function_ref<void(int64_t, int64_t)> callee) {
  if (llvm::is_contained(sizes, 0))
    return true;
  SmallVector<int64_t> position(sizes.size(), 0), at(sizes.size());
  int64_t index = 0;
  do {
    for (size_t dim = 0; dim < at.size(); ++dim) {
      at[dim] = offsets[dim] + position[dim] * strides[dim];
      if (at[dim] < 0 || at[dim] >= whole[dim])
        return false;
    }
    callee(index++, getPlace(at, whole));
  } while (nextPosition(position, sizes));
  return true;
}

llvm::Error Evaluator::runSlice(Operation *op) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  SmallVector<int64_t> offsets = getInts(slice.getMixedOffsets()),
                       sizes = getInts(slice.getMixedSizes()),
                       strides = getInts(slice.getMixedStrides());
  if (llvm::Error error = checkSizes(op, sizes))
    return error;
  bool inside;
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    const Array &source = get(extract.getSource());
    SmallVector<int64_t> shape;
    llvm::SmallBitVector dropped = extract.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        shape.push_back(size);
    Array result(source.elementType, shape);
    inside = forEachInSlice(source.shape, offsets, sizes, strides,
                            [&](int64_t part, int64_t whole) {
                              result.numbers[part] = source.numbers[whole];
                            });
    set(op->getResult(0), std::move(result));
  } else {
    auto insert = cast<tensor::InsertSliceOp>(op);
    const Array &source = get(insert.getSource());
    Array result = get(insert.getDest());
    if (!insert.hasUnitStride())
      for (Number &number : result.numbers)
        number.isGap = number.value == 0 && number.error == 0;
    inside = forEachInSlice(result.shape, offsets, sizes, strides,
                            [&](int64_t part, int64_t whole) {
                              result.numbers[whole] = source.numbers[part];
                            });
    set(op->getResult(0), std::move(result));
  }
  return inside ? llvm::Error::success() : makeError(op, "out of bounds");
}

/// Whether an image has zeros between its elements, or would have, were there
/// more of them.
static bool isZeroInserted(Value image) {
  while (true) {
    if (auto pad = image.getDefiningOp<tensor::PadOp>())
      image = pad.getSource();
    else if (auto slice = image.getDefiningOp<tensor::ExtractSliceOp>())
      image = slice.getSource();
    else
      break;
  }
  auto insertion = image.getDefiningOp<tensor::InsertSliceOp>();
  return insertion && !insertion.hasUnitStride();
}

llvm::Error Evaluator::runPad(Operation *op) {
  auto pad = cast<tensor::PadOp>(op);
  const Array &source = get(pad.getSource());
  SmallVector<int64_t> low = getInts(pad.getMixedLowPad()),
                       high = getInts(pad.getMixedHighPad()), shape;
  for (auto [dim, size] : llvm::enumerate(source.shape))
    shape.push_back(low[dim] + size + high[dim]);
  Value padding = pad.getConstantPaddingValue();
  if (!padding)
    return makeError(op, "padding that is no constant");
  if (llvm::Error error = checkSizes(op, shape))
    return error;
  // A constant in the body may not have been evaluated.
  if (Operation *constant = padding.getDefiningOp<arith::ConstantOp>())
    if (llvm::Error error = runConstant(constant))
      return error;
  Array result(source.elementType, shape);
  Number outside = get(padding).numbers[0];
  outside.isGap = outside.value == 0 && outside.error == 0 &&
                  isZeroInserted(pad.getSource());
  llvm::fill(result.numbers, outside);
  SmallVector<int64_t> position(shape.size(), 0), at(shape.size());
  int64_t index = 0;
  if (!source.numbers.empty())
    do {
      bool inside = true;
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        at[dim] = position[dim] + low[dim];
        inside &= at[dim] >= 0 && at[dim] < shape[dim];
      }
      if (inside)
        result.numbers[getPlace(at, shape)] = source.numbers[index];
      ++index;
    } while (nextPosition(position, source.shape));
  set(op->getResult(0), std::move(result));
  return llvm::Error::success();
}

llvm::Error Evaluator::runConcat(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t dim = concat.getDim();
  SmallVector<int64_t> shape = get(concat.getInputs()[0]).shape;
  shape[dim] = 0;
  for (Value input : concat.getInputs())
    shape[dim] += get(input).shape[dim];
  Array result(getElementTypeOrSelf(op->getResult(0).getType()), shape);
  SmallVector<int64_t> offsets(shape.size(), 0), ones(shape.size(), 1);
  for (Value input : concat.getInputs()) {
    const Array &source = get(input);
    for (int64_t other = 0; other < int64_t(shape.size()); ++other)
      if (other != dim && source.shape[other] != shape[other])
        return makeError(op, "sizes that differ");
    forEachInSlice(shape, offsets, source.shape, ones,
                   [&](int64_t part, int64_t whole) {
                     result.numbers[whole] = source.numbers[part];
                   });
    offsets[dim] += source.shape[dim];
  }
  set(op->getResult(0), std::move(result));
  return llvm::Error::success();
}
