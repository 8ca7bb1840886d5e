//===-- Evaluate.cpp - What a graph means ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops outside of linalg: constants, views, control flow, calls.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

static llvm::Error makeError(Operation *op, const Twine &text) {
  return llvm::createStringError("reference: " + op->getName().getStringRef() +
                                 ": " + text);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

Array::Array(Type elementType, ArrayRef<int64_t> shape)
    : elementType(elementType), shape(shape) {
  int64_t size = 1;
  for (int64_t dim : shape)
    size *= dim;
  numbers.resize(size_t(size));
}

unsigned fuzz::getElementBytes(Type elementType) {
  return llvm::divideCeil(
      elementType.isIndex() ? 64 : elementType.getIntOrFloatBitWidth(), 8);
}

Number fuzz::readNumber(Type elementType, const char *bytes) {
  uint64_t bits = 0;
  memcpy(&bits, bytes, getElementBytes(elementType));
  if (auto type = dyn_cast<FloatType>(elementType)) {
    llvm::APFloat number(type.getFloatSemantics(),
                         APInt(type.getWidth(), bits));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return Number::ofFloat(number.convertToDouble());
  }
  return Number::ofInt(NumberType(elementType).wrap(int64_t(bits)));
}

Array Array::fromBytes(Type elementType, ArrayRef<int64_t> shape,
                       ArrayRef<char> bytes) {
  Array array(elementType, shape);
  unsigned size = getElementBytes(elementType);
  for (auto [index, number] : llvm::enumerate(array.numbers))
    number = readNumber(elementType, bytes.data() + index * size);
  return array;
}

bool fuzz::nextPosition(MutableArrayRef<int64_t> position,
                        ArrayRef<int64_t> shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++position[dim] < shape[dim])
      return true;
    position[dim] = 0;
  }
  return false;
}

static int64_t getPlace(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [at, size] : llvm::zip_equal(position, shape))
    index = index * size + at;
  return index;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Array &Evaluator::get(Value value) { return *values.find(value)->second; }

int64_t Evaluator::getInt(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attr).getInt();
  return get(cast<Value>(value)).numbers[0].integer;
}

SmallVector<int64_t> Evaluator::getInts(ArrayRef<OpFoldResult> list) {
  return llvm::map_to_vector(list,
                             [&](OpFoldResult value) { return getInt(value); });
}

void Evaluator::set(Value value, Array array) {
  values[value] = std::make_shared<const Array>(std::move(array));
}

void Evaluator::setInt(Value value, int64_t integer) {
  Array array(value.getType(), {});
  array.numbers[0] = Number::ofInt(integer);
  set(value, std::move(array));
}

llvm::Error Evaluator::count(int64_t steps) {
  stepsLeft -= steps;
  if (stepsLeft < 0)
    return llvm::createStringError("reference: too many steps");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions and control flow
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<Array>>
Evaluator::call(func::FuncOp function, std::vector<Array> arguments) {
  std::vector<Shared> shared;
  for (Array &array : arguments)
    shared.push_back(std::make_shared<const Array>(std::move(array)));
  auto results = runBlock(function.front(), shared);
  if (!results)
    return results.takeError();
  std::vector<Array> arrays;
  for (const Shared &result : *results)
    arrays.push_back(*result);
  return arrays;
}

llvm::Expected<std::vector<Evaluator::Shared>>
Evaluator::runBlock(Block &block, ArrayRef<Shared> arguments) {
  for (auto [argument, array] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = array;
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = run(&op))
      return error;
  std::vector<Shared> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(values.find(operand)->second);
  return results;
}

llvm::Error Evaluator::runControl(Operation *op) {
  std::vector<Shared> results;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    const Number &condition = get(branch.getCondition()).numbers[0];
    if (condition.error > 0)
      return makeError(op, "the branch is unclear");
    Region &region =
        condition.integer ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return llvm::Error::success();
    auto yielded = runBlock(region.front(), {});
    if (!yielded)
      return yielded.takeError();
    results = std::move(*yielded);
  } else {
    auto loop = cast<scf::ForOp>(op);
    for (Value init : loop.getInitArgs())
      results.push_back(values.find(init)->second);
    int64_t upper = getInt(loop.getUpperBound());
    int64_t step = getInt(loop.getStep());
    for (int64_t i = getInt(loop.getLowerBound()); i < upper; i += step) {
      setInt(loop.getInductionVar(), i);
      std::vector<Shared> arguments{
          values.find(loop.getInductionVar())->second};
      llvm::append_range(arguments, results);
      auto yielded = runBlock(*loop.getBody(), arguments);
      if (!yielded)
        return yielded.takeError();
      results = std::move(*yielded);
    }
  }
  for (auto [value, array] : llvm::zip_equal(op->getResults(), results))
    values[value] = array;
  return llvm::Error::success();
}

