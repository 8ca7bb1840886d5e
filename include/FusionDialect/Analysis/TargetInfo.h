//===-- TargetInfo.h - What is known of the CPU -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked by the plan, the kernel emitter and the code generator.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_TARGETINFO_H
#define FUSIONDIALECT_ANALYSIS_TARGETINFO_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::fusion {

/// Rows (scalars broadcast from the lhs) and vectors of columns that one
/// micro-kernel keeps in registers.
struct RegisterTile {
  int64_t rows;
  int64_t vectors;
};

/// A description of an x86-64 CPU.
struct TargetInfo {
  /// LLVM's name of the CPU ("x86-64-v3", "znver4"); never "host".
  std::string cpu;
  /// LLVM's feature string ("+avx2,+fma,…"); for named CPUs empty: the name
  /// says it.
  std::string features;
  unsigned vectorBits = 128;
  unsigned vectorRegisters = 16;
  /// Instructions for f16 to f32 and back.
  bool convertsHalf = false;

  /// The CPU called `name`: "host", "x86-64", "x86-64-v2", "x86-64-v3",
  /// "x86-64-v4" or any CPU LLVM knows. Fails with a message in `error`.
  static FailureOr<TargetInfo> get(StringRef name, std::string &error);

  /// Lanes of one vector of `elementType`; at least 1.
  int64_t getLanes(Type elementType) const;
  /// The tile of the matrix-product micro-kernel: 14 x 2 vectors with 32
  /// registers, 6 x 2 with 16 (one register each is left for the broadcast and
  /// the vectors of weights).
  RegisterTile getRegisterTile() const;
  /// Output channels packed together: lanes times vectors of the tile.
  int64_t getPackedBlock(Type elementType) const;
};

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_TARGETINFO_H
