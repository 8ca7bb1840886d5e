//===-- Header.h - The C header of a model --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Emit.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_HEADER_H
#define FUSIONDIALECT_LIB_TARGET_HEADER_H

#include "FusionDialect/Target/Signature.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fusion {

/// Declares and documents what an object and a library export.
void writeHeader(const Signature &signature, llvm::raw_ostream &os);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_HEADER_H