llvm::Error Evaluator::runCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto function = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!function || function.isExternal())
    return makeError(op, "no body");
  std::vector<Shared> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back(values.find(operand)->second);
  auto results = runBlock(function.front(), arguments);
  if (!results)
    return results.takeError();
  for (auto [value, array] : llvm::zip_equal(op->getResults(), *results))
    values[value] = array;
  return llvm::Error::success();
}

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

llvm::Error Evaluator::runShape(Operation *op) {
  Value result = op->getResult(0);
  Type elementType = getElementTypeOrSelf(result.getType());
  // The sizes of a reshape's result; the elements stay.
  auto reshape = [&](ArrayRef<int64_t> shape) -> llvm::Error {
    Array array = get(op->getOperand(0));
    array.shape.assign(shape.begin(), shape.end());
    set(result, std::move(array));
    return llvm::Error::success();
  };
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case([&](tensor::EmptyOp empty) -> llvm::Error {
        Array array(elementType, getInts(empty.getMixedSizes()));
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
    inside = forEachInSlice(result.shape, offsets, sizes, strides,
                            [&](int64_t part, int64_t whole) {
                              result.numbers[whole] = source.numbers[part];
                            });
    set(op->getResult(0), std::move(result));
  }
  return inside ? llvm::Error::success() : makeError(op, "out of bounds");
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
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return makeError(op, "negative size");
  // A constant in the body may not have been evaluated.
  if (Operation *constant = padding.getDefiningOp<arith::ConstantOp>())
    if (llvm::Error error = runConstant(constant))
      return error;
  Array result(source.elementType, shape);
  for (Number &number : result.numbers)
    number = get(padding).numbers[0];
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
    forEachInSlice(shape, offsets, source.shape, ones,
                   [&](int64_t part, int64_t whole) {
                     result.numbers[whole] = source.numbers[part];
                   });
    offsets[dim] += source.shape[dim];
  }
  set(op->getResult(0), std::move(result));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

llvm::Error Evaluator::run(Operation *op) {
  if (isa<linalg::GenericOp>(op))
    return runGeneric(op);
  // Conversions leave some that nobody reads.
  if (op->use_empty() && op->getNumResults() > 0 && op->getNumRegions() == 0)
    return llvm::Error::success();
  if (isa<arith::ConstantOp>(op))
    return runConstant(op);
  if (isa<scf::IfOp, scf::ForOp>(op))
    return runControl(op);
  if (isa<func::CallOp>(op))
    return runCall(op);
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return runSlice(op);
  if (isa<tensor::PadOp>(op))
    return runPad(op);
  if (isa<tensor::ConcatOp>(op))
    return runConcat(op);
  auto scalar = ScalarOp::get(op);
  if (!scalar)
    return runShape(op);
  SmallVector<Number, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand).numbers[0]);
  if (operands.size() == 1)
    operands.push_back({});
  Array result(op->getResult(0).getType(), {});
  result.numbers[0] = scalar->evaluate(operands, precision);
  set(op->getResult(0), std::move(result));
  return llvm::Error::success();
}
