//===-- Passes.td - Passes that fuse and plan ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alphabetical.
#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "mlir/Rewrite/PassUtil.td"

#endif // FUSION_TRANSFORMS_PASSES
