//===-- Statistics.cpp - What samples say ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is assumed of the distribution: times of calls have a long tail.
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::fusion;

double fusion::getQuantile(ArrayRef<double> sorted, double share) {
  return sorted[std::min<size_t>(sorted.size() - 1, share * sorted.size())];
}

SmallVector<double> fusion::getDeciles(ArrayRef<double> sorted) {
  SmallVector<double> deciles;
  for (int decile = 1; decile <= 9; ++decile)
    deciles.push_back(getQuantile(sorted, decile / 10.0));
  return deciles;
}

std::optional<Interval> fusion::getMedianInterval(ArrayRef<double> sorted) {
  // A sample is below the median with probability 1/2. The interval leaves out
  // as many samples at each end as keep both tails at 2.5 %.
  constexpr double kTail = 0.025;
  int64_t count = sorted.size(), leftOut = 0;
  double tail = 0;
  for (int64_t below = 0; below < count / 2; ++below) {
    tail += std::exp(std::lgamma(count + 1.0) - std::lgamma(below + 1.0) -
                     std::lgamma(count - below + 1.0) - count * std::log(2.0));
    if (tail > kTail)
      break;
    leftOut = below + 1;
  }
  if (leftOut == 0)
    return std::nullopt;
  return Interval{sorted[leftOut - 1], sorted[count - leftOut]};
}

Verdict fusion::judge(std::optional<Interval> ratio,
                      std::optional<Interval> noise) {
  if (!ratio || !noise)
    return Verdict::NoDifference;
  // Of ratios: half the time is as far from one as twice the time.
  double margin =
      std::max({noise->low, 1 / noise->low, noise->high, 1 / noise->high});
  if (ratio->low > margin)
    return Verdict::Slower;
  if (ratio->high < 1 / margin)
    return Verdict::Faster;
  return Verdict::NoDifference;
}
