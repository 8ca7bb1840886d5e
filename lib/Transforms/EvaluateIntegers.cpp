//===-- EvaluateIntegers.cpp - Integers known at compile time -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interpreter of integer sums, differences and products of one linalg op on
// constants, such as quantized weights less their zero point. It wraps where
// the code would.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "EvaluateConstants.h"
#include "Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fusion;

using linalg::LinalgOp;

/// Steps of an op's loops beyond which compile time would show.
static constexpr int64_t kMaxSteps = 1 << 25;
/// Elements of a result that may be more than those of its inputs.
static constexpr int64_t kMaxBroadcastElements = 4 * 1024;

/// The low `bits` of `value`, with its sign.
static int64_t wrap(uint64_t value, unsigned bits) {
  return llvm::SignExtend64(value, bits);
}

static bool isKnownType(Type type) {
  return type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64;
}

/// Calls `function` with an integer of `bytes` bytes.
template <typename Function>
static void withInteger(int64_t bytes, Function function) {
  switch (bytes) {
  case 1:
    return function(int8_t());
  case 2:
    return function(int16_t());
  case 4:
    return function(int32_t());
  default:
    return function(int64_t());
  }
}

namespace {
/// The elements of an operand, one for all steps of a loop of stride 0.
struct Operand {
  SmallVector<int64_t> elements, strides;
};

/// An op of the body, on slots of values.
struct Instruction {
  enum Kind { Copy, Mask, Add, Subtract, Multiply } kind;
  unsigned lhs, rhs, result, bits;
};

/// The body and the loops of one op.
class IntegerProgram {
public:
  explicit IntegerProgram(LinalgOp op) : op(op) {}
  /// False if `op` is anything but known arithmetic on constants.
  bool build();
  /// The elements of the result.
  SmallVector<int64_t> run();

private:
  bool addOperands();
  bool addInput(OpOperand &operand);
  bool addInstruction(Operation &inner);
  std::optional<unsigned> getSlot(Value value);
  unsigned addSlot(Value value, int64_t element = 0) {
    slots[value] = values.size();
    values.push_back(element);
    return values.size() - 1;
  }
  SmallVector<int64_t> getStrides(OpOperand &operand);

  LinalgOp op;
  SmallVector<int64_t> loops;
  /// Of inputs, then of the init: the first slots.
  SmallVector<Operand> operands;
  SmallVector<int64_t> values;
  llvm::DenseMap<Value, unsigned> slots;
  SmallVector<Instruction> instructions;
  unsigned yielded = 0;
};
} // namespace

SmallVector<int64_t> IntegerProgram::getStrides(OpOperand &operand) {
  return getLoopStrides(op.getMatchingIndexingMap(&operand),
                        op.getShape(&operand));
}

bool IntegerProgram::addInput(OpOperand &operand) {
  addSlot(op.getMatchingBlockArgument(&operand));
  Type type = getElementTypeOrSelf(operand.get());
  if (!isKnownType(type))
    return false;
  Operand &added = operands.emplace_back();
  added.strides.assign(loops.size(), 0);
  if (auto element =
          dyn_cast_or_null<IntegerAttr>(getConstantElement(operand.get()))) {
    added.elements.push_back(element.getValue().getSExtValue());
    return true;
  }
  ElementsAttr constant = getConstantTensor(operand.get());
  std::optional<ArrayRef<char>> raw =
      constant ? getRawElements(constant) : std::nullopt;
  int64_t bytes = getWholeBytes(type);
  if (!raw || bytes == 0 ||
      int64_t(raw->size()) != constant.getNumElements() * bytes)
    return false;
  auto read = [&](auto zero) {
    auto *from = reinterpret_cast<const decltype(zero) *>(raw->data());
    added.elements.assign(from, from + constant.getNumElements());
  };
  withInteger(bytes, read);
  added.strides = getStrides(operand);
  return true;
}

bool IntegerProgram::addOperands() {
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation(
            /*allowZeroInResults=*/true) ||
        !addInput(*input))
      return false;
  // The init is one number, or not read.
  OpOperand *init = op.getDpsInitOperand(0);
  addSlot(op.getMatchingBlockArgument(init));
  Operand &result = operands.emplace_back();
  result.strides = getStrides(*init);
  auto type = cast<RankedTensorType>(init->get().getType());
  int64_t start = 0;
  if (op.payloadUsesValueFromOperand(init)) {
    View view = lookThroughBroadcasts(
        {init->get(),
         AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext())});
    auto element =
        dyn_cast_or_null<IntegerAttr>(getConstantElement(view.value));
    if (!element)
      return false;
    start = element.getValue().getSExtValue();
  }
  result.elements.assign(type.getNumElements(), start);
  return true;
}

