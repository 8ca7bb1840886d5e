//===-- Absorption.h - What a root can take from its reader -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One predicate and one rewrite behind the absorb rules, their missed remarks
// and the control of upstream's elementwise fusion.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_ABSORPTION_H
#define FUSIONDIALECT_LIB_TRANSFORMS_ABSORPTION_H

#include "AbsorbViews.h"
#include "FusionDialect/Transforms/Patterns.h"

namespace mlir::fusion {

/// By what the consumer reads beside the root's result.
enum class AbsorptionKind { Unary, Channel, Residual };

/// The label of the rule that absorbs consumers of this kind.
StringRef getAbsorptionLabel(AbsorptionKind kind);

/// An elementwise consumer in the form that all of them share.
struct Absorption {
  /// A value that the consumer reads and the loops that index it.
  struct Read : RenamedView {
    /// The body's argument; null if the consumer is an op on tensors.
    BlockArgument argument;
  };

  Operation *consumer = nullptr;
  FusionRootOpInterface root;
  /// What renames the root's result before the consumer reads it.
  SmallVector<Operation *> steps;
  AbsorptionKind kind = AbsorptionKind::Unary;
  SmallVector<Read> reads;
  /// The consumer's scalar computation; null if the consumer is an op on
  /// tensors, which is its own.
  Block *body = nullptr;

  /// The root's result as the consumer reads it.
  Value getLastName() const {
    return steps.empty() ? root->getResult(0) : steps.back()->getResult(0);
  }
};

/// How `consumer` would become part of the epilogue of a root that it reads, or
/// failure and in `reason` a remark's code and sentence. `kind` is set wherever
/// the consumer is elementwise.
FailureOr<Absorption> matchAbsorption(Operation *consumer,
                                      const FusionControlFn &control,
                                      std::string &reason,
                                      AbsorptionKind &kind);

/// Moves the root to the consumer, its body into the epilogue, and replaces the
/// consumer by the root's result.
void absorb(RewriterBase &rewriter, const Absorption &absorption);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_ABSORPTION_H
