//===-- Profile.cpp - mlir-fusion profile ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a model that takes its own time at every site, measures what the
// machine can do in between, and holds one against the other.
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include "FusionDialect/Analysis/TargetInfo.h"
#include "LoadModel.h"
#include "Progress.h"
#include "Report.h"
#include "Roofline.h"
#include "Statistics.h"
#include "Tensors.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <optional>
#include <tuple>

using namespace mlir;
using namespace mlir::fusion;

/// How often everything of the machine is measured.
static constexpr unsigned kRooflineSamples = 10;

namespace {
/// What the library counts at each site.
struct Counter {
  uint64_t calls, ticks;
};

/// What happened at one site, or at several.
struct Row {
  std::string name, op;
  int64_t sites = 1;
  /// Of one call of the model: the median, and the least of all.
  double milliseconds = 0, least = 0;
  double calls = 0;
  /// Unknown if a size is dynamic.
  std::optional<double> flops, bytes;
  Bound bound;

  void add(const Row &other);
};

/// All that is told.
struct Profile {
  std::vector<Row> rows;
  /// Milliseconds of a call of the model, and of its sites together, sorted.
  SmallVector<double> calls, sums;
  /// Nanoseconds that a timestamp takes.
  double timestamp = 0;
};
} // namespace

void Row::add(const Row &other) {
  auto sum = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional<double>(*a + *b) : std::nullopt;
  };
  if (op != other.op)
    op = "";
  sites += other.sites;
  milliseconds += other.milliseconds;
  least += other.least;
  calls += other.calls;
  flops = sum(flops, other.flops);
  bytes = sum(bytes, other.bytes);
  if (bound.by != other.bound.by)
    bound.by = bound.by.empty() || other.bound.by.empty() ? "" : "several";
  bound.seconds += other.bound.seconds;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// The time-stamp counter, which the library reads too.
static uint64_t readTicks() { return __builtin_ia32_rdtsc(); }

/// Calls a function in the threads that the library's kernels run in, and says
/// how many these are: of a library that needs no libomp one.
static RunInThreadsFn getThreads(const Library &library, unsigned &threads) {
  // The threads of libomp itself: others would find it waiting for work on
  // their cores.
  using ParallelFn = void (*)(void (*)(void *), void *, unsigned, unsigned);
  auto parallel = reinterpret_cast<ParallelFn>(library.lookup("GOMP_parallel"));
  auto getNumber =
      reinterpret_cast<int (*)()>(library.lookup("omp_get_thread_num"));
  threads = parallel && getNumber ? getNumThreads() : 1;
  if (threads == 1)
    return [](llvm::function_ref<void(unsigned)> work) { work(0); };
  return [=](llvm::function_ref<void(unsigned)> work) {
    struct Context {
      llvm::function_ref<void(unsigned)> work;
      int (*getNumber)();
    } context{work, getNumber};
    parallel(
        [](void *data) {
          auto &context = *static_cast<Context *>(data);
          context.work(context.getNumber());
        },
        &context, threads, /*flags=*/0);
  };
}

/// What a timestamp takes, in ticks; the counter may move in steps of many.
static double measureTimestamp() {
  constexpr int kCount = 1000;
  uint64_t begin = readTicks();
  for (int i = 1; i < kCount; ++i)
    (void)readTicks();
  return double(readTicks() - begin) / kCount;
}

/// Takes the samples; the site's rows get their medians.
static FailureOr<Profile> measure(const Library &library,
                                  ArrayRef<void *> arguments,
                                  const ProfileOptions &options,
                                  Roofline &roofline) {
  using Clock = std::chrono::steady_clock;
  const std::vector<ProfileSite> &sites = *library.getSignature().profile;
  auto *counters = static_cast<const Counter *>(
      library.lookup(library.getSignature().name + "_profile"));
  if (!counters)
    return error("expected " + library.getSignature().name +
                 "_profile in the library");
  LoopProgress progress("profile", options.warmUp + options.repeat);
  for (unsigned i = 0; i < options.warmUp; ++i, progress.tick())
    if (failed(callModel(library, arguments)))
      return failure();

  Profile profile;
  uint64_t beginTicks = readTicks();
  auto beginTime = Clock::now();
  SmallVector<double> sums;
  std::vector<SmallVector<double>> ticks(sites.size());
  std::vector<uint64_t> calls(sites.size());
  unsigned every = llvm::divideCeil(options.repeat, kRooflineSamples);
  for (unsigned i = 0; i < options.repeat; ++i, progress.tick()) {
    if (i % every == 0) {
      roofline.measure();
      // Brings back what that drove out of the caches.
      (void)callModel(library, arguments);
    }
    SmallVector<Counter> before(counters, counters + sites.size());
    auto begin = Clock::now();
    (void)callModel(library, arguments);
    profile.calls.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - begin)
            .count());
    double sum = 0;
    for (size_t site = 0; site < sites.size(); ++site) {
      calls[site] += counters[site].calls - before[site].calls;
      ticks[site].push_back(counters[site].ticks - before[site].ticks);
      sum += ticks[site].back();
    }
    sums.push_back(sum);
  }
  std::chrono::duration<double, std::milli> time = Clock::now() - beginTime;
  double perTick = time.count() / (readTicks() - beginTicks);

  for (auto [site, samples, count] : llvm::zip_equal(sites, ticks, calls)) {
    Row &row = profile.rows.emplace_back();
    row.name = site.kernel.empty() ? site.op : site.kernel;
    row.op = site.op;
    llvm::sort(samples);
    row.milliseconds = getQuantile(samples, 0.5) * perTick;
    row.least = samples.front() * perTick;
    row.calls = double(count) / options.repeat;
  }
  for (double sum : sums)
    profile.sums.push_back(sum * perTick);
  llvm::sort(profile.calls);
  llvm::sort(profile.sums);
  profile.timestamp = measureTimestamp() * perTick * 1e6;
  return profile;
}

