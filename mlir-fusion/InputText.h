//===-- InputText.h - A look at a model's text before parsing ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MLIR's parser does not survive.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_INPUTTEXT_H
#define MLIR_FUSION_INPUTTEXT_H

#include "mlir/Support/LLVM.h"

namespace mlir::fusion {

/// Brackets in brackets: the parser recurses at each.
inline constexpr int64_t kMaxBrackets = 1024;

/// Fails, with the place in the file `path`, where brackets of `text` are
/// nested deeper than kMaxBrackets or a resource wants an alignment of 0.
LogicalResult checkInputText(StringRef path, StringRef text);

} // namespace mlir::fusion

#endif // MLIR_FUSION_INPUTTEXT_H
