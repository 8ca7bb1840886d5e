//===-- Soundness.h - Each rule alone, before against after -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds rules to what they say of rounding (docs/Rules.md). Called for each
// graph by mlir-fusion-fuzz --rules.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_SOUNDNESS_H
#define FUZZ_SOUNDNESS_H

#include "Case.h"

namespace mlir::fusion::fuzz {

struct RuleOptions {
  /// Only the rule of this label; all, if empty.
  std::string label;
  /// The passes that run, as text of a pipeline; if empty, the stages
  /// fusion-fuse and fusion-plan.
  std::string passes;
  /// What rules are held to instead of what they say, if not empty.
  std::string claim;
};

/// Runs passes over the graph and evaluates the module before and after each
/// of the first rewrites by each rule. `coverage` may be null; it counts the
/// rewrites that were compared as "rule LABEL".
Outcome checkRules(ModuleOp module, const Settings &settings,
                   const RuleOptions &options, Coverage *coverage);

/// The labels of all rules that the stages fusion-fuse and fusion-plan run,
/// those without a switch, too.
SmallVector<std::string> getAllRuleLabels();

} // namespace mlir::fusion::fuzz

#endif // FUZZ_SOUNDNESS_H
