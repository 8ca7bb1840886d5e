//===-- Statistics.h - What samples say -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians, deciles and how sure a median is; used by run and bench.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_STATISTICS_H
#define MLIR_FUSION_STATISTICS_H

#include "mlir/Support/LLVM.h"

namespace mlir::fusion {

/// The value that a share of the `sorted` samples does not exceed.
double getQuantile(ArrayRef<double> sorted, double share);

/// The nine deciles of the `sorted` samples.
SmallVector<double> getDeciles(ArrayRef<double> sorted);

struct Interval {
  double low, high;
};

/// Where the median lies with a probability of at least 95 %, whatever the
/// distribution: two of the `sorted` samples, chosen by the binomial
/// distribution. Nothing if there are too few (five or less).
std::optional<Interval> getMedianInterval(ArrayRef<double> sorted);

/// What can be said of a ratio of times whose median lies in `ratio`, if the
/// same measure between equal things lies in `noise`.
enum class Verdict { NoDifference, Faster, Slower };
Verdict judge(std::optional<Interval> ratio, std::optional<Interval> noise);

} // namespace mlir::fusion

#endif // MLIR_FUSION_STATISTICS_H
