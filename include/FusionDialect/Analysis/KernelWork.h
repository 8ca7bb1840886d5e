//===-- KernelWork.h - What an op computes and moves ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and bytes of one op, for explain, for reports and for profiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_ANALYSIS_KERNELWORK_H
#define FUSIONDIALECT_ANALYSIS_KERNELWORK_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::fusion {

/// What fusion-outline-kernels says of a kernel, if it is asked to describe
/// kernels: a dictionary made by describeWork.
inline constexpr StringLiteral kWorkAttrName = "fusion.work";

/// Ops of a body that compute: not constants, indices and ends.
int64_t countArithmetic(Block &body);

/// Bytes of a tensor or memref of static shape, else 0.
int64_t getNumBytes(Type type);

/// The numbers of a description, in this order: `flops` (getFlops of a root,
/// ops of a body times trips of the loops else), those of the epilogue, and
/// bytes, each operand counted once: what is read, what of it is constant, and
/// what is written.
inline constexpr StringLiteral kWorkNumbers[] = {
    "flops", "epilogue_flops", "read_bytes", "constant_bytes", "written_bytes"};
/// In their place, if a size is dynamic: a map from sizes to all of them, and
/// the sizes: pairs of an operand and a dim.
inline constexpr StringLiteral kWorkMapName = "numbers";
inline constexpr StringLiteral kWorkSizesName = "sizes";

/// Describes an op on memrefs: `op` (its name), `shape` (operand types and
/// result type), `type` (what it computes in), `epilogue` (names of its ops)
/// and kWorkNumbers as i64 or, if a size is dynamic, kWorkMapName and
/// kWorkSizesName; neither of a root of dynamic sizes that has no kernel.
DictionaryAttr describeWork(Operation *op, const TargetInfo &target);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_ANALYSIS_KERNELWORK_H
