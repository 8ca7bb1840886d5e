//===-- Random.h - Numbers that are the same everywhere ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitMix64: a seed gives the same graph on every machine and library.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_RANDOM_H
#define FUZZ_RANDOM_H

#include "mlir/Support/LLVM.h"
#include <cmath>
#include <cstdint>

namespace mlir::fusion::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// From low to high, both included.
  int64_t range(int64_t low, int64_t high) {
    return low + int64_t(next() % uint64_t(high - low + 1));
  }
  /// True in `percent` of 100 cases.
  bool chance(int64_t percent) { return range(0, 99) < percent; }
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  /// Roughly normal.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 6; ++i)
      sum += uniform();
    return (sum - 3) * 1.4142;
  }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[range(0, int64_t(choices.size()) - 1)];
  }
  template <typename Range>
  auto pickFrom(const Range &choices) {
    return choices[size_t(range(0, int64_t(choices.size()) - 1))];
  }

private:
  uint64_t state;
};

} // namespace mlir::fusion::fuzz

#endif // FUZZ_RANDOM_H