std::optional<unsigned> IntegerProgram::getSlot(Value value) {
  if (auto it = slots.find(value); it != slots.end())
    return it->second;
  IntegerAttr constant;
  if (!isKnownType(value.getType()) ||
      !matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  return addSlot(value, constant.getValue().getSExtValue());
}

bool IntegerProgram::addInstruction(Operation &inner) {
  using Kind = Instruction::Kind;
  auto kind = llvm::TypeSwitch<Operation *, std::optional<Kind>>(&inner)
                  .Case<arith::ExtSIOp, arith::TruncIOp>(
                      [](auto) { return Kind::Copy; })
                  .Case<arith::ExtUIOp>([](auto) { return Kind::Mask; })
                  .Case<arith::AddIOp>([](auto) { return Kind::Add; })
                  .Case<arith::SubIOp>([](auto) { return Kind::Subtract; })
                  .Case<arith::MulIOp>([](auto) { return Kind::Multiply; })
                  .Default([](Operation *) { return std::nullopt; });
  if (!kind || !isKnownType(inner.getResult(0).getType()))
    return false;
  std::optional<unsigned> lhs = getSlot(inner.getOperand(0)),
                          rhs = getSlot(inner.getOperands().back());
  if (!lhs || !rhs)
    return false;
  // A mask keeps the bits of what is extended.
  Type type = *kind == Kind::Mask ? inner.getOperand(0).getType()
                                  : inner.getResult(0).getType();
  instructions.push_back({*kind, *lhs, *rhs, addSlot(inner.getResult(0)),
                          type.getIntOrFloatBitWidth()});
  return true;
}

bool IntegerProgram::build() {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op->getNumRegions() != 1 || op.hasDynamicShape())
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init->get().getType());
  if (!isKnownType(type.getElementType()) ||
      getWholeBytes(type.getElementType()) == 0 ||
      !op.getMatchingIndexingMap(init).isProjectedPermutation())
    return false;
  loops = op.getStaticLoopRanges();
  int64_t steps = 1, largest = kMaxBroadcastElements;
  for (int64_t size : loops)
    if (size < 1 || llvm::MulOverflow(steps, size, steps) || steps > kMaxSteps)
      return false;
  for (Value input : op.getDpsInputs())
    if (auto inputType = dyn_cast<RankedTensorType>(input.getType()))
      largest = std::max(largest, inputType.getNumElements());
  if (type.getNumElements() > largest)
    return false;

  // What computes nothing is left to others.
  Block *body = op.getBlock();
  if (llvm::hasSingleElement(*body) || !addOperands())
    return false;
  for (Operation &inner : body->without_terminator())
    if (!inner.hasTrait<OpTrait::ConstantLike>() && !addInstruction(inner))
      return false;
  std::optional<unsigned> slot = getSlot(body->getTerminator()->getOperand(0));
  yielded = slot.value_or(0);
  return slot.has_value();
}

SmallVector<int64_t> IntegerProgram::run() {
  SmallVector<int64_t> index(loops.size(), 0), offsets(operands.size(), 0);
  SmallVector<int64_t> &result = operands.back().elements;
  for (;;) {
    for (auto [slot, operand] : llvm::enumerate(operands))
      values[slot] = operand.elements[offsets[slot]];
    for (const Instruction &step : instructions) {
      uint64_t lhs = values[step.lhs], rhs = values[step.rhs], value = lhs;
      switch (step.kind) {
      case Instruction::Copy:
        break;
      case Instruction::Mask:
        value &= llvm::maskTrailingOnes<uint64_t>(step.bits);
        break;
      case Instruction::Add:
        value += rhs;
        break;
      case Instruction::Subtract:
        value -= rhs;
        break;
      case Instruction::Multiply:
        value *= rhs;
        break;
      }
      // What is masked is narrower than the result.
      values[step.result] =
          step.kind == Instruction::Mask ? value : wrap(value, step.bits);
    }
    result[offsets.back()] = values[yielded];
    int64_t dim = loops.size() - 1;
    for (; dim >= 0; --dim) {
      bool isDone = ++index[dim] == loops[dim];
      for (auto [offset, operand] : llvm::zip_equal(offsets, operands))
        offset += operand.strides[dim] * (isDone ? 1 - loops[dim] : 1);
      if (!isDone)
        break;
      index[dim] = 0;
    }
    if (dim < 0)
      return std::move(result);
  }
}

ElementsAttr fusion::evaluateIntegers(LinalgOp op) {
  IntegerProgram program(op);
  if (!program.build())
    return {};
  SmallVector<int64_t> elements = program.run();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t bytes = getWholeBytes(type.getElementType());
  return createConstant(type, "folded", [&](MutableArrayRef<char> target) {
    auto write = [&](auto zero) {
      llvm::copy(elements, reinterpret_cast<decltype(zero) *>(target.data()));
    };
    withInteger(bytes, write);
  });
}
