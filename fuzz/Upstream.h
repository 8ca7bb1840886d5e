//===-- Upstream.h - A graph by upstream's plain passes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What checks the reference: the same graph as plain loops, compiled.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_UPSTREAM_H
#define FUZZ_UPSTREAM_H

#include "Case.h"
#include "Evaluate.h"

namespace mlir::fusion::fuzz {

/// The results of `module`'s main by upstream's conversions to loops and LLVM,
/// without a pass of ours but the decomposition of roots and the cuts of pads.
/// Fails where they have no form for an op.
llvm::Expected<std::vector<Array>> runUpstream(ModuleOp module,
                                               ArrayRef<Input> inputs);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_UPSTREAM_H
