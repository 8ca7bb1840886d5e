//===-- RulePass.cpp - What passes that run rules share -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A label is written once, where its rule is populated; everything here asks
// the populated sets.
//
//===----------------------------------------------------------------------===//

#include "RulePass.h"
#include "TraceRules.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct RulePassEntry {
  StringLiteral flag;
  SmallVector<PopulateFn> (*getPhases)();
};
} // namespace

/// In the order of the stage fusion-fuse; a new pass that runs rules is named
/// here.
static constexpr RulePassEntry kRulePasses[] = {
    {"fusion-convert-tosa", getConvertTosaPhases},
    {"fusion-raise", getRaisePhases},
    {"fusion-absorb", getAbsorbPhases},
    {"fusion-fold-constants",
     [] { return getFoldConstantsPhases(FPAccuracy::Default); }},
    {"fusion-reuse-residual", getReuseResidualPhases},
};

static SmallVector<StringRef>
collectLabels(MutableArrayRef<RewritePatternSet> sets) {
  llvm::SmallSetVector<StringRef, 16> labels;
  for (RewritePatternSet &set : sets)
    for (std::unique_ptr<RewritePattern> &pattern : set.getNativePatterns())
      labels.insert_range(pattern->getDebugLabels());
  return labels.takeVector();
}

static std::vector<RewritePatternSet> populate(MLIRContext *context,
                                               ArrayRef<PopulateFn> phases) {
  std::vector<RewritePatternSet> sets;
  for (const PopulateFn &populatePhase : phases)
    populatePhase(sets.emplace_back(context));
  return sets;
}

static SmallVector<StringRef> getLabels(MLIRContext *context,
                                        const RulePassEntry &pass) {
  std::vector<RewritePatternSet> sets = populate(context, pass.getPhases());
  return collectLabels(sets);
}

SmallVector<StringRef> fusion::getRulePasses() {
  return llvm::map_to_vector(kRulePasses, [](const RulePassEntry &pass) {
    return StringRef(pass.flag);
  });
}

SmallVector<StringRef> fusion::getRuleLabels(StringRef pass) {
  // Labels are literals of the program: they outlive the patterns.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (const RulePassEntry &entry : kRulePasses)
    if (entry.flag == pass)
      return getLabels(&context, entry);
  return {};
}

SmallVector<StringRef> fusion::getRuleLabels() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  SmallVector<StringRef> labels;
  for (const RulePassEntry &entry : kRulePasses)
    llvm::append_range(labels, getLabels(&context, entry));
  return labels;
}

RuleSwitches fusion::getSwitchesOf(StringRef pass,
                                   ArrayRef<std::string> disabled,
                                   ArrayRef<std::string> enabled) {
  RuleSwitches switches;
  SmallVector<StringRef> labels = getRuleLabels(pass);
  SmallVector<StringRef> allLabels = getRuleLabels();
  // What no pass knows stays, so that the pass refuses it.
  auto isOwn = [&](const std::string &label) {
    return llvm::is_contained(labels, label) ||
           !llvm::is_contained(allLabels, label);
  };
  llvm::copy_if(disabled, std::back_inserter(switches.disabled), isOwn);
  llvm::copy_if(enabled, std::back_inserter(switches.enabled), isOwn);
  if (!enabled.empty() && switches.enabled.empty())
    switches.disabled.assign(labels.begin(), labels.end());
  return switches;
}

LogicalResult fusion::checkRuleLabels(Location loc, ArrayRef<StringRef> known,
                                      ArrayRef<std::string> disabled,
                                      ArrayRef<std::string> enabled) {
  auto check = [&](StringRef option, ArrayRef<std::string> labels) {
    for (const std::string &label : labels)
      if (!llvm::is_contained(known, label))
        return LogicalResult(emitError(loc)
                             << "expected labels of rules in " << option << " ("
                             << llvm::join(known, ", ") << "), got '" << label
                             << "'");
    return success();
  };
  if (failed(check("disable-patterns", disabled)))
    return failure();
  return check("enable-patterns", enabled);
}

LogicalResult
fusion::freezeRules(MLIRContext *context, ArrayRef<PopulateFn> phases,
                    ArrayRef<std::string> disabled,
                    ArrayRef<std::string> enabled, StringRef traced,
                    SmallVectorImpl<FrozenRewritePatternSet> &sets) {
  std::vector<RewritePatternSet> populated = populate(context, phases);
  if (failed(checkRuleLabels(UnknownLoc::get(context), collectLabels(populated),
                             disabled, enabled)))
    return failure();
  for (RewritePatternSet &set : populated) {
    traceRules(set, traced);
    sets.emplace_back(std::move(set), disabled, enabled);
  }
  return success();
}
