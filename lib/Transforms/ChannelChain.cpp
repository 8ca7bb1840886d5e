//===-- ChannelChain.cpp - Scales and shifts of channels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arithmetic on an accumulator is a scale and a shift for each channel,
// and the one multiply-add that it is.
//
//===----------------------------------------------------------------------===//

#include "ChannelChain.h"
#include "ConstantData.h"
#include "EvaluateConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fusion;

/// The operand beside `value`, or null if `op` has none or reads it twice.
static Value getOther(Operation *op, Value value) {
  if (op->getNumOperands() != 2 || op->getOperand(0) == op->getOperand(1))
    return {};
  return op->getOperand(op->getOperand(0) == value ? 1 : 0);
}

AffineChain fusion::findChain(FusionRootOpInterface root,
                              const ChannelValues &channel) {
  AffineChain chain;
  Value value = root.getEpilogueBlock().getArgument(0);
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<arith::NegFOp>(user)) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(
              user))
        break;
      Value other = getOther(user, value);
      if (!other || !channel.contains(other) ||
          (isa<arith::DivFOp>(user) && user->getOperand(0) != value))
        break;
      chain.usesChannel |= channel.variesByChannel(other);
    }
    chain.ops.push_back(user);
    value = user->getResult(0);
  }
  return chain;
}

/// True for x, x * s, x + t and x * s + t.
static bool isNormal(ArrayRef<Operation *> ops) {
  if (!ops.empty() && isa<arith::MulFOp>(ops.front()))
    ops = ops.drop_front();
  if (!ops.empty() && isa<arith::AddFOp>(ops.front()))
    ops = ops.drop_front();
  return ops.empty();
}

std::optional<unsigned> fusion::getEpilogueOperandOf(FusionRootOpInterface root,
                                                     Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != &root.getEpilogueBlock() ||
      argument.getArgNumber() == 0 ||
      argument.getArgNumber() > root.getNumEpilogueOperands())
    return std::nullopt;
  return argument.getArgNumber() - 1;
}

/// False if a constant that `value` of the epilogue is made of is not finite.
static bool hasFiniteConstants(FusionRootOpInterface root, Value value) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value part = values[i];
    if (std::optional<unsigned> index = getEpilogueOperandOf(root, part))
      part = root.getEpilogueOperand(*index);
    else if (Operation *op = part.getDefiningOp())
      values.insert(op->operand_begin(), op->operand_end());
    if (matchPattern(part, m_Constant()) && !isFinite(part))
      return false;
  }
  return true;
}

namespace {
/// How large the scale and the shift of a part of a chain are for each channel,
/// as far as constants say: what only a call knows counts as 1 or 0.
class PartSize {
public:
  explicit PartSize(FloatType type)
      : largest(
            APFloat::getLargest(type.getFloatSemantics()).convertToDouble()) {}

  /// Takes `op` along, whose operand beside the chain has elements `known`.
  /// False if a scale or shift is no finite number then.
  bool add(Operation *op, ArrayRef<double> known) {
    // By absolute values, so that what differs in sign stays finite, too.
    for (SmallVector<double> *part : {&scale, &shift}) {
      if (part->size() == 1)
        part->resize(known.size(), part->front());
      for (auto [i, element] : llvm::enumerate(*part)) {
        double by = std::abs(known[known.size() == 1 ? 0 : i]);
        if (isa<arith::MulFOp>(op))
          element *= by;
        else if (isa<arith::DivFOp>(op))
          element /= by;
        else if (part == &shift)
          element += by;
        if (!(element <= largest))
          return false;
      }
    }
    return true;
  }

private:
  double largest;
  SmallVector<double> scale{1}, shift{0};
};
} // namespace

