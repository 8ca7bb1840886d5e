//===-- AblateReport.h - What an ablation found -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filled in and told by ablate.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_ABLATEREPORT_H
#define MLIR_FUSION_ABLATEREPORT_H

#include "CodeSize.h"
#include "Options.h"
#include "Variants.h"

namespace mlir::fusion {

/// What came of a switch, or of the base.
struct Trial {
  /// Measured without samples: interrupted, or beside a wrong base.
  enum class Status { Measured, Unchanged, Failed, Wrong };

  /// The switch's name; empty for the base.
  std::string name;
  std::vector<std::string> disabled;
  Status status = Status::Measured;
  /// Of a failure or a wrong result.
  std::string problem;
  double compileMs = 0;
  CodeSize size;
  /// Bytes of the constants, and of the arena where its size is known.
  int64_t constantBytes = 0;
  std::optional<int64_t> arenaBytes;
  std::optional<Variant> variant;
  /// So slow that a few calls say it.
  bool isRough = false;

  bool isMeasured() const { return variant && !variant->samples.empty(); }
  /// Machine code and tables.
  int64_t getCodeBytes() const {
    return size.text.value_or(0) +
           std::max<int64_t>(size.readOnly.value_or(0) - constantBytes, 0);
  }
};

/// What came of all.
struct Ablation {
  explicit Ablation(const Options &options) : options(options) {}

  const Options &options;
  /// Those to try.
  std::vector<std::string> switches;
  /// The base, then the switches in their order.
  std::vector<Trial> trials;
  unsigned threads = 1;
  /// The base beside itself.
  std::optional<Interval> noise;
  bool interrupted = false;

  Trial &getBase() { return trials.front(); }
  const Trial &getBase() const { return trials.front(); }
  StringRef getBaseName() const {
    return options.ablate.addOne ? "nothing on" : "all on";
  }
};

void print(raw_ostream &os, const Ablation &ablation);
llvm::json::Object toJson(const Ablation &ablation);

} // namespace mlir::fusion

#endif // MLIR_FUSION_ABLATEREPORT_H
