//===-- AblateReport.cpp - What an ablation found -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table and the JSON.
//
//===----------------------------------------------------------------------===//

#include "AblateReport.h"
#include "Report.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static double getMedian(const Trial &trial) {
  return getQuantile(trial.variant->samples, 0.5);
}

static std::string describeRatio(const Ablation &ablation, const Trial &trial) {
  const Variant &variant = *trial.variant;
  if (!trial.isRough)
    return describeRatio(variant.ratios, ablation.noise);
  return "about " + formatFixed(getQuantile(variant.ratios, 0.5), 0) +
         " times slower (" + std::to_string(variant.samples.size()) + " calls)";
}

static StringRef getStatusName(const Ablation &ablation, const Trial &trial) {
  switch (trial.status) {
  case Trial::Status::Unchanged:
    return "unchanged";
  case Trial::Status::Failed:
    return "failed";
  case Trial::Status::Wrong:
    return "wrong";
  case Trial::Status::Measured:
    // Beside a wrong base nothing is.
    return trial.isMeasured()     ? "measured"
           : ablation.interrupted ? "interrupted"
                                  : "unmeasured";
  }
  llvm_unreachable("all cases are handled");
}

/// The base, then what helps most, then what has no time.
static SmallVector<const Trial *> sortTrials(ArrayRef<Trial> trials,
                                             bool addOne) {
  SmallVector<const Trial *> sorted;
  for (const Trial &trial : trials)
    if (trial.status != Trial::Status::Unchanged)
      sorted.push_back(&trial);
  auto getRank = [&](const Trial *trial) {
    if (trial->name.empty())
      return std::pair(0, 0.0);
    if (!trial->isMeasured())
      return std::pair(2, 0.0);
    double ratio = getQuantile(trial->variant->ratios, 0.5);
    return std::pair(1, addOne ? ratio : -ratio);
  };
  llvm::sort(sorted, [&](const Trial *a, const Trial *b) {
    // Trials are in the order of the switches.
    return std::pair(getRank(a), a) < std::pair(getRank(b), b);
  });
  return sorted;
}

static std::vector<std::string> getCells(const Ablation &ablation,
                                         const Trial &trial) {
  std::vector<std::string> cells{
      trial.name.empty() ? ablation.getBaseName().str() : trial.name};
  if (trial.isMeasured()) {
    const Variant &variant = *trial.variant;
    SmallVector<double> deciles = getDeciles(variant.samples);
    llvm::append_range(cells, ArrayRef<std::string>{formatMs(getMedian(trial)),
                                                    formatMs(deciles.front()),
                                                    formatMs(deciles.back())});
    if (trial.name.empty())
      llvm::append_range(cells, ArrayRef<std::string>{"1", "", ""});
    else
      llvm::append_range(
          cells,
          ArrayRef<std::string>{
              formatFixed(getQuantile(variant.ratios, 0.5), 3),
              trial.isRough ? "-"
                            : formatInterval(getMedianInterval(variant.ratios)),
              describeRatio(ablation, trial)});
  } else {
    llvm::append_range(
        cells, ArrayRef<std::string>{"-", "-", "-", "-", "-",
                                     getStatusName(ablation, trial).str()});
  }
  bool compiled = trial.size.text.has_value();
  cells.push_back(compiled ? formatFixed(trial.compileMs, 0) : "-");
  cells.push_back(compiled ? formatBytes(trial.getCodeBytes()) : "-");
  cells.push_back(!trial.arenaBytes        ? "-"
                  : *trial.arenaBytes == 0 ? "none"
                                           : formatBytes(*trial.arenaBytes));
  return cells;
}

/// The words with commas between, in lines of at most 80 characters.
static void printWrapped(raw_ostream &os, ArrayRef<std::string> words) {
  constexpr size_t kWidth = 80;
  std::string line;
  for (const std::string &word : words) {
    std::string text = word + (&word == &words.back() ? "" : ",");
    if (!line.empty() && line.size() + 1 + text.size() > kWidth) {
      os << line << "\n";
      line.clear();
    }
    line += (line.empty() ? "  " : " ") + text;
  }
  os << line << "\n";
}

