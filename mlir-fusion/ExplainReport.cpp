//===-- ExplainReport.cpp - What was fused, as it is told -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As tables and as JSON.
//
//===----------------------------------------------------------------------===//

#include "ExplainReport.h"
#include "FusionDialect/Analysis/Remarks.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace mlir::fusion;

//===-- Tables ------------------------------------------------------------===//

static std::string joinWords(ArrayRef<std::string> words) {
  return words.empty() ? "-" : llvm::join(words, " ");
}

static void printRoots(raw_ostream &os, ArrayRef<RootInfo> roots) {
  Table table({">#", "op", "result", "epilogue", "absorbed", ">flops",
               ">constants", "location"});
  for (const RootInfo &root : roots) {
    std::vector<std::string> kinds;
    if (root.batchNorm)
      kinds.push_back("batch-norm");
    if (root.residual)
      kinds.push_back("residual");
    if (root.relu)
      kinds.push_back("relu");
    table.addRow(
        {std::to_string(root.number), root.op, root.type,
         root.epilogue.empty() ? "-" : llvm::join(root.epilogue, " "),
         joinWords(kinds),
         // Unknown where a size is.
         StringRef(root.type).contains('?') ? "-" : formatCount(root.flops),
         formatBytes(root.constantBytes), root.location});
  }
  table.print(os);
}

static void printOutside(raw_ostream &os, ArrayRef<OutsideInfo> outside) {
  if (outside.empty()) {
    os << "Nothing that could be in a root is outside.\n";
    return;
  }
  os << "Outside of roots:\n";
  Table table({"op", "result", "computes", "reason", "why", "location"});
  for (const OutsideInfo &op : outside)
    table.addRow({op.op, op.type, joinWords(op.body),
                  op.code.empty() ? "-" : op.code, op.text, op.location});
  table.print(os);
}

static void printRefusals(raw_ostream &os, const RemarkLog &log) {
  // Equal refusals are one row.
  std::map<std::array<std::string, 3>, int64_t> counts;
  for (const CollectedRemark &remark : log.getRemarks())
    if (!remark.fused)
      ++counts[{remark.code, remark.rule, remark.text}];
  if (counts.empty()) {
    os << "Nothing was refused.\n";
    return;
  }
  os << "Refused:\n";
  Table table({">count", "reason", "rule", "what"});
  for (const auto &[key, count] : counts)
    table.addRow({std::to_string(count), key[0], key[1], key[2]});
  table.print(os);
}

static void printRules(raw_ostream &os, const RemarkLog &log) {
  std::map<std::string, int64_t> counts;
  for (const CollectedRemark &remark : log.getRemarks())
    if (remark.fused)
      ++counts[remark.rule];
  if (counts.empty())
    return;
  os << "Rules that fired:\n";
  Table table({"rule", ">times"});
  for (const auto &[rule, count] : counts)
    table.addRow({rule, std::to_string(count)});
  table.print(os);
}

static void printOps(raw_ostream &os, const Explanation &explanation) {
  std::map<std::string, std::array<int64_t, 3>> counts;
  const Census *censuses[] = {&explanation.before, &explanation.afterFusion,
                              &explanation.afterPlan};
  for (auto [column, census] : llvm::enumerate(censuses))
    for (const auto &[op, count] : census->ops)
      counts[op][column] = count;
  os << "Ops:\n";
  Table table({"op", ">before", ">fused", ">planned"});
  for (const auto &[op, row] : counts)
    table.addRow({op, std::to_string(row[0]), std::to_string(row[1]),
                  std::to_string(row[2])});
  table.print(os);
}

static std::string describeWorkspace(const Explanation &explanation) {
  if (!explanation.workspaceBytes)
    return "-";
  std::string text = formatBytes(*explanation.workspaceBytes);
  if (explanation.workspaceSlots > 0)
    text += " + " + std::to_string(explanation.workspaceSlots) +
            " of dynamic size (see --shape)";
  return text;
}

static std::string describeLive(const Explanation &explanation) {
  if (!explanation.liveBytes)
    return "-";
  std::string text = formatBytes(*explanation.liveBytes);
  if (explanation.workspaceBytes && explanation.workspaceSlots == 0 &&
      *explanation.liveBytes > 0)
    text +=
        " (the memory is " +
        formatFixed(
            double(*explanation.workspaceBytes) / *explanation.liveBytes, 2) +
        " of it)";
  return text;
}

static void printTotals(raw_ostream &os, const Explanation &explanation) {
  const Census &before = explanation.before;
  const Census &after = explanation.afterFusion;
  // What has a dynamic size is not counted.
  auto tell = [](std::string counted, const Census &census) {
    return census.isDynamic ? counted + " + dynamic" : counted;
  };
  Table table({"", ">before", ">after"});
  auto tellFlops = [&](const Census &census) {
    return census.isUncounted ? "-" : tell(formatCount(census.flops), census);
  };
  table.addRow({"arithmetic operations", tellFlops(before), tellFlops(after)});
  table.addRow({"constants", formatBytes(before.constantBytes),
                formatBytes(after.constantBytes)});
  std::string written = tell(formatBytes(before.activationBytes), before);
  table.addRow({"activations written", written,
                tell(formatBytes(after.activationBytes), after)});
  table.addRow(
      {"memory for activations", written, describeWorkspace(explanation)});
  table.addRow({"alive at once", "-", describeLive(explanation)});
  table.print(os);
}

