//===-- Bench.cpp - mlir-fusion bench -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures variants in turns, so that what disturbs one disturbs all, and
// claims a difference only where it exceeds what equal things differ by.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "LoadModel.h"
#include "Progress.h"
#include "Report.h"
#include "Statistics.h"
#include "Tensors.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

using Clock = std::chrono::steady_clock;

/// Shorter samples would measure the clock.
static constexpr double kMinSampleMs = 1;

namespace {
struct Variant {
  Variant(std::string name, std::string model,
          std::vector<std::string> disabled, Library library)
      : name(std::move(name)), model(std::move(model)),
        disabled(std::move(disabled)), library(std::move(library)) {}

  std::string name, model;
  std::vector<std::string> disabled;
  Library library;
  SmallVector<NpyArray> results;
  SmallVector<void *> arguments;
  /// Calls in a row that make one sample.
  int64_t callsPerSample = 1;
  /// The largest error against the base, relative to its largest value.
  double difference = 0;
  /// Milliseconds a call, and the same by the base's of the same turn.
  SmallVector<double> samples, ratios;
};
} // namespace

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// Each model as the flags say, then once for each --disable.
static FailureOr<std::vector<Variant>> loadVariants(const Options &options) {
  std::vector<std::vector<std::string>> disables = options.bench.disable;
  disables.insert(disables.begin(), std::vector<std::string>());
  std::vector<Variant> variants;
  for (const std::string &model : options.bench.models)
    for (const std::vector<std::string> &disable : disables) {
      CompileFlags flags = options.flags;
      flags.model = model;
      flags.disable = disable;
      FailureOr<Library> library = loadModel(flags, [&] {
        setNumThreads(options.bench.threads);
        bindThreads();
      });
      if (failed(library))
        return failure();
      std::string name = llvm::sys::path::filename(model).str();
      if (!disable.empty())
        name += " without " + llvm::join(disable, ",");
      variants.push_back(Variant(name, model, disable, std::move(*library)));
    }
  return variants;
}