void fusion::print(raw_ostream &os, const Ablation &ablation) {
  Table table({ablation.options.ablate.addOne ? "on" : "off", ">median ms",
               ">10 %", ">90 %", ">ratio", "95 % interval", "verdict",
               ">compile ms", ">code", ">arena"});
  for (const Trial *trial :
       sortTrials(ablation.trials, ablation.options.ablate.addOne))
    table.addRow(getCells(ablation, *trial));
  table.print(os);
  std::vector<std::string> unchanged;
  for (const Trial &trial : ablation.trials)
    if (!trial.problem.empty())
      os << getStatusName(ablation, trial) << ": "
         << (trial.name.empty() ? ablation.getBaseName() : trial.name) << ": "
         << trial.problem << "\n";
  for (const Trial &trial : ablation.trials)
    if (trial.status == Trial::Status::Unchanged)
      unchanged.push_back(trial.name);
  if (!unchanged.empty()) {
    os << "unchanged: the code is that of " << ablation.getBaseName()
       << " with any one of these "
       << (ablation.options.ablate.addOne ? "on" : "off") << ":\n";
    printWrapped(os, unchanged);
  }
  if (llvm::any_of(llvm::drop_begin(ablation.trials),
                   std::mem_fn(&Trial::isMeasured)))
    os << "noise, the first one beside itself: "
       << formatInterval(ablation.noise) << "\n";
  if (ablation.interrupted)
    os << "interrupted: "
       << (ablation.getBase().variant
               ? ablation.getBase().variant->samples.size()
               : 0)
       << " of " << ablation.options.ablate.repeat << " samples, "
       << ablation.trials.size() - 1 << " of " << ablation.switches.size()
       << " switches\n";
}

static llvm::json::Object trialToJson(const Ablation &ablation,
                                      const Trial &trial) {
  llvm::json::Object json{{"status", getStatusName(ablation, trial)},
                          {"disabled", llvm::json::Array(trial.disabled)}};
  if (!trial.name.empty())
    json["switch"] = trial.name;
  if (!trial.problem.empty())
    json["problem"] = trial.problem;
  if (trial.size.text) {
    json["compile_ms"] = trial.compileMs;
    json["code_bytes"] = trial.getCodeBytes();
    json["text_bytes"] = *trial.size.text;
    json["file_bytes"] = trial.size.file;
    json["constant_bytes"] = trial.constantBytes;
    json["arena_bytes"] = trial.arenaBytes;
  }
  if (!trial.isMeasured())
    return json;
  const Variant &variant = *trial.variant;
  json["median_ms"] = getMedian(trial);
  json["least_ms"] = variant.samples.front();
  json["deciles_ms"] = llvm::json::Array(getDeciles(variant.samples));
  json["median_interval_ms"] =
      intervalToJson(getMedianInterval(variant.samples));
  json["calls_per_sample"] = variant.callsPerSample;
  json["samples"] = int64_t(variant.samples.size());
  if (trial.name.empty())
    return json;
  json["largest_error_of_largest"] = variant.difference;
  json["ratio"] = getQuantile(variant.ratios, 0.5);
  json["ratio_interval"] = intervalToJson(getMedianInterval(variant.ratios));
  json["verdict"] = describeRatio(ablation, trial);
  return json;
}

llvm::json::Object fusion::toJson(const Ablation &ablation) {
  llvm::json::Array rows;
  for (const Trial &trial : llvm::drop_begin(ablation.trials))
    rows.push_back(trialToJson(ablation, trial));
  return llvm::json::Object{
      {"model", ablation.options.flags.model},
      {"mode", ablation.options.ablate.addOne ? "add-one" : "leave-one-out"},
      {"target", ablation.getBase().variant->library.getSignature().target},
      {"threads", ablation.threads},
      {"warmup", ablation.options.ablate.warmUp},
      {"samples", ablation.options.ablate.repeat},
      {"interrupted", ablation.interrupted},
      {"noise", intervalToJson(ablation.noise)},
      {"base", trialToJson(ablation, ablation.getBase())},
      {"switches", std::move(rows)}};
}