/// The chain in parts that may each become one scale and one shift.
/// (x - m) * inf is an infinity where x * inf - m * inf is none, and
/// x * 1e30 * 1e30 a number where x * (1e30 * 1e30) is none: scales come
/// together with what is before them only where constants say that the scale
/// and the shift are finite.
static SmallVector<ArrayRef<Operation *>> splitChain(FusionRootOpInterface root,
                                                     const AffineChain &chain) {
  using Elements = SmallVector<double>;
  ArrayRef<Operation *> ops = chain.ops;
  Value value = root.getEpilogueBlock().getArgument(0);
  auto type = cast<FloatType>(value.getType());
  auto getArgument = [&](BlockArgument argument) -> std::optional<Elements> {
    std::optional<unsigned> index = getEpilogueOperandOf(root, argument);
    return index ? evaluateConstant(root.getEpilogueOperand(*index),
                                    /*roundEach=*/true)
                 : std::nullopt;
  };
  SmallVector<ArrayRef<Operation *>> parts;
  PartSize size(type);
  size_t begin = 0;
  bool isFinite = true, hasUnknownScale = false;
  for (auto [i, op] : llvm::enumerate(ops)) {
    Value other = getOther(op, value);
    value = op->getResult(0);
    if (!other)
      continue;
    std::optional<Elements> known = evaluateScalar(other, getArgument);
    bool scales = isa<arith::MulFOp, arith::DivFOp>(op);
    bool joins = isFinite && !(scales && (!known || hasUnknownScale));
    auto take = [&, op = op] {
      return known ? size.add(op, *known) : hasFiniteConstants(root, other);
    };
    isFinite = take();
    if (i > begin && !(joins && isFinite)) {
      parts.push_back(ops.slice(begin, i - begin));
      begin = i;
      size = PartSize(type);
      isFinite = take();
      hasUnknownScale = false;
    }
    hasUnknownScale |= scales && !known;
  }
  parts.push_back(ops.drop_front(begin));
  return parts;
}

/// Replaces a part of a chain, from `start` on, by start * s + t.
static void rewritePart(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                        Value start, ChannelValues &channel) {
  Operation *last = ops.back();
  rewriter.setInsertionPoint(last);
  Value value = start, scale, shift;
  auto make = [&](auto tag, Location loc, auto... operands) {
    auto op = decltype(tag)::create(rewriter, loc, operands...);
    channel.add(op);
    return op.getResult();
  };
  for (Operation *op : ops) {
    Location loc = op->getLoc();
    Value other = getOther(op, value);
    bool negate = isa<arith::NegFOp>(op) ||
                  (isa<arith::SubFOp>(op) && op->getOperand(0) != value);
    if (negate) {
      if (scale) {
        scale = make(arith::NegFOp(), loc, scale);
      } else {
        Type type = value.getType();
        scale = arith::ConstantOp::create(rewriter, loc,
                                          rewriter.getFloatAttr(type, -1.0));
        channel.add(scale.getDefiningOp());
      }
      if (shift && !other)
        shift = make(arith::NegFOp(), loc, shift);
    }
    if (isa<arith::MulFOp>(op)) {
      scale = scale ? make(arith::MulFOp(), loc, scale, other) : other;
      if (shift)
        shift = make(arith::MulFOp(), loc, shift, other);
    } else if (isa<arith::DivFOp>(op)) {
      if (!scale) {
        scale = arith::ConstantOp::create(
            rewriter, loc, rewriter.getFloatAttr(value.getType(), 1.0));
        channel.add(scale.getDefiningOp());
      }
      scale = make(arith::DivFOp(), loc, scale, other);
      if (shift)
        shift = make(arith::DivFOp(), loc, shift, other);
    } else if (isa<arith::AddFOp>(op)) {
      shift = shift ? make(arith::AddFOp(), loc, shift, other) : other;
    } else if (negate && other) {
      shift = shift ? make(arith::SubFOp(), loc, other, shift) : other;
    } else if (other) {
      shift = shift ? make(arith::SubFOp(), loc, shift, other)
                    : make(arith::NegFOp(), loc, other);
    }
    value = op->getResult(0);
  }
  Value result = start;
  Location loc = last->getLoc();
  if (scale)
    result = arith::MulFOp::create(rewriter, loc, result, scale);
  if (shift)
    result = arith::AddFOp::create(rewriter, loc, result, shift);
  rewriter.replaceOp(last, result);
  for (Operation *op : llvm::reverse(ops.drop_back()))
    rewriter.eraseOp(op);
}

bool fusion::rewriteChain(RewriterBase &rewriter, FusionRootOpInterface root,
                          const AffineChain &chain, ChannelValues &channel) {
  SmallVector<ArrayRef<Operation *>> parts = splitChain(root, chain);
  // From behind: the operand of a part's first op is still what it was.
  bool rewrites = false;
  for (size_t i = parts.size(); i-- > 0;) {
    if (isNormal(parts[i]))
      continue;
    Value start = i == 0 ? Value(root.getEpilogueBlock().getArgument(0))
                         : parts[i - 1].back()->getResult(0);
    rewritePart(rewriter, parts[i], start, channel);
    rewrites = true;
  }
  return rewrites;
}

bool fusion::hasChannelChain(FusionRootOpInterface root) {
  AffineChain chain = findChain(root, ChannelValues(root));
  return chain.usesChannel && !isNormal(chain.ops);
}
