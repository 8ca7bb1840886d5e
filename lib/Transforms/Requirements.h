//===-- Requirements.h - What ops expect of sizes ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by AssertSizes.cpp and DeriveShapes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fusion {

/// Asserts in front of `op`, an op on tensors, what it expects of sizes that
/// are not known yet: the same assertions for the same op.
SmallVector<cf::AssertOp> assertRequirements(Operation *op);

/// An assertion in the copy of a function.
struct SizeQuestion {
  cf::AssertOp assertion;
  /// What it is about in the function: the assertion itself or, of an op's
  /// requirements, one.
  Operation *original;
  std::optional<size_t> requirement;
};

/// Asserts in the copy all that ops of `function` expect, in branches and
/// loops, too.
SmallVector<SizeQuestion> askSizeQuestions(func::FuncOp function,
                                           const IRMapping &toCopy);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_REQUIREMENTS_H
