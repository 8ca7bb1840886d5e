//===-- HoistChannelOps.cpp - Arithmetic on channels out of epilogues -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an epilogue computes from values per channel only is the same for all
// elements of a channel: it is computed once, before the root.
//
//===----------------------------------------------------------------------===//

#include "HoistChannelOps.h"
#include "ConstantData.h"
#include "EvaluateConstants.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
/// The values of an epilogue that depend on the channel only, or on nothing.
class ChannelValues {
public:
  explicit ChannelValues(FusionRootOpInterface root) {
    int64_t channel = root.getChannelDim();
    for (unsigned i = 0, e = root.getNumEpilogueOperands(); i < e; ++i) {
      ArrayRef<int64_t> dims = root.getEpilogueOperandDims(i);
      if (dims.empty())
        uniform.insert(root.getEpilogueArgument(i));
      else if (dims == ArrayRef<int64_t>(channel))
        perChannel.insert(root.getEpilogueArgument(i));
    }
    for (Operation &op : root.getEpilogueBlock().without_terminator())
      add(&op);
  }
  /// Takes an op that was made since.
  void add(Operation *op) {
    if (!llvm::all_of(op->getOperands(),
                      [&](Value value) { return contains(value); }))
      return;
    bool varies = llvm::any_of(
        op->getOperands(), [&](Value value) { return variesByChannel(value); });
    for (Value result : op->getResults())
      (varies ? perChannel : uniform).insert(result);
  }
  bool variesByChannel(Value value) const { return perChannel.contains(value); }
  bool contains(Value value) const {
    return perChannel.contains(value) || uniform.contains(value);
  }

private:
  llvm::DenseSet<Value> perChannel;
  /// Constants and scalars; a constant has no operands.
  llvm::DenseSet<Value> uniform;
};

/// A run of ops x * s, x / s, x + t, x - t, t - x, -x from the accumulator on,
/// where s and t depend on the channel only.
struct AffineChain {
  SmallVector<Operation *> ops;
  bool usesChannel = false;
};
} // namespace

/// The operand beside `value`, or null if `op` has none or reads it twice.
static Value getOther(Operation *op, Value value) {
  if (op->getNumOperands() != 2 || op->getOperand(0) == op->getOperand(1))
    return {};
  return op->getOperand(op->getOperand(0) == value ? 1 : 0);
}

static AffineChain findChain(FusionRootOpInterface root,
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
static bool isNormal(const AffineChain &chain) {
  ArrayRef<Operation *> ops = chain.ops;
  if (!ops.empty() && isa<arith::MulFOp>(ops.front()))
    ops = ops.drop_front();
  if (!ops.empty() && isa<arith::AddFOp>(ops.front()))
    ops = ops.drop_front();
  return ops.empty();
}

/// The epilogue operand behind `argument`: the first argument is the
/// accumulator, the last may be the init.
static Value getOperandOf(FusionRootOpInterface root, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  bool isOperand = argument.getOwner() == &root.getEpilogueBlock() &&
                   number > 0 && number <= root.getNumEpilogueOperands();
  return isOperand ? root.getEpilogueOperand(number - 1) : Value();
}

/// False if a constant that `value` of the epilogue is made of is not finite.
static bool hasFiniteConstants(FusionRootOpInterface root, Value value) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value part = values[i];
    if (auto argument = dyn_cast<BlockArgument>(part))
      part = getOperandOf(root, argument);
    else
      values.insert(part.getDefiningOp()->operand_begin(),
                    part.getDefiningOp()->operand_end());
    if (part && matchPattern(part, m_Constant()) && !isFinite(part))
      return false;
  }
  return true;
}

