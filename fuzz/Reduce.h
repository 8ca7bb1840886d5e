//===-- Reduce.h - Smaller graphs that still fail ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a failing graph becomes before it is printed.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_REDUCE_H
#define FUZZ_REDUCE_H

#include "Case.h"
#include <functional>

namespace mlir::fusion::fuzz {

/// What comes of a graph.
using CheckFn = std::function<Outcome(ModuleOp)>;

/// Shrinks the module in place, as long as the outcome stays of its kind; its
/// text becomes the smaller one's.
void reduceCase(ModuleOp module, Outcome &outcome, unsigned timeLimit,
                const CheckFn &check);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_REDUCE_H
