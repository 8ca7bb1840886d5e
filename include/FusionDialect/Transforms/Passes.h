//===-- Passes.h - The passes of this layer ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors, options and registration, generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TRANSFORMS_PASSES_H
#define FUSIONDIALECT_TRANSFORMS_PASSES_H

#include "FusionDialect/Transforms/Patterns.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fusion {
#define GEN_PASS_DECL
#include "FusionDialect/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "FusionDialect/Transforms/Passes.h.inc"
} // namespace mlir::fusion

#endif // FUSIONDIALECT_TRANSFORMS_PASSES_H
