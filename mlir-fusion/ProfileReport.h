//===-- ProfileReport.h - What a profile found ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filled in and told by profile.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_PROFILEREPORT_H
#define MLIR_FUSION_PROFILEREPORT_H

#include "FusionDialect/Target/Signature.h"
#include "Roofline.h"
#include <optional>

namespace mlir::fusion {

/// What sites compute and move.
struct SiteWork {
  double flops = 0, epilogueFlops = 0;
  /// Constants are among what is read.
  double readBytes = 0, constantBytes = 0, writtenBytes = 0;

  double getBytes() const { return readBytes + writtenBytes; }
  void add(const SiteWork &other);
};

/// What happened at one site, or at several.
struct ProfileRow {
  std::string name, op;
  int64_t sites = 1;
  /// Of one call of the model: the median, and the least of all.
  double milliseconds = 0, least = 0;
  double calls = 0;
  /// Of one call of the model; unknown of what is no kernel.
  std::optional<SiteWork> work;
  Bound bound;

  void add(const ProfileRow &other);
  /// Whether a call takes so little that a timestamp of `nanoseconds` is a good
  /// part of it: it then says little of the machine.
  bool isTooShort(double nanoseconds) const;
};

/// All that is told.
struct Profile {
  std::vector<ProfileRow> rows;
  /// Calls before anything is timed.
  unsigned warmUp = 0;
  /// Milliseconds of a call of the model, and of its sites together, sorted.
  SmallVector<double> calls, sums;
  /// Nanoseconds that a timestamp takes.
  double timestamp = 0;
};

void print(raw_ostream &os, const Profile &profile, ArrayRef<ProfileSite> sites,
           const Roofline &roofline);
llvm::json::Object toJson(const Profile &profile, ArrayRef<ProfileSite> sites,
                          const Roofline &roofline);

} // namespace mlir::fusion

#endif // MLIR_FUSION_PROFILEREPORT_H
