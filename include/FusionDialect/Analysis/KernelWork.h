//===-- KernelWork.h - What an op computes and moves ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and bytes of one op, for explain, for reports and for profiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_KERNELWORK_H
#define FUSIONDIALECT_ANALYSIS_KERNELWORK_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::fusion {

/// What fusion-outline says of a kernel, if it is asked to describe kernels: a
/// dictionary made by describeWork.
inline constexpr StringLiteral kWorkAttrName = "fusion.work";

/// Ops of a body that compute: not constants, indices and ends.
int64_t countArithmetic(Block &body);

/// Bytes of a tensor or memref of static shape, else 0.
int64_t getNumBytes(Type type);

/// Describes an op on memrefs: `op` (its name), `shape` (operand types and
/// result type), `type` (what it computes in), `epilogue` (names of its ops)
/// and, if all sizes are static, i64 numbers: `flops` (getFlops of a root, ops
/// of a body times trips of the loops else), `epilogue_flops`, and bytes, each
/// operand counted once: `read_bytes`, `written_bytes` and, among what is read,
/// `constant_bytes`.
DictionaryAttr describeWork(Operation *op);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_KERNELWORK_H
