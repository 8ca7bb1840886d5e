//===-- SoundnessReport.cpp - What was seen of each rule ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of rules at the end of a run, and whether it looked at what it was
// asked for.
//
//===----------------------------------------------------------------------===//

#include "Soundness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;
using namespace mlir::fusion::fuzz;

namespace {
struct RuleCounts {
  int64_t tried = 0, compared = 0, elements = 0, open = 0, unchecked = 0;
};
} // namespace

/// By label.
static std::map<std::string, RuleCounts> countRules(const Coverage &coverage) {
  std::map<std::string, RuleCounts> rules;
  constexpr std::pair<StringLiteral, int64_t RuleCounts::*> columns[] = {
      {"tried", &RuleCounts::tried},
      {"rule", &RuleCounts::compared},
      {"elements", &RuleCounts::elements},
      {"open", &RuleCounts::open},
      {"unchecked", &RuleCounts::unchecked}};
  for (const auto &[name, count] : coverage) {
    auto [kind, rest] = StringRef(name).split(' ');
    for (auto [column, member] : columns)
      if (kind == column)
        // Behind the label is why a rewrite is unchecked.
        rules[rest.split(':').first.str()].*member += count;
  }
  return rules;
}

static void printRow(StringRef label, StringRef rewrites, StringRef elements,
                     StringRef open) {
  llvm::outs() << "// " << llvm::left_justify(label, 28)
               << llvm::right_justify(rewrites, 10)
               << llvm::right_justify(elements, 14)
               << llvm::right_justify(open, 14) << "\n";
}

LogicalResult fuzz::tellRules(const Coverage &coverage,
                              const RuleOptions &options, int64_t numGraphs) {
  std::map<std::string, RuleCounts> rules = countRules(coverage);
  if (!options.label.empty()) {
    RuleCounts only = rules[options.label];
    rules = {{options.label, only}};
  }
  RuleCounts all;
  SmallVector<StringRef> unseen;
  bool isFirst = true;
  for (const auto &[label, counts] : rules) {
    all.tried += counts.tried;
    all.compared += counts.compared;
    all.open += counts.open;
    all.unchecked += counts.unchecked;
    if (counts.elements == 0) {
      unseen.push_back(label);
      continue;
    }
    if (std::exchange(isFirst, false))
      printRow("rule", "rewrites", "elements", "unbounded");
    printRow(label, std::to_string(counts.compared),
             std::to_string(counts.elements), std::to_string(counts.open));
  }
  if (!unseen.empty())
    llvm::outs() << "// none compared by: " << llvm::join(unseen, ", ") << "\n";
  // Without a name, what is seen depends on the graphs alone.
  if (all.compared > 0 || (options.label.empty() && options.passes.empty()))
    return success();
  llvm::outs().flush();
  llvm::errs() << "mlir-fusion-fuzz: error: expected rewrites to compare by "
               << (options.label.empty() ? "the rules of --passes"
                                         : StringRef(options.label))
               << ", got none in " << numGraphs << " graphs";
  if (all.unchecked > 0)
    llvm::errs() << "; " << all.unchecked << " could not be evaluated";
  else if (all.open > 0)
    llvm::errs() << "; of " << all.open << " elements each may be anything";
  else if (all.tried == 0 && !options.passes.empty())
    llvm::errs() << "; passes tell of their rules if they are asked to: "
                    "PASS{trace-rules=fuzz}";
  else
    llvm::errs() << ", " << all.tried
                 << " times tried; more of them (--count, --seconds) may have "
                    "some";
  llvm::errs() << "\n";
  return failure();
}
