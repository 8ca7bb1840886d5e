//===-- Roofline.h - What this machine can do at most -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures arithmetic and bandwidths in the threads of a model, and says how
// fast work of a given kind could be; used by profile.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_ROOFLINE_H
#define MLIR_FUSION_ROOFLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <memory>

namespace mlir::fusion {

/// Calls a function in each of some threads at about the same time, with their
/// numbers.
using RunInThreadsFn =
    std::function<void(llvm::function_ref<void(unsigned thread)>)>;

/// A cache, or the memory behind all.
struct MemoryLevel {
  std::string name;
  /// Of all threads together; the largest number for the memory.
  int64_t capacity = 0;
  /// What each thread reads or copies in the measurement.
  int64_t bytesPerThread = 0;
  /// Bytes a second of all threads; what is copied counts twice.
  SmallVector<double> readRates, copyRates;

  double getReadRate() const;
  double getCopyRate() const;
};

/// Work of one kind.
struct Work {
  /// Of the type that `type` names.
  double flops = 0;
  std::string type;
  /// Bytes of activations, and of constants, which are read.
  double readBytes = 0, writtenBytes = 0, constantBytes = 0;
};

/// The least time for some work, and why it is not less.
struct Bound {
  double seconds = 0;
  /// "compute", or the level of memory; "" if there is no bound.
  std::string by;
};

class Roofline {
public:
  /// Measures with vectors of `vectorBits` in the `threads` threads that `run`
  /// calls.
  Roofline(unsigned vectorBits, unsigned threads, RunInThreadsFn run);
  ~Roofline();

  /// Takes one more sample of everything. Caches are filled with other things
  /// afterwards.
  void measure();

  /// Operations a second in elements of `type`; 0 if that is no f32 or f64.
  double getPeak(StringRef type) const;
  ArrayRef<MemoryLevel> getLevels() const { return levels; }

  /// Constants come from where `allConstants` bytes of them fit, since all are
  /// read before one is read again; activations from where those of this work
  /// fit. As much as is written is read at the rate of a copy.
  Bound getBound(const Work &work, double allConstants) const;

  void print(raw_ostream &os) const;
  llvm::json::Object toJson() const;

private:
  struct Buffer;

  const MemoryLevel &findLevel(double bytes) const;
  /// The sum of the threads' rates. `work` does some work and returns how much.
  double getRate(double seconds,
                 llvm::function_ref<double(unsigned thread)> work) const;

  unsigned vectorBits, threads;
  RunInThreadsFn run;
  std::vector<std::unique_ptr<Buffer>> buffers;
  SmallVector<MemoryLevel> levels;
  SmallVector<double> singleRates, doubleRates;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_ROOFLINE_H