/// False if constants make a scale or shift of the chain that is not finite:
/// (x - m) * inf is an infinity where x * inf - m * inf is none. What a call
/// knows is taken as finite.
static bool isFiniteChain(FusionRootOpInterface root,
                          const AffineChain &chain) {
  using Elements = SmallVector<double>;
  Value value = root.getEpilogueBlock().getArgument(0);
  double largest =
      APFloat::getLargest(cast<FloatType>(value.getType()).getFloatSemantics())
          .convertToDouble();
  auto getArgument = [&](BlockArgument argument) -> std::optional<Elements> {
    Value operand = getOperandOf(root, argument);
    return operand ? evaluateConstant(operand, /*roundEach=*/true)
                   : std::nullopt;
  };
  Elements scale{1}, shift{0};
  for (Operation *op : chain.ops) {
    Value other = getOther(op, value);
    value = op->getResult(0);
    if (!other)
      continue;
    std::optional<Elements> known = evaluateScalar(other, getArgument);
    if (!known) {
      if (!hasFiniteConstants(root, other))
        return false;
      continue;
    }
    if (known->empty())
      return true;
    // By absolute values, so that what differs in sign stays finite, too.
    for (Elements *part : {&scale, &shift}) {
      part->resize(std::max(part->size(), known->size()), part->front());
      for (auto [i, element] : llvm::enumerate(*part)) {
        double by = std::abs((*known)[i % known->size()]);
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
  }
  return true;
}

/// Replaces the chain by x * s + t.
static void rewriteChain(RewriterBase &rewriter, FusionRootOpInterface root,
                         const AffineChain &chain, ChannelValues &channel) {
  Operation *last = chain.ops.back();
  rewriter.setInsertionPoint(last);
  Value accumulator = root.getEpilogueBlock().getArgument(0);
  Value value = accumulator, scale, shift;
  auto make = [&](auto tag, Location loc, auto... operands) {
    auto op = decltype(tag)::create(rewriter, loc, operands...);
    channel.add(op);
    return op.getResult();
  };
  for (Operation *op : chain.ops) {
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
  Value result = accumulator;
  Location loc = last->getLoc();
  if (scale)
    result = arith::MulFOp::create(rewriter, loc, result, scale);
  if (shift)
    result = arith::AddFOp::create(rewriter, loc, result, shift);
  rewriter.replaceOp(last, result);
  for (Operation *op : llvm::reverse(ArrayRef(chain.ops).drop_back()))
    rewriter.eraseOp(op);
}

/// Computes what varies by channel only in a generic before the root, of which
/// the epilogue then reads the results; returns whether there was any.
static bool hoist(RewriterBase &rewriter, FusionRootOpInterface root,
                  const ChannelValues &channel) {
  // What varies by channel goes; constants and uniform ops that it needs are
  // cloned.
  Block &block = root.getEpilogueBlock();
  llvm::SmallSetVector<Operation *, 8> hoisted;
  SmallVector<Value> results;
  SmallVector<Operation *> needed;
  llvm::SmallDenseSet<Value> read;
  llvm::SmallMapVector<Value, unsigned, 4> inputs;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.getNumResults() != 1 || !channel.contains(op.getResult(0)))
      continue;
    bool hoists = channel.variesByChannel(op.getResult(0));
    if (!hoists && !read.contains(op.getResult(0)))
      continue;
    needed.push_back(&op);
    read.insert(op.operand_begin(), op.operand_end());
    if (!hoists)
      continue;
    if (llvm::any_of(op.getUsers(),
                     [&](Operation *user) { return !hoisted.contains(user); }))
      results.push_back(op.getResult(0));
    hoisted.insert(&op);
  }
  if (hoisted.empty())
    return false;
  std::reverse(needed.begin(), needed.end());
  std::reverse(results.begin(), results.end());
  for (Operation *op : needed)
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        inputs.insert({argument, argument.getArgNumber() - 1});

  Location loc = hoisted.front()->getLoc();
  rewriter.setInsertionPoint(root);
  SmallVector<Value> operands, inits;
  SmallVector<AffineMap> maps;
  AffineMap byChannel = rewriter.getMultiDimIdentityMap(1);
  for (auto [argument, index] : inputs) {
    operands.push_back(root.getEpilogueOperand(index));
    maps.push_back(root.getEpilogueOperandDims(index).empty()
                       ? AffineMap::get(1, 0, rewriter.getContext())
                       : byChannel);
  }
  OpFoldResult size = tensor::getMixedSize(rewriter, loc, root.getInitValue(),
                                           root.getChannelDim());
  for (Value result : results) {
    inits.push_back(
        tensor::EmptyOp::create(rewriter, loc, size, result.getType()));
    maps.push_back(byChannel);
  }
  auto generic = linalg::GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), operands, inits, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [input, argument] : llvm::zip(inputs, arguments))
          mapping.map(input.first, argument);
        for (Operation *op : needed)
          builder.clone(*op, mapping);
        linalg::YieldOp::create(builder, bodyLoc,
                                llvm::map_to_vector(results, [&](Value result) {
                                  return mapping.lookup(result);
                                }));
      });
  for (auto [inside, outside] : llvm::zip(results, generic.getResults()))
    rewriter.replaceAllUsesWith(
        inside,
        getOrAddEpilogueOperand(rewriter, root, outside, root.getChannelDim()));
  for (Operation *op : hoisted)
    rewriter.eraseOp(op);
  // Uniform ops that only fed what has gone.
  for (Operation *op : llvm::reverse(needed))
    if (!hoisted.contains(op) && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  dropDeadEpilogueOperands(rewriter, root);
  return true;
}

namespace {
/// Batch norm and its like become one multiply-add, and what that takes is
/// computed once per channel:
///   epilogue { ((acc - m) * r) * g + b }
///   -> s, t = generic { r * g, b - m * r * g } over [C]; epilogue { acc * s +
///   t }
/// Re-association changes rounding: under strict only what needs none is
/// hoisted.
struct HoistChannelOps final
    : OpInterfaceRewritePattern<FusionRootOpInterface> {
  HoistChannelOps(MLIRContext *context, FPAccuracy accuracy)
      : OpInterfaceRewritePattern(context), accuracy(accuracy) {}
  LogicalResult matchAndRewrite(FusionRootOpInterface root,
                                PatternRewriter &rewriter) const override {
    if (!root.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(root, "expected tensors");
    ChannelValues channel(root);
    AffineChain chain = findChain(root, channel);
    bool rewritesChain = accuracy != FPAccuracy::Strict && chain.usesChannel &&
                         !isNormal(chain) && isFiniteChain(root, chain);
    Location loc = root.getLoc();
    if (rewritesChain)
      rewriteChain(rewriter, root, chain, channel);
    if (!hoist(rewriter, root, channel) && !rewritesChain)
      return rewriter.notifyMatchFailure(root, "expected ops on channels only");
    remarkFused(loc, "hoist-channel-ops",
                ("arithmetic per channel of " + root->getName().getStringRef() +
                 " is done once")
                    .str());
    return success();
  }
  FPAccuracy accuracy;
};
} // namespace

bool fusion::hasChannelChain(FusionRootOpInterface root) {
  AffineChain chain = findChain(root, ChannelValues(root));
  return chain.usesChannel && !isNormal(chain);
}

void fusion::populateHoistChannelOpsPatterns(RewritePatternSet &patterns,
                                             FPAccuracy accuracy) {
  patterns.addWithLabel<HoistChannelOps>({"hoist-channel-ops", kRounds},
                                         patterns.getContext(), accuracy);
}
