//===-- TargetInfo.h - What is known of the CPU -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by the plan, the kernel emitter and the code generator. docs/Targets.md
// says where the numbers come from.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_TARGETINFO_H
#define FUSIONDIALECT_ANALYSIS_TARGETINFO_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir {
class Location;
} // namespace mlir

namespace mlir::fusion {

/// A description of an x86-64 CPU. Numbers are of one core; a bandwidth is what
/// one core reads in a stream, in bytes of each of its cycles.
struct TargetInfo {
  /// LLVM's name of the CPU ("x86-64-v3", "znver4"); never "host".
  std::string cpu;
  /// LLVM's feature string ("+avx2,+fma,…"); for named CPUs empty: the name
  /// says it.
  std::string features;
  /// Instructions for f16 to f32 and back.
  bool convertsHalf = false;
  /// Whether it multiplies and adds in one instruction.
  bool hasMultiplyAdd = false;

  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;
  /// Multiply-adds of whole vectors that start in each cycle, and the cycles
  /// until the result of one is there.
  int64_t multiplyAddPorts = 1, multiplyAddLatency = 4;
  /// Bytes of the data caches; of the last level, all that its cores share.
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  int64_t l1Bandwidth = 0, l2Bandwidth = 0, l3Bandwidth = 0,
          memoryBandwidth = 0;
  /// Cycles until what was not in any cache is there.
  int64_t memoryLatency = 0;
  /// Cores that share the last level of cache.
  int64_t cores = 1;

  /// An x86 CPU looks into its first-level cache while it translates an
  /// address, so what a way holds is a page, and what is a multiple of it apart
  /// shares a set.
  static constexpr int64_t kL1WayBytes = 4096;

  /// The target `text` describes: CPU[:FACT=VALUE,…]. The CPU is "host",
  /// "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4" or any CPU LLVM knows;
  /// facts are those of getTargetFacts. Only "host" looks at this machine.
  /// Fails with a message in `error`.
  static FailureOr<TargetInfo> get(StringRef text, std::string &error);

  /// As above, and a problem is an error at `loc`.
  static FailureOr<TargetInfo> get(Location loc, StringRef text);

  /// What passes ask: the target for `op`. What a `dlti.target_system_spec` of
  /// `op` or of an op around it says of the device "CPU" goes before what is
  /// known of the CPU, and what `text` says before both. Emits an error where
  /// either is wrong.
  static FailureOr<TargetInfo> get(Operation *op, StringRef text);

  /// Takes sizes of caches and the number of cores from Linux's `folder`, such
  /// as /sys/devices/system/cpu; what is missing there stays as it is.
  void readSystem(StringRef folder);

  /// Lanes of one vector of `elementType`; at least 1.
  int64_t getLanes(Type elementType) const;
  /// Ways of the first-level cache.
  int64_t getL1Ways() const {
    return std::max<int64_t>(l1Bytes / kL1WayBytes, 1);
  }
};

/// A number in a TargetInfo that has a name, so that it can be printed and
/// said otherwise.
struct TargetFact {
  /// In a target's text.
  StringLiteral name;
  /// In a device's specification of the dialect dlti.
  StringLiteral key;
  /// "bits", "bytes", "bytes/cycle", "cycles" or empty.
  StringLiteral unit;
  StringLiteral description;
  int64_t TargetInfo::*member;
  int64_t least, most;
  /// Whether only powers of two are possible.
  bool powerOfTwo = false;
};

/// All of them, in the order they are printed.
ArrayRef<TargetFact> getTargetFacts();

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_TARGETINFO_H
