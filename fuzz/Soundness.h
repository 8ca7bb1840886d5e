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
/// of the first rewrites by each rule. `coverage` may be null; it counts of
/// each rule how often it was tried ("tried LABEL"), the rewrites that were
/// compared
/// ("rule LABEL"), their elements ("elements LABEL"), those of them that may be
/// anything ("open LABEL"), and the rewrites that cannot be evaluated
/// ("unchecked LABEL: WHY").
Outcome checkRules(ModuleOp module, const Settings &settings,
                   const RuleOptions &options, Coverage *coverage);

/// Prints a table of what `numGraphs` graphs had for each rule. Fails, with an
/// error, if nothing was compared of what `options` ask for by name: a check
/// that looked at nothing is none.
LogicalResult tellRules(const Coverage &coverage, const RuleOptions &options,
                        int64_t numGraphs);

/// The labels of all rules that the stages fusion-fuse and fusion-plan run,
/// those without a switch, too.
SmallVector<std::string> getAllRuleLabels();

} // namespace mlir::fusion::fuzz

#endif // FUZZ_SOUNDNESS_H
