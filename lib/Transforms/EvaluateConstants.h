//===-- EvaluateConstants.h - Values known at compile time ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the rules that fold channel-sized arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H
#define FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::fusion {

/// The elements of `tensor` if it is a small constant, a reshape of one, or
/// float arithmetic of linalg ops on such, through a few of them; else nothing.
/// Computed in f64: rounded to the type of each op with `roundEach`, else not
/// at all.
std::optional<SmallVector<double>> evaluateConstant(Value tensor,
                                                    bool roundEach);

/// True if evaluateConstant knows `tensor`, without computing it.
bool isEvaluable(Value tensor);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TRANSFORMS_EVALUATECONSTANTS_H
