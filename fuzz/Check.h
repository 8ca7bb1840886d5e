//===-- Check.h - What all comparisons share --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Check.cpp and Soundness.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include "Case.h"
#include "Evaluate.h"

namespace mlir::fusion::fuzz {

/// A copy without the attributes of a test.
OwningOpRef<ModuleOp> cloneBare(ModuleOp module);

/// What @main means on these inputs.
llvm::Expected<std::vector<Array>> runReference(ModuleOp module,
                                                ArrayRef<Input> inputs,
                                                Precision precision,
                                                Sums sums = Sums::Written);

/// Where `got` is out of the bounds of `wanted`; empty if it is not. Counts in
/// `outcome`.
std::string compareArrays(ArrayRef<Array> got, ArrayRef<Array> wanted,
                          Outcome &outcome);

} // namespace mlir::fusion::fuzz

#endif // FUZZ_CHECK_H
