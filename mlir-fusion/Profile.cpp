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
#include "ProfileReport.h"
#include "Progress.h"
#include "Report.h"
#include "Statistics.h"
#include "Tensors.h"
#include "Variants.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fusion;

/// How often everything of the machine is measured.
static constexpr unsigned kRooflineSamples = 10;

namespace {
/// What the library counts at each site.
struct Counter {
  uint64_t calls, ticks;
};

/// Likewise, of sites of dynamic sizes.
struct WorkCounter {
  uint64_t flops, epilogueFlops, readBytes, constantBytes, writtenBytes;
};
} // namespace

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

/// The work of a site in one call of the model, which calls it `callsInModel`
/// times: known when it was compiled, or counted in `calls` calls.
static std::optional<SiteWork> getWork(const ProfileSite &site,
                                       const WorkCounter *counted,
                                       uint64_t calls, double callsInModel) {
  if (site.flops)
    return SiteWork{
        *site.flops * callsInModel, *site.epilogueFlops * callsInModel,
        *site.readBytes * callsInModel, *site.constantBytes * callsInModel,
        *site.writtenBytes * callsInModel};
  if (!counted || !counted->writtenBytes)
    return std::nullopt;
  double share = callsInModel / calls;
  return SiteWork{counted->flops * share, counted->epilogueFlops * share,
                  counted->readBytes * share, counted->constantBytes * share,
                  counted->writtenBytes * share};
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
  // Of a library of an earlier version there is none.
  auto *works = static_cast<const WorkCounter *>(
      library.lookup(library.getSignature().name + "_profile_work"));
  LoopProgress progress("profile", options.warmUp + options.repeat);
  Profile profile;
  WarmUpClock clock(options.warmUpSeconds);
  for (; profile.warmUp < options.warmUp && !clock.isOver(profile.warmUp);
       ++profile.warmUp, progress.tick())
    if (failed(callModel(library, arguments)))
      return failure();

  uint64_t beginTicks = readTicks();
  auto beginTime = Clock::now();
  SmallVector<double> sums;
  std::vector<SmallVector<double>> ticks(sites.size());
  std::vector<uint64_t> calls(sites.size());
  unsigned every = llvm::divideCeil(options.repeat, kRooflineSamples);
  unsigned ofRoofline = 0;
  for (unsigned i = 0; i < options.repeat; ++i, progress.tick()) {
    if (i % every == 0) {
      roofline.measure();
      ++ofRoofline;
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
  // However few calls there are.
  for (; ofRoofline < kRooflineSamples; ++ofRoofline)
    roofline.measure();
  std::chrono::duration<double, std::milli> time = Clock::now() - beginTime;
  double perTick = time.count() / (readTicks() - beginTicks);

  for (auto [index, site] : llvm::enumerate(sites)) {
    SmallVector<double> &samples = ticks[index];
    ProfileRow &row = profile.rows.emplace_back();
    row.name = site.kernel.empty() ? site.op : site.kernel;
    row.op = site.op;
    llvm::sort(samples);
    row.milliseconds = getQuantile(samples, 0.5) * perTick;
    row.least = samples.front() * perTick;
    row.calls = double(calls[index]) / options.repeat;
    row.work = getWork(site, works ? &works[index] : nullptr,
                       counters[index].calls, row.calls);
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
  // A site in a loop reads the same ones again.
  double allConstants = 0;
  for (const ProfileRow &row : profile.rows)
    if (row.work && row.calls > 0)
      allConstants += row.work->constantBytes / row.calls;
  for (auto [row, site] : llvm::zip_equal(profile.rows, sites)) {
    if (!row.work)
      continue;
    Work work;
    work.flops = row.work->flops;
    work.type = site.type;
    work.constantBytes = row.work->constantBytes;
    work.readBytes = row.work->readBytes - row.work->constantBytes;
    work.writtenBytes = row.work->writtenBytes;
    row.bound = roofline.getBound(work, allConstants);
  }
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
  llvm::json::Object json = toJson(*profile, sites, roofline);
  json["model"] = flags.model;
  json["target"] = known->target;
  json["threads"] = threads;
  json["warmup"] = profile->warmUp;
  return failed(writeJson(options.profile.json, std::move(json))) ? kBadInput
                                                                  : kSuccess;
}
