//===-- Passes.h - The passes of this layer ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors, options and registration, generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_CONVERSION_PASSES_H
#define FUSIONDIALECT_CONVERSION_PASSES_H

#include "FusionDialect/Dialect/Fusion.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fusion {
#define GEN_PASS_DECL
#include "FusionDialect/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "FusionDialect/Conversion/Passes.h.inc"
} // namespace mlir::fusion

#endif // FUSIONDIALECT_CONVERSION_PASSES_H
