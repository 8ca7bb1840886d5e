//===-- Fingerprint.h - Whether two modules are the same --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by ablate.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_FINGERPRINT_H
#define MLIR_FUSION_FINGERPRINT_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::fusion {

/// The same for two modules, also of different contexts, if and only if their
/// ops and constants are the same; locations do not matter.
std::string takeFingerprint(ModuleOp module);

} // namespace mlir::fusion

#endif // MLIR_FUSION_FINGERPRINT_H
