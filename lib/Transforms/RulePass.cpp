//===-- RulePass.cpp - What passes that run rules share -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A label is written once, where its rule is populated; everything here asks
// the populated sets.
//
//===----------------------------------------------------------------------===//

#include "RulePass.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct RulePassEntry {
  /// The flag of the stage that runs the pass.
  StringLiteral stage;
  StringLiteral flag;
  SmallVector<PopulateFn> (*getPhases)();
};
} // namespace

/// In the order they run; a new pass that runs rules is named here.
static constexpr RulePassEntry kRulePasses[] = {
    {"fusion-fuse", "fusion-convert-tosa", getConvertTosaPhases},
    {"fusion-fuse", "fusion-raise", getRaisePhases},
    {"fusion-fuse", "fusion-absorb", getAbsorbPhases},
    {"fusion-fuse", "fusion-fold-constants",
     [] { return getFoldConstantsPhases(FPAccuracy::Default); }},
    {"fusion-fuse", "fusion-reuse-residual", getReuseResidualPhases},
    {"fusion-plan", "fusion-assign-layout", getAssignLayoutPhases},
    {"fusion-plan", "fusion-split-phases", getSplitPhasesPhases},
};

static bool isRounding(StringRef label) {
  return label == kReordersSums || label == kRounds;
}

StringRef fusion::getRuleLabel(const Pattern &rule) {
  for (StringRef label : rule.getDebugLabels())
    if (!isRounding(label))
      return label;
  return rule.getDebugName();
}

StringRef fusion::getRuleRounding(const Pattern &rule) {
  for (StringRef label : rule.getDebugLabels())
    if (isRounding(label))
      return label;
  return "exact";
}

/// Each label with what its rules do to rounding.
using RuleMap = llvm::MapVector<StringRef, StringRef>;

static RuleMap collectRules(MutableArrayRef<RewritePatternSet> sets) {
  RuleMap rules;
  for (RewritePatternSet &set : sets)
    for (std::unique_ptr<RewritePattern> &pattern : set.getNativePatterns())
      if (!pattern->getDebugLabels().empty())
        rules.insert({getRuleLabel(*pattern), getRuleRounding(*pattern)});
  return rules;
}

static std::vector<RewritePatternSet> populate(MLIRContext *context,
                                               ArrayRef<PopulateFn> phases) {
  std::vector<RewritePatternSet> sets;
  for (const PopulateFn &populatePhase : phases)
    populatePhase(sets.emplace_back(context));
  return sets;
}

/// The rules of each of kRulePasses. Labels are literals of the program, which
/// outlive the patterns.
static ArrayRef<RuleMap> getAllRules() {
  static const std::vector<RuleMap> all = [] {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    std::vector<RuleMap> rules;
    for (const RulePassEntry &pass : kRulePasses) {
      std::vector<RewritePatternSet> sets =
          populate(&context, pass.getPhases());
      rules.push_back(collectRules(sets));
    }
    return rules;
  }();
  return all;
}

/// The labels of the passes that `isWanted` takes.
static SmallVector<StringRef>
selectLabels(llvm::function_ref<bool(const RulePassEntry &)> isWanted) {
  SmallVector<StringRef> selected;
  for (auto [pass, rules] : llvm::zip_equal(kRulePasses, getAllRules()))
    if (isWanted(pass))
      llvm::append_range(selected, llvm::make_first_range(rules));
  return selected;
}

SmallVector<StringRef> fusion::getRulePasses(StringRef stage) {
  SmallVector<StringRef> flags;
  for (const RulePassEntry &pass : kRulePasses)
    if (pass.stage == stage)
      flags.push_back(pass.flag);
  return flags;
}

SmallVector<StringRef> fusion::getRuleLabels(StringRef pass) {
  return selectLabels(
      [&](const RulePassEntry &entry) { return entry.flag == pass; });
}

SmallVector<StringRef> fusion::getRuleLabelsOfStage(StringRef stage) {
  return selectLabels(
      [&](const RulePassEntry &entry) { return entry.stage == stage; });
}

SmallVector<StringRef> fusion::getRuleLabels() {
  return selectLabels([](const RulePassEntry &) { return true; });
}

StringRef fusion::getRuleRounding(StringRef label) {
  for (const RuleMap &rules : getAllRules())
    if (const auto *found = rules.find(label); found != rules.end())
      return found->second;
  return {};
}

RuleSwitches fusion::getSwitchesOf(StringRef pass,
                                   ArrayRef<std::string> disabled,
                                   ArrayRef<std::string> enabled) {
  RuleSwitches switches;
  SmallVector<StringRef> labels = getRuleLabels(pass);
  const RulePassEntry *own =
      llvm::find_if(kRulePasses, [&](const RulePassEntry &entry) {
        return entry.flag == pass;
      });
  SmallVector<StringRef> allLabels = getRuleLabelsOfStage(
      own == std::end(kRulePasses) ? StringRef() : StringRef(own->stage));
  // What no pass of the stage knows stays, so that the pass refuses it.
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
  SmallVector<StringRef> known =
      llvm::to_vector(llvm::make_first_range(collectRules(populated)));
  if (failed(
          checkRuleLabels(UnknownLoc::get(context), known, disabled, enabled)))
    return failure();
  for (RewritePatternSet &set : populated) {
    traceRules(set, traced);
    sets.emplace_back(std::move(set), disabled, enabled);
  }
  return success();
}
