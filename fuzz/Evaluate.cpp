//===-- Evaluate.cpp - What a graph means ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, functions, control flow, and which op is evaluated where.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

llvm::Error fuzz::makeError(Operation *op, const Twine &text) {
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

int64_t fuzz::getPlace(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
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
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return getInt(assertion.getArg()) != 0
               ? llvm::Error::success()
               : llvm::createStringError("reference: an assertion fails: " +
                                         assertion.getMsg());
  if (isa<tensor::GatherOp, tensor::ScatterOp, tensor::BitcastOp,
          linalg::PackOp, linalg::UnPackOp>(op))
    return runMove(op);
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