/// Adds what each site could do at most.
static void addBounds(Profile &profile, ArrayRef<ProfileSite> sites,
                      const Roofline &roofline) {
  double allConstants = 0;
  for (const ProfileSite &site : sites)
    allConstants += site.constantBytes.value_or(0);
  for (auto [row, site] : llvm::zip_equal(profile.rows, sites)) {
    if (!site.flops)
      continue;
    Work work;
    work.flops = *site.flops * row.calls;
    work.type = site.type;
    work.constantBytes = *site.constantBytes * row.calls;
    work.readBytes = (*site.readBytes - *site.constantBytes) * row.calls;
    work.writtenBytes = *site.writtenBytes * row.calls;
    row.flops = work.flops;
    row.bytes = work.constantBytes + work.readBytes + work.writtenBytes;
    row.bound = roofline.getBound(work, allConstants);
  }
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

static std::string formatRate(std::optional<double> amount, double ms) {
  if (!amount || *amount == 0 || ms <= 0)
    return "-";
  return formatFixed(*amount / ms * 1e-6, 1);
}

static std::string formatShare(double share) {
  return formatFixed(100 * share, 1) + " %";
}

static double getRoofShare(const Row &row) {
  return row.milliseconds > 0 ? row.bound.seconds * 1e3 / row.milliseconds : 0;
}

static const std::vector<std::string> kRateTitles = {
    ">µs", ">least", ">share",   ">Mflop",  ">GFLOP/s",
    ">MB", ">GB/s",  ">of roof", "bound by"};

static std::vector<std::string> getRateCells(const Row &row, double total) {
  auto formatMillions = [](std::optional<double> amount) {
    return amount ? formatFixed(*amount * 1e-6, 2) : "-";
  };
  bool bounded = !row.bound.by.empty();
  return {formatFixed(row.milliseconds * 1e3, 2),
          formatFixed(row.least * 1e3, 2),
          formatShare(total > 0 ? row.milliseconds / total : 0),
          formatMillions(row.flops),
          formatRate(row.flops, row.milliseconds),
          formatMillions(row.bytes),
          formatRate(row.bytes, row.milliseconds),
          bounded ? formatShare(getRoofShare(row)) : "-",
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
    llvm::append_range(cells, getRateCells(row, total));
    cells.push_back(sites[index].shape);
    cells.push_back(sites[index].location);
    table.addRow(cells);
  }
  table.print(os);
}

/// Rows of the same key as one; those that take longest come first.
static std::vector<Row> join(ArrayRef<Row> rows,
                             llvm::function_ref<StringRef(const Row &)> key) {
  llvm::MapVector<StringRef, Row> joined;
  for (const Row &row : rows) {
    auto [it, isNew] = joined.try_emplace(key(row), row);
    if (!isNew)
      it->second.add(row);
  }
  std::vector<Row> sorted;
  for (auto &[name, row] : joined)
    sorted.push_back(std::move(row));
  llvm::sort(sorted, [](const Row &a, const Row &b) {
    return std::tie(b.milliseconds, a.name) < std::tie(a.milliseconds, b.name);
  });
  return sorted;
}

static void printJoined(raw_ostream &os, StringRef title, ArrayRef<Row> rows,
                        llvm::function_ref<StringRef(const Row &)> key,
                        double total) {
  std::vector<std::string> titles{title.str(), ">sites"};
  llvm::append_range(titles, kRateTitles);
  Table table(titles);
  for (const Row &row : join(rows, key)) {
    std::vector<std::string> cells{key(row).str(), std::to_string(row.sites)};
    llvm::append_range(cells, getRateCells(row, total));
    table.addRow(cells);
  }
  table.print(os);
}

static StringRef getName(const Row &row) { return row.name; }
static StringRef getOp(const Row &row) { return row.op; }

/// What shares are of: medians of a noisy machine need not add up to that of
/// the whole call.
static double getTotal(ArrayRef<Row> rows) {
  double total = 0;
  for (const Row &row : rows)
    total += row.milliseconds;
  return total;
}

static void print(raw_ostream &os, const Profile &profile,
                  ArrayRef<ProfileSite> sites, const Roofline &roofline) {
  double call = getQuantile(profile.calls, 0.5);
  double sum = getQuantile(profile.sums, 0.5);
  double total = getTotal(profile.rows);
  printSites(os, profile, sites, total);
  os << "\n";
  printJoined(os, "kernel", profile.rows, getName, total);
  os << "\n";
  printJoined(os, "op", profile.rows, getOp, total);
  os << "\n";
  roofline.print(os);
  os << "\n"
     << profile.rows.size() << " sites: " << formatFixed(sum, 3) << " ms of "
     << formatFixed(call, 3) << " ms a call, " << formatShare(sum / call)
     << " (medians of " << profile.calls.size() << " calls; a timestamp takes "
     << formatFixed(profile.timestamp, 0) << " ns)\n";
}

static llvm::json::Value toJson(std::optional<double> value) {
  return value ? llvm::json::Value(*value) : llvm::json::Value(nullptr);
}

/// What rows of all kinds have.
static llvm::json::Object toJson(const Row &row, double total) {
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
      {"flops", toJson(row.flops)},
      {"gflops", getRate(row.flops)},
      {"bytes", toJson(row.bytes)},
      {"gbs", getRate(row.bytes)},
      {"roof_ms", bounded ? llvm::json::Value(row.bound.seconds * 1e3)
                          : llvm::json::Value(nullptr)},
      {"of_roof", bounded ? llvm::json::Value(getRoofShare(row))
                          : llvm::json::Value(nullptr)},
      {"bound_by", row.bound.by}};
}

