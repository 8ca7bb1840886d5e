//===-- ProfileReport.cpp - What a profile found --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables and the JSON: sites as they are, by kernel and by op.
//
//===----------------------------------------------------------------------===//

#include "ProfileReport.h"
#include "Report.h"
#include "Statistics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace mlir;
using namespace mlir::fusion;

void SiteWork::add(const SiteWork &other) {
  flops += other.flops;
  epilogueFlops += other.epilogueFlops;
  readBytes += other.readBytes;
  constantBytes += other.constantBytes;
  writtenBytes += other.writtenBytes;
}

void ProfileRow::add(const ProfileRow &other) {
  if (op != other.op)
    op = "";
  sites += other.sites;
  milliseconds += other.milliseconds;
  least += other.least;
  calls += other.calls;
  if (work && other.work)
    work->add(*other.work);
  else
    work.reset();
  if (bound.by != other.bound.by)
    bound.by = bound.by.empty() || other.bound.by.empty() ? "" : "several";
  bound.seconds += other.bound.seconds;
}

bool ProfileRow::isTooShort(double nanoseconds) const {
  constexpr double kLeastTimestamps = 10;
  return milliseconds * 1e6 < kLeastTimestamps * nanoseconds * calls;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static std::optional<double> getFlops(const ProfileRow &row) {
  return row.work ? std::optional<double>(row.work->flops) : std::nullopt;
}

static std::optional<double> getBytes(const ProfileRow &row) {
  return row.work ? std::optional<double>(row.work->getBytes()) : std::nullopt;
}

static std::string formatRate(std::optional<double> amount, double ms) {
  if (!amount || *amount == 0 || ms <= 0)
    return "-";
  return formatFixed(*amount / ms * 1e-6, 1);
}

static std::string formatShare(double share) {
  return formatFixed(100 * share, 1) + " %";
}

static double getRoofShare(const ProfileRow &row) {
  return row.milliseconds > 0 ? row.bound.seconds * 1e3 / row.milliseconds : 0;
}

static const std::vector<std::string> kRateTitles = {
    ">µs", ">least", ">share",   ">Mflop",  ">GFLOP/s",
    ">MB", ">GB/s",  ">of roof", "bound by"};

static std::vector<std::string>
getRateCells(const ProfileRow &row, const Profile &profile, double total) {
  auto formatMillions = [](std::optional<double> amount) {
    return amount ? formatFixed(*amount * 1e-6, 2) : "-";
  };
  bool bounded = !row.bound.by.empty();
  return {formatFixed(row.milliseconds * 1e3, 2),
          formatFixed(row.least * 1e3, 2),
          formatShare(total > 0 ? row.milliseconds / total : 0),
          formatMillions(getFlops(row)),
          formatRate(getFlops(row), row.milliseconds),
          formatMillions(getBytes(row)),
          formatRate(getBytes(row), row.milliseconds),
          bounded && !row.isTooShort(profile.timestamp)
              ? formatShare(getRoofShare(row))
              : "-",
          bounded ? row.bound.by : "-"};
}

/// Each site, in the order in which they run.
static void printSites(raw_ostream &os, const Profile &profile,
                       ArrayRef<ProfileSite> sites, double total) {
  std::vector<std::string> titles{">#", "kernel", "op"};
  llvm::append_range(titles, kRateTitles);
  llvm::append_range(titles, ArrayRef<std::string>{"shape", "location"});
  Table table(titles);
  for (auto [index, row] : llvm::enumerate(profile.rows)) {
    std::vector<std::string> cells{std::to_string(index),
                                   sites[index].kernel.empty() ? "-" : row.name,
                                   row.op};
    llvm::append_range(cells, getRateCells(row, profile, total));
    cells.push_back(sites[index].shape);
    cells.push_back(sites[index].location);
    table.addRow(cells);
  }
  table.print(os);
}

/// Rows of the same key as one; those that take longest come first.
static std::vector<ProfileRow>
join(ArrayRef<ProfileRow> rows,
     llvm::function_ref<StringRef(const ProfileRow &)> key) {
  llvm::MapVector<StringRef, ProfileRow> joined;
  for (const ProfileRow &row : rows) {
    auto [it, isNew] = joined.try_emplace(key(row), row);
    if (!isNew)
      it->second.add(row);
  }
  std::vector<ProfileRow> sorted;
  for (auto &[name, row] : joined)
    sorted.push_back(std::move(row));
  llvm::sort(sorted, [](const ProfileRow &a, const ProfileRow &b) {
    return std::tie(b.milliseconds, a.name) < std::tie(a.milliseconds, b.name);
  });
  return sorted;
}

static void printJoined(raw_ostream &os, StringRef title,
                        const Profile &profile,
                        llvm::function_ref<StringRef(const ProfileRow &)> key,
                        double total) {
  std::vector<std::string> titles{title.str(), ">sites"};
  llvm::append_range(titles, kRateTitles);
  Table table(titles);
  for (const ProfileRow &row : join(profile.rows, key)) {
    std::vector<std::string> cells{key(row).str(), std::to_string(row.sites)};
    llvm::append_range(cells, getRateCells(row, profile, total));
    table.addRow(cells);
  }
  table.print(os);
}

static StringRef getName(const ProfileRow &row) { return row.name; }
static StringRef getOp(const ProfileRow &row) { return row.op; }

/// What shares are of: medians of a noisy machine need not add up to that of
/// the whole call.
static double getTotal(ArrayRef<ProfileRow> rows) {
  double total = 0;
  for (const ProfileRow &row : rows)
    total += row.milliseconds;
  return total;
}

void fusion::print(raw_ostream &os, const Profile &profile,
                   ArrayRef<ProfileSite> sites, const Roofline &roofline) {
  double call = getQuantile(profile.calls, 0.5);
  double sum = getQuantile(profile.sums, 0.5);
  double total = getTotal(profile.rows);
  printSites(os, profile, sites, total);
  os << "\n";
  printJoined(os, "kernel", profile, getName, total);
  os << "\n";
  printJoined(os, "op", profile, getOp, total);
  os << "\n";
  roofline.print(os);
  os << "\n"
     << profile.rows.size() << " sites: " << formatFixed(sum, 3) << " ms of "
     << formatFixed(call, 3) << " ms a call, " << formatShare(sum / call)
     << " (medians of " << profile.calls.size() << " calls; a timestamp takes "
     << formatFixed(profile.timestamp, 0) << " ns)\n";
}

static llvm::json::Value numberToJson(std::optional<double> value) {
  return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
}

/// What rows of all kinds have.
static llvm::json::Object rowToJson(const ProfileRow &row,
                                    const Profile &profile, double total) {
  auto getRate = [&](std::optional<double> amount) {
    return amount && row.milliseconds > 0
               ? llvm::json::Value(*amount / row.milliseconds * 1e-6)
               : llvm::json::Value(nullptr);
  };
  bool bounded = !row.bound.by.empty();
  return llvm::json::Object{
      {"op", row.op},
      {"ms", row.milliseconds},
      {"least_ms", row.least},
      {"share", total > 0 ? row.milliseconds / total : 0},
      {"calls", row.calls},
      {"flops", numberToJson(getFlops(row))},
      {"gflops", getRate(getFlops(row))},
      {"bytes", numberToJson(getBytes(row))},
      {"gbs", getRate(getBytes(row))},
      {"roof_ms", bounded ? llvm::json::Value(row.bound.seconds * 1e3)
                          : llvm::json::Value(nullptr)},
      {"of_roof", bounded && !row.isTooShort(profile.timestamp)
                      ? llvm::json::Value(getRoofShare(row))
                      : llvm::json::Value(nullptr)},
      {"bound_by", row.bound.by}};
}

llvm::json::Object fusion::toJson(const Profile &profile,
                                  ArrayRef<ProfileSite> sites,
                                  const Roofline &roofline) {
  double call = getQuantile(profile.calls, 0.5);
  double sum = getQuantile(profile.sums, 0.5);
  double total = getTotal(profile.rows);
  llvm::json::Array siteRows, kernels, ops;
  for (auto [row, site] : llvm::zip_equal(profile.rows, sites)) {
    llvm::json::Object json = rowToJson(row, profile, total);
    json["kernel"] = site.kernel;
    json["shape"] = site.shape;
    json["type"] = site.type;
    json["epilogue"] = llvm::json::Array(site.epilogue);
    json["loc"] = site.location;
    json["epilogue_flops"] = row.work
                                 ? llvm::json::Value(row.work->epilogueFlops)
                                 : llvm::json::Value(nullptr);
    json["constant_bytes"] = row.work
                                 ? llvm::json::Value(row.work->constantBytes)
                                 : llvm::json::Value(nullptr);
    siteRows.push_back(std::move(json));
  }
  for (const ProfileRow &row : join(profile.rows, getName)) {
    llvm::json::Object json = rowToJson(row, profile, total);
    json["kernel"] = row.name;
    json["sites"] = row.sites;
    kernels.push_back(std::move(json));
  }
  for (const ProfileRow &row : join(profile.rows, getOp)) {
    llvm::json::Object json = rowToJson(row, profile, total);
    json["sites"] = row.sites;
    ops.push_back(std::move(json));
  }
  return llvm::json::Object{
      {"call_ms", call},
      {"call_deciles_ms", llvm::json::Array(getDeciles(profile.calls))},
      {"sites_ms", sum},
      {"samples", int64_t(profile.calls.size())},
      {"timestamp_ns", profile.timestamp},
      {"roofline", roofline.toJson()},
      {"sites", std::move(siteRows)},
      {"kernels", std::move(kernels)},
      {"ops", std::move(ops)}};
}
