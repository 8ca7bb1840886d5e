//===-- ChannelChain.h - Scales and shifts of channels ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by HoistChannelOps.cpp, and for the missed remarks of
// --fusion-fold-constants.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_CHANNELCHAIN_H
#define FUSIONDIALECT_LIB_TRANSFORMS_CHANNELCHAIN_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fusion {

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

AffineChain findChain(FusionRootOpInterface root, const ChannelValues &channel);

/// The epilogue operand that `scalar` is an element of, if it is one: the
/// block's first argument is the accumulator, the last may be the init.
std::optional<unsigned> getEpilogueOperandOf(FusionRootOpInterface root,
                                             Value scalar);

/// Replaces each part of the chain that may be x * s + t and has another form;
/// whether there is one. What this computes of channels is in `channel` then.
bool rewriteChain(RewriterBase &rewriter, FusionRootOpInterface root,
                  const AffineChain &chain, ChannelValues &channel);

/// True if `root`'s epilogue starts with arithmetic on channels that could be
/// one multiply-add.
bool hasChannelChain(FusionRootOpInterface root);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_CHANNELCHAIN_H
