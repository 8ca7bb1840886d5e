//===-- Coverage.h - What the compiler went through -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the rules that fire, the refusals, the kinds of kernels, and the paths
// of emitted code such as rests of vectors. What there is to be seen is listed,
// so that what never was shows, with a count of 0.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_COVERAGE_H
#define FUZZ_COVERAGE_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace mlir::fusion::fuzz {

/// How often a run has seen "rule NAME", "refusal NAME CODE: SENTENCE",
/// "kernel KIND TYPE", "path KIND, PATH", "op NAME".
using Coverage = std::map<std::string, int64_t>;

/// All rules, kernels and paths. Refusals are texts of the library's sources:
/// .ci/check-fuzz knows them.
std::vector<std::string> getCoverageNames();

/// Counts remarks of `context` from now on, or no more if `coverage` is null.
void countRemarks(MLIRContext &context, Coverage *coverage);

/// What a traced rule says: `LABEL on OP: applied, ROUNDING`.
void countRule(StringRef text, Coverage &coverage);

/// What the kernels of an outlined module compute, and how they go about it.
void countKernels(ModuleOp module, StringRef target, Coverage &coverage);

/// The vector ops of a vectorized module.
void countCode(ModuleOp module, Coverage &coverage);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_COVERAGE_H