static llvm::json::Object profileToJson(const Profile &profile,
                                        ArrayRef<ProfileSite> sites,
                                        const Roofline &roofline) {
  double call = getQuantile(profile.calls, 0.5);
  double sum = getQuantile(profile.sums, 0.5);
  double total = getTotal(profile.rows);
  llvm::json::Array siteRows, kernels, ops;
  for (auto [row, site] : llvm::zip_equal(profile.rows, sites)) {
    llvm::json::Object json = toJson(row, total);
    json["kernel"] = site.kernel;
    json["shape"] = site.shape;
    json["type"] = site.type;
    json["epilogue"] = llvm::json::Array(site.epilogue);
    json["loc"] = site.location;
    json["epilogue_flops"] = site.epilogueFlops;
    json["constant_bytes"] = site.constantBytes;
    siteRows.push_back(std::move(json));
  }
  for (const Row &row : join(profile.rows, getName)) {
    llvm::json::Object json = toJson(row, total);
    json["kernel"] = row.name;
    json["sites"] = row.sites;
    kernels.push_back(std::move(json));
  }
  for (const Row &row : join(profile.rows, getOp)) {
    llvm::json::Object json = toJson(row, total);
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

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runProfile(const Options &options) {
  CompileFlags flags = options.flags;
  flags.profile = true;
  FailureOr<Library> library = loadModel(flags, [&] {
    setNumThreads(options.profile.threads);
    bindThreads();
  });
  if (failed(library))
    return kBadInput;
  if (!library->getSignature().profile) {
    (void)error(flags.model +
                ": expected a library that was compiled with --profile");
    return kBadInput;
  }
  ArrayRef<ProfileSite> sites = *library->getSignature().profile;
  if (library->getSignature().threading == "none")
    bindThisThread();
  FailureOr<SmallVector<NpyArray>> inputs =
      getInputs(options.profile.inputs, library->getSignature());
  if (failed(inputs))
    return kBadInput;
  FailureOr<Signature> known = getSignatureFor(*library, *inputs);
  if (failed(known))
    return kBadInput;
  FailureOr<SmallVector<NpyArray>> results = makeArrays(known->outputs);
  if (failed(results))
    return kBadInput;
  SmallVector<void *> arguments = getArguments(*library, *inputs, *results);

  std::string problem;
  FailureOr<TargetInfo> target = TargetInfo::get(known->target, problem);
  if (failed(target)) {
    (void)error(problem);
    return kBadInput;
  }
  unsigned threads = 1;
  RunInThreadsFn run = getThreads(*library, threads);
  Roofline roofline(target->vectorBits, threads, std::move(run));
  FailureOr<Profile> profile =
      measure(*library, arguments, options.profile, roofline);
  if (failed(profile))
    return kBadInput;
  addBounds(*profile, sites, roofline);
  print(llvm::outs(), *profile, sites, roofline);
  if (options.profile.json.empty())
    return kSuccess;
  llvm::json::Object json = profileToJson(*profile, sites, roofline);
  json["model"] = flags.model;
  json["target"] = known->target;
  json["threads"] = threads;
  json["warmup"] = options.profile.warmUp;
  return failed(writeJson(options.profile.json, std::move(json))) ? kBadInput
                                                                  : kSuccess;
}
