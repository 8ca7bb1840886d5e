//===-- Variants.h - Compiled variants that are compared --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks variants of a model against each other and measures them in turns, so
// that what disturbs one disturbs all; used by bench and ablate.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_VARIANTS_H
#define MLIR_FUSION_VARIANTS_H

#include "Library.h"
#include "Npy.h"
#include "Statistics.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <functional>
#include <limits>
#include <optional>

namespace mlir::fusion {

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
  /// Calls before anything was timed.
  unsigned warmUp = 0;
  /// Calls in a row that make one sample.
  int64_t callsPerSample = 1;
  /// The largest error against the base, relative to its largest value.
  double difference = 0;
  /// Milliseconds a call, and the same by the base's of the same turn; sorted
  /// once they are taken.
  SmallVector<double> samples, ratios;
};

/// Fails unless all take and give the same, as called with these inputs: sizes
/// that are dynamic in one may be static in another. `signature` is the first
/// one's.
LogicalResult checkSameSignature(ArrayRef<const Variant *> variants,
                                 ArrayRef<NpyArray> inputs,
                                 Signature &signature);

/// Calls the variant once, for its results.
LogicalResult callForResults(Variant &variant, const Signature &signature,
                             ArrayRef<NpyArray> inputs);

/// Where the variant's results are out of tolerance of those wanted, which are
/// `from`, in a sentence each. Raises `difference` to the largest error
/// relative to the largest value.
std::vector<std::string> findDifferences(const Variant &variant,
                                         ArrayRef<NpyArray> wanted,
                                         const Tolerance &tolerance,
                                         StringRef from, double &difference);

/// Milliseconds of each of `count` calls, or of those until it is cancelled.
SmallVector<double> timeCalls(const Variant &variant, unsigned count,
                              llvm::function_ref<bool()> isCancelled);

/// Ends a warm-up early that takes too long.
class WarmUpClock {
public:
  explicit WarmUpClock(double seconds) : seconds(seconds) {}
  /// Whether `calls` that were made are enough.
  bool isOver(unsigned calls) const;

private:
  double seconds;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

struct SampleOptions {
  unsigned warmUp, repeat;
  double warmUpSeconds = std::numeric_limits<double>::infinity();
  /// Asked between calls; what has not been measured in full is then left out.
  std::function<bool()> isCancelled = [] { return false; };
};

/// Warms all variants up and takes all samples. Each turn starts with another
/// variant; the first is measured once more, for the ratio of two equal things,
/// which is returned, sorted.
SmallVector<double> takeSamples(ArrayRef<Variant *> variants,
                                const SampleOptions &options);

/// "1.20 times slower", or that no difference was seen.
std::string describeRatio(ArrayRef<double> ratios,
                          std::optional<Interval> noise);
/// Four significant digits, whatever the size.
std::string formatMs(double ms);
std::string formatInterval(std::optional<Interval> interval);
/// [low, high], or null.
llvm::json::Value intervalToJson(std::optional<Interval> interval);

} // namespace mlir::fusion

#endif // MLIR_FUSION_VARIANTS_H
