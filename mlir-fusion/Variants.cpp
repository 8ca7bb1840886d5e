//===-- Variants.cpp - Compiled variants that are compared ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A difference is claimed only where it exceeds what equal things differ by.
//
//===----------------------------------------------------------------------===//

#include "Variants.h"
#include "Progress.h"
#include "Report.h"
#include "Shapes.h"
#include "Tensors.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

using Clock = std::chrono::steady_clock;

/// Shorter samples would measure the clock.
static constexpr double kMinSampleMs = 1;

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

LogicalResult fusion::checkSameSignature(ArrayRef<const Variant *> variants,
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
  for (const Variant *variant : variants) {
    FailureOr<Signature> known = getSignatureFor(variant->library, inputs);
    if (failed(known))
      return failure();
    std::string got = describe(*known);
    if (variant == variants.front()) {
      wanted = got;
      signature = std::move(*known);
    } else if (got != wanted) {
      return error(variant->name + ": expected " + wanted + " as in " +
                   variants.front()->name + ", got " + got);
    }
  }
  return success();
}

LogicalResult fusion::callForResults(Variant &variant,
                                     const Signature &signature,
                                     ArrayRef<NpyArray> inputs) {
  FailureOr<SmallVector<NpyArray>> results = makeArrays(signature.outputs);
  if (failed(results))
    return failure();
  variant.results = std::move(*results);
  variant.arguments = getArguments(variant.library, inputs, variant.results);
  return callModel(variant.library, variant.arguments);
}

std::vector<std::string> fusion::findDifferences(const Variant &variant,
                                                 ArrayRef<NpyArray> wanted,
                                                 const Tolerance &tolerance,
                                                 StringRef from,
                                                 double &difference) {
  std::vector<std::string> sentences;
  for (auto [index, got, want] : llvm::enumerate(variant.results, wanted)) {
    NpyDifference found = compare(got, want, tolerance);
    if (found.largestError != 0)
      difference =
          std::max(difference, found.largestError / found.largestWanted);
    if (found.numBad == 0)
      continue;
    llvm::raw_string_ostream(sentences.emplace_back())
        << "result " << index << ": " << found.numBad << " of "
        << want.getNumElements() << " elements out of tolerance of " << from
        << ", first at " << formatIndex(found.firstBad, want.shape) << ": "
        << variant.name << " has " << got.getElement(found.firstBad) << ", "
        << from << " has " << want.getElement(found.firstBad);
  }
  return sentences;
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

SmallVector<double> fusion::timeCalls(const Variant &variant, unsigned count,
                                      llvm::function_ref<bool()> isCancelled) {
  SmallVector<double> times;
  for (unsigned i = 0; i < count && !isCancelled(); ++i)
    times.push_back(callMs(variant, 1));
  return times;
}

/// Finds how many calls make a sample.
static void chooseCallsPerSample(Variant &variant) {
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

/// The samples of one turn, or nothing if it was cancelled: the first variant's
/// comes first and last.
static SmallVector<double> takeTurn(ArrayRef<Variant *> variants, unsigned turn,
                                    const SampleOptions &options,
                                    LoopProgress &progress) {
  size_t count = variants.size(), steps = count > 1 ? count + 1 : 1;
  SmallVector<double> times(steps);
  for (size_t i = 0; i < steps; ++i) {
    if (options.isCancelled())
      return {};
    size_t step = (turn + i) % steps;
    times[step] = sample(*variants[step % count]);
    progress.tick();
  }
  return times;
}

bool WarmUpClock::isOver(unsigned calls) const {
  constexpr unsigned kLeastCalls = 5;
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  return calls >= kLeastCalls && spent.count() >= seconds;
}

SmallVector<double> fusion::takeSamples(ArrayRef<Variant *> variants,
                                        const SampleOptions &options) {
  SmallVector<double> same;
  {
    LoopProgress progress("warm up", options.warmUp * variants.size());
    for (Variant *variant : variants) {
      WarmUpClock clock(options.warmUpSeconds);
      for (; variant->warmUp < options.warmUp && !clock.isOver(variant->warmUp);
           ++variant->warmUp, progress.tick()) {
        if (options.isCancelled())
          return same;
        callMs(*variant, 1);
      }
      chooseCallsPerSample(*variant);
    }
  }
  LoopProgress progress("measure", options.repeat * (variants.size() + 1));
  for (unsigned turn = 0; turn < options.repeat; ++turn) {
    SmallVector<double> times = takeTurn(variants, turn, options, progress);
    if (times.empty())
      break;
    for (auto [variant, time] : llvm::zip(variants, times)) {
      variant->samples.push_back(time);
      variant->ratios.push_back(time / times.front());
    }
    same.push_back(times.back() / times.front());
  }
  for (Variant *variant : variants) {
    llvm::sort(variant->samples);
    llvm::sort(variant->ratios);
  }
  llvm::sort(same);
  return same;
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

std::string fusion::describeRatio(ArrayRef<double> ratios,
                                  std::optional<Interval> noise) {
  Verdict verdict = judge(getMedianInterval(ratios), noise);
  if (verdict == Verdict::NoDifference)
    return "no difference seen";
  double ratio = getQuantile(ratios, 0.5);
  bool slower = verdict == Verdict::Slower;
  return formatFixed(slower ? ratio : 1 / ratio, 2) + " times " +
         (slower ? "slower" : "faster");
}

std::string fusion::formatMs(double ms) {
  int digits = ms > 0 ? 3 - int(std::floor(std::log10(ms))) : 3;
  return formatFixed(ms, std::clamp(digits, 0, 7));
}

std::string fusion::formatInterval(std::optional<Interval> interval) {
  if (!interval)
    return "too few samples";
  return formatFixed(interval->low, 3) + " to " +
         formatFixed(interval->high, 3);
}

llvm::json::Value fusion::intervalToJson(std::optional<Interval> interval) {
  if (!interval)
    return nullptr;
  return llvm::json::Array{interval->low, interval->high};
}
