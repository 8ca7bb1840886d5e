//===-- Target.cpp - mlir-fusion target -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what the compiler takes a CPU to be.
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "Compilation.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

/// As a target's text takes it: 32 KiB is 32KiB.
static std::string formatValue(const TargetFact &fact, int64_t value) {
  int64_t unit = 0;
  constexpr StringLiteral units[] = {"", "KiB", "MiB", "GiB"};
  while (fact.unit == "bytes" && value != 0 && value % 1024 == 0 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  return std::to_string(value) + units[unit].str();
}

static llvm::json::Object makeJson(const TargetInfo &info) {
  llvm::json::Object facts;
  for (const TargetFact &fact : getTargetFacts())
    facts[fact.name] = info.*fact.member;
  return llvm::json::Object{{"cpu", info.cpu},
                            {"features", info.features},
                            {"fma", info.hasMultiplyAdd},
                            {"f16c", info.convertsHalf},
                            {"facts", std::move(facts)}};
}

/// For a model what its module makes of it.
static FailureOr<TargetInfo> getTarget(const CompileFlags &flags) {
  if (flags.model.empty()) {
    std::string problem;
    FailureOr<TargetInfo> info = TargetInfo::get(flags.target, problem);
    return failed(info) ? FailureOr<TargetInfo>(error(problem)) : info;
  }
  Compilation compilation(flags, /*collectRemarks=*/false);
  if (failed(compilation.parse()))
    return failure();
  return TargetInfo::get(compilation.getModule(), flags.target);
}

ExitCode fusion::runTarget(const Options &options) {
  FailureOr<TargetInfo> info = getTarget(options.flags);
  if (failed(info))
    return kBadInput;
  llvm::outs() << "CPU " << info->cpu << ": "
               << (info->hasMultiplyAdd ? "" : "no ") << "fused multiply-add, "
               << (info->convertsHalf ? "" : "no ") << "conversions of f16\n";
  Table table({"fact", ">value", "unit", "what it is", "key of dlti"});
  for (const TargetFact &fact : getTargetFacts())
    table.addRow({fact.name.str(), formatValue(fact, *info.*fact.member),
                  fact.unit == "bytes" ? "" : fact.unit.str(),
                  fact.description.str(), fact.key.str()});
  table.print(llvm::outs());
  if (!options.target.json.empty() &&
      failed(writeJson(options.target.json, makeJson(*info))))
    return kBadInput;
  return kSuccess;
}