void fusion::print(raw_ostream &os, const Explanation &explanation,
                   const RemarkLog &log) {
  printRoots(os, explanation.roots);
  os << "\n";
  printRules(os, log);
  os << "\n";
  printOutside(os, explanation.outside);
  os << "\n";
  printRefusals(os, log);
  os << "\n";
  printOps(os, explanation);
  os << "\n";
  printTotals(os, explanation);
}

//===-- JSON --------------------------------------------------------------===//

static llvm::json::Object rootToJson(const RootInfo &root) {
  return llvm::json::Object{{"number", root.number},
                            {"op", root.op},
                            {"loc", root.location},
                            {"type", root.type},
                            {"epilogue", llvm::json::Array(root.epilogue)},
                            {"batch_norm", root.batchNorm},
                            {"residual", root.residual},
                            {"relu", root.relu},
                            {"rules", llvm::json::Array(root.rules)},
                            {"flops", root.flops},
                            {"constant_bytes", root.constantBytes},
                            {"result_bytes", root.resultBytes}};
}

static llvm::json::Object outsideToJson(const OutsideInfo &op) {
  return llvm::json::Object{
      {"op", op.op},     {"loc", op.location},
      {"type", op.type}, {"body", llvm::json::Array(op.body)},
      {"rule", op.rule}, {"code", op.code},
      {"text", op.text}};
}

static llvm::json::Object censusToJson(const Census &census) {
  return llvm::json::Object{{"ops", toJson(census.ops)},
                            {"flops", census.isUncounted
                                          ? llvm::json::Value(nullptr)
                                          : llvm::json::Value(census.flops)},
                            {"constant_bytes", census.constantBytes},
                            {"activation_bytes", census.activationBytes}};
}

static llvm::json::Object remarkToJson(const CollectedRemark &remark,
                                       const RootFinder &finder) {
  llvm::json::Object json{{"rule", remark.rule},
                          {"kind", remark.fused ? "fused" : "missed"},
                          {"code", remark.code},
                          {"text", remark.text},
                          {"loc", getLocationText(remark.loc)}};
  if (std::optional<int64_t> root = finder.find(remark.loc))
    json["root"] = *root;
  return json;
}

/// Counts what is asked most: roots by kind, and what convolutions absorbed.
static llvm::json::Object getSummary(const Explanation &explanation) {
  std::map<std::string, int64_t> counts = explanation.afterFusion.ops;
  // Named even where there are none.
  for (StringRef op : {"fusion.conv", "fusion.matmul", "fusion.pool",
                       "linalg.generic", "linalg.transpose"})
    counts[op.str()];
  llvm::json::Object summary = toJson(counts);
  int64_t batchNorm = 0, residual = 0, relu = 0;
  for (const RootInfo &root : explanation.roots) {
    if (root.op != "fusion.conv")
      continue;
    batchNorm += root.batchNorm;
    residual += root.residual;
    relu += root.relu;
  }
  summary["conv_with_batch_norm"] = batchNorm;
  summary["conv_with_residual"] = residual;
  summary["conv_with_relu"] = relu;
  return summary;
}

llvm::json::Object fusion::toJson(const Explanation &explanation,
                                  const RemarkLog &log,
                                  const RootFinder &finder) {
  llvm::json::Array roots, outside, remarks;
  for (const RootInfo &root : explanation.roots)
    roots.push_back(rootToJson(root));
  for (const OutsideInfo &op : explanation.outside)
    outside.push_back(outsideToJson(op));
  std::map<std::string, int64_t> refused;
  for (const CollectedRemark &remark : log.getRemarks()) {
    remarks.push_back(remarkToJson(remark, finder));
    if (!remark.fused)
      ++refused[remark.code];
  }
  llvm::json::Object memory{
      {"before", explanation.before.activationBytes},
      {"after_fusion", explanation.afterFusion.activationBytes}};
  if (explanation.workspaceBytes)
    memory["workspace"] = *explanation.workspaceBytes;
  if (explanation.liveBytes)
    memory["live"] = *explanation.liveBytes;
  if (explanation.workspaceSlots > 0)
    memory["workspace_slots"] = explanation.workspaceSlots;
  return llvm::json::Object{
      {"summary", getSummary(explanation)},
      {"roots", std::move(roots)},
      {"outside", std::move(outside)},
      {"remarks", std::move(remarks)},
      {"refused", toJson(refused)},
      {"memory_bytes", std::move(memory)},
      {"before", censusToJson(explanation.before)},
      {"after_fusion", censusToJson(explanation.afterFusion)},
      {"after_plan", censusToJson(explanation.afterPlan)}};
}