/// Compares the variants as called with these inputs: sizes that are dynamic in
/// one may be static in another.
static LogicalResult checkSameSignature(ArrayRef<Variant> variants,
                                        ArrayRef<NpyArray> inputs,
                                        Signature &signature) {
  auto describe = [](const Signature &signature) {
    std::string text = "(";
    llvm::raw_string_ostream os(text);
    auto print = [&](const TensorSignature &tensor) {
      os << getTypeString(tensor);
    };
    llvm::interleaveComma(signature.inputs, os, print);
    os << ") -> (";
    llvm::interleaveComma(signature.outputs, os, print);
    os << ")";
    return text;
  };
  std::string wanted;
  for (const Variant &variant : variants) {
    FailureOr<Signature> known = getSignatureFor(variant.library, inputs);
    if (failed(known))
      return failure();
    std::string got = describe(*known);
    if (&variant == &variants.front()) {
      wanted = got;
      signature = std::move(*known);
    } else if (got != wanted) {
      return error(variant.name + ": expected " + wanted + " as in " +
                   variants.front().name + ", got " + got);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Compares results with those expected and says on stdout where they differ.
static bool checkResults(const Variant &variant, ArrayRef<NpyArray> wanted,
                         const Tolerance &tolerance, StringRef from,
                         double &difference) {
  bool right = true;
  for (auto [index, got, want] : llvm::enumerate(variant.results, wanted)) {
    NpyDifference found = compare(got, want, tolerance);
    if (found.largestError != 0)
      difference =
          std::max(difference, found.largestError / found.largestWanted);
    if (found.numBad == 0)
      continue;
    right = false;
    llvm::outs() << variant.name << ": result " << index << ": " << found.numBad
                 << " of " << want.getNumElements()
                 << " elements out of tolerance of " << from << ", first at "
                 << formatIndex(found.firstBad, want.shape) << ": got "
                 << got.getElement(found.firstBad) << ", expected "
                 << want.getElement(found.firstBad) << "\n";
  }
  return right;
}

/// Calls each variant once, and compares all with the first and that with
/// what is expected.
static FailureOr<bool> checkVariants(MutableArrayRef<Variant> variants,
                                     const BenchOptions &options,
                                     const Signature &signature,
                                     ArrayRef<NpyArray> inputs) {
  bool right = true;
  for (Variant &variant : variants) {
    FailureOr<SmallVector<NpyArray>> results = makeArrays(signature.outputs);
    if (failed(results))
      return failure();
    variant.results = std::move(*results);
    variant.arguments = getArguments(variant.library, inputs, variant.results);
    if (failed(callModel(variant.library, variant.arguments)))
      return failure();
    right &= checkResults(variant, variants.front().results, options.tolerance,
                          variants.front().name, variant.difference);
  }
  if (options.expected.empty())
    return right;
  FailureOr<SmallVector<NpyArray>> wanted =
      readArrays(options.expected, "result", signature.outputs);
  if (failed(wanted))
    return failure();
  double error = 0;
  return right & checkResults(variants.front(), *wanted, options.tolerance,
                              "what is expected", error);
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

static double callMs(const Variant &variant, int64_t calls) {
  auto begin = Clock::now();
  for (int64_t i = 0; i < calls; ++i)
    (void)callModel(variant.library, variant.arguments);
  std::chrono::duration<double, std::milli> time = Clock::now() - begin;
  return time.count();
}

/// Warms the variant up and finds how many calls make a sample.
static void warmUp(Variant &variant, unsigned calls) {
  LoopProgress progress("warm up", calls);
  for (unsigned i = 0; i < calls; ++i) {
    callMs(variant, 1);
    progress.tick();
  }
  int64_t &count = variant.callsPerSample;
  for (;;) {
    // The least of three: one alone may have been interrupted.
    double time = callMs(variant, count);
    for (int i = 0; i < 2 && time >= kMinSampleMs; ++i)
      time = std::min(time, callMs(variant, count));
    if (time >= kMinSampleMs)
      return;
    // A little more than should do, since times vary.
    double wanted = 1.2 * count * kMinSampleMs / time;
    count = std::max<int64_t>(count + 1, std::min(count * 16.0, wanted));
  }
}

/// One sample, after a call that brings back what other variants drove out of
/// the caches.
static double sample(const Variant &variant) {
  callMs(variant, 1);
  return callMs(variant, variant.callsPerSample) / variant.callsPerSample;
}

/// Takes all samples. Each turn starts with another variant; the base is
/// measured once more, for the ratio of two equal things, which is returned.
static SmallVector<double> takeSamples(MutableArrayRef<Variant> variants,
                                       const BenchOptions &options) {
  for (Variant &variant : variants)
    warmUp(variant, options.warmUp);
  SmallVector<double> same;
  size_t count = variants.size(), steps = count > 1 ? count + 1 : 1;
  LoopProgress progress("measure", options.repeat * steps);
  for (unsigned turn = 0; turn < options.repeat; ++turn) {
    SmallVector<double> times(steps);
    for (size_t i = 0; i < steps; ++i) {
      size_t step = (turn + i) % steps;
      times[step] = sample(variants[step % count]);
      progress.tick();
    }
    for (size_t i = 0; i < count; ++i) {
      variants[i].samples.push_back(times[i]);
      variants[i].ratios.push_back(times[i] / times[0]);
    }
    same.push_back(times.back() / times.front());
  }
  for (Variant &variant : variants) {
    llvm::sort(variant.samples);
    llvm::sort(variant.ratios);
  }
  llvm::sort(same);
  return same;
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

static std::string describeVerdict(Verdict verdict, double ratio) {
  if (verdict == Verdict::NoDifference)
    return "no difference seen";
  bool slower = verdict == Verdict::Slower;
  return formatFixed(slower ? ratio : 1 / ratio, 2) + " times " +
         (slower ? "slower" : "faster");
}

/// Four significant digits, whatever the size.
static std::string formatMs(double ms) {
  int digits = ms > 0 ? 3 - int(std::floor(std::log10(ms))) : 3;
  return formatFixed(ms, std::clamp(digits, 0, 7));
}

static std::string formatInterval(std::optional<Interval> interval) {
  if (!interval)
    return "too few samples";
  return formatFixed(interval->low, 3) + " to " +
         formatFixed(interval->high, 3);
}

static llvm::json::Value intervalToJson(std::optional<Interval> interval) {
  if (!interval)
    return nullptr;
  return llvm::json::Array{interval->low, interval->high};
}

/// Prints the table and gives its rows for the file.
static llvm::json::Array reportVariants(ArrayRef<Variant> variants,
                                        std::optional<Interval> noise) {
  bool compared = variants.size() > 1;
  std::vector<std::string> titles{"variant", ">median ms", ">10 %", ">90 %",
                                  ">calls a sample"};
  if (compared)
    titles.insert(titles.end(), {">ratio", "95 % interval", "verdict"});
  Table table(titles);
  llvm::json::Array rows;
  for (const Variant &variant : variants) {
    double median = getQuantile(variant.samples, 0.5);
    SmallVector<double> deciles = getDeciles(variant.samples);
    std::vector<std::string> cells{
        variant.name, formatMs(median), formatMs(deciles.front()),
        formatMs(deciles.back()), std::to_string(variant.callsPerSample)};
    llvm::json::Object row{{"name", variant.name},
                           {"model", variant.model},
                           {"disabled", llvm::json::Array(variant.disabled)},
                           {"median_ms", median},
                           {"least_ms", variant.samples.front()},
                           {"deciles_ms", llvm::json::Array(deciles)},
                           {"calls_per_sample", variant.callsPerSample},
                           {"largest_error_of_largest", variant.difference}};
    if (&variant != &variants.front()) {
      double ratio = getQuantile(variant.ratios, 0.5);
      std::optional<Interval> interval = getMedianInterval(variant.ratios);
      std::string verdict = describeVerdict(judge(interval, noise), ratio);
      cells.insert(cells.end(),
                   {formatFixed(ratio, 3), formatInterval(interval), verdict});
      row["ratio"] = ratio;
      row["ratio_interval"] = intervalToJson(interval);
      row["verdict"] = verdict;
    } else if (compared) {
      cells.insert(cells.end(), {"1", "", ""});
    }
    table.addRow(cells);
    rows.push_back(std::move(row));
  }
  table.print(llvm::outs());
  return rows;
}

//===----------------------------------------------------------------------===//
// The subcommand
//===----------------------------------------------------------------------===//

ExitCode fusion::runBench(const Options &options) {
  const BenchOptions &bench = options.bench;
  FailureOr<std::vector<Variant>> variants = loadVariants(options);
  if (failed(variants))
    return kBadInput;
  bool threaded = llvm::any_of(*variants, [](const Variant &variant) {
    return variant.library.getSignature().threading != "none";
  });
  if (!threaded)
    bindThisThread();
  FailureOr<SmallVector<NpyArray>> inputs =
      getInputs(bench.inputs, variants->front().library.getSignature());
  Signature signature;
  if (failed(inputs) ||
      failed(checkSameSignature(*variants, *inputs, signature)))
    return kBadInput;
  FailureOr<bool> right = checkVariants(*variants, bench, signature, *inputs);
  if (failed(right))
    return kBadInput;
  if (!*right)
    return kMismatch;

  SmallVector<double> same = takeSamples(*variants, bench);
  std::optional<Interval> noise = getMedianInterval(same);
  llvm::json::Object json{{"warmup", bench.warmUp},
                          {"samples", bench.repeat},
                          {"threads", threaded ? getNumThreads() : 1},
                          {"variants", reportVariants(*variants, noise)}};
  if (variants->size() > 1) {
    llvm::outs() << "noise: the first one by itself is "
                 << formatInterval(noise) << "\n";
    json["noise"] = intervalToJson(noise);
  }
  if (!bench.json.empty() && failed(writeJson(bench.json, std::move(json))))
    return kBadInput;
  return kSuccess;
}
