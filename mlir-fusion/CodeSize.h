//===-- CodeSize.h - Sizes of what was compiled -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by compile's report and by ablate.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_CODESIZE_H
#define MLIR_FUSION_CODESIZE_H

#include "mlir/Support/LLVM.h"
#include <optional>

namespace mlir::fusion {

struct CodeSize {
  /// Of the file.
  int64_t file = 0;
  /// Machine code, and all read-only data; nothing if the file is no object.
  std::optional<int64_t> text, readOnly;
};

CodeSize getCodeSize(StringRef path);

} // namespace mlir::fusion

#endif // MLIR_FUSION_CODESIZE_H
