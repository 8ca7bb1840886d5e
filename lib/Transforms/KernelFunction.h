//===-- KernelFunction.h - One op as a function -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the pass --fusion-outline-kernels.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_KERNELFUNCTION_H
#define FUSIONDIALECT_LIB_TRANSFORMS_KERNELFUNCTION_H

#include "FusionDialect/Analysis/TargetInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fusion {

/// A function that does the work of one op, and how to call it.
struct KernelFunction {
  /// A module of its own, in no other one, that holds `function` alone.
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  /// The range that stands for the whole work is 0 to `units`: an attribute or
  /// what the caller computes.
  OpFoldResult units;
  /// What the call passes, without the range: made at the builder's insertion
  /// point.
  SmallVector<Value> operands;
  /// Of each operand of the op, its place among `operands`; of a constant,
  /// which is in the kernel, there is none.
  SmallVector<std::optional<unsigned>> places;
};

/// True if `op` computes on buffers and becomes a kernel: a root, another
/// linalg op, a copy.
bool isKernelOp(Operation *op);

/// Makes the kernel of `op`, with a loop cut into units if `cut` (a root always
/// has its plan's units); the call's operands are made at `builder`'s insertion
/// point. Fails where a root has no kernel.
FailureOr<KernelFunction> buildKernelFunction(OpBuilder &builder, Operation *op,
                                              const TargetInfo &target,
                                              bool cut);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_KERNELFUNCTION_H
