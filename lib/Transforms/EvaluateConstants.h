//===-- EvaluateConstants.h - Values known at compile time ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the rules that fold arithmetic on channels and on integers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace mlir::fusion {

/// The elements of `tensor` if it is a small constant, a reshape of one, or
/// float arithmetic of linalg ops on such, through a few of them; else nothing.
/// Computed in f64: rounded to the type of each op with `roundEach`, else not
/// at all.
std::optional<SmallVector<double>> evaluateConstant(Value tensor,
                                                    bool roundEach);

/// The values of float arithmetic in a body, each op rounded to its type:
/// `getArgument` gives those of the body's arguments, one or one for each of
/// the same elements. Nothing if one is not known, or by more than a few ops.
std::optional<SmallVector<double>>
evaluateScalar(Value scalar,
               function_ref<std::optional<SmallVector<double>>(BlockArgument)>
                   getArgument);

/// The result of `op` if it is integer arithmetic on constants, elementwise or
/// a sum, and takes no more elements than they; else null.
ElementsAttr evaluateIntegers(linalg::LinalgOp op);

/// How far each loop steps in the row-major elements of `shape` that `map`
/// indexes by loops and constants.
SmallVector<int64_t> getLoopStrides(AffineMap map, ArrayRef<int64_t> shape);

/// True if evaluateConstant knows `tensor`, without computing it.
bool isEvaluable(Value tensor);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H
