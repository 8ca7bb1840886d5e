//===-- HoistChannelOps.cpp - Arithmetic on channels out of epilogues -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an epilogue computes from values per channel only is the same for all
// elements of a channel: it is computed once, before the root.
//
//===----------------------------------------------------------------------===//

#include "ChannelChain.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fusion;

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
/// where r and g are constants; what only a call knows may be infinite.
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
    Location loc = root.getLoc();
    bool rewritesChain = accuracy != FPAccuracy::Strict && chain.usesChannel &&
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

void fusion::populateHoistChannelOpsPatterns(RewritePatternSet &patterns,
                                             FPAccuracy accuracy) {
  patterns.addWithLabel<HoistChannelOps>({"hoist-channel-ops", kRounds},
                                         patterns.getContext(), accuracy);
}
