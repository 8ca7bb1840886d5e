//===-- FileKind.h - Files that end -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked before a file is read as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_FILEKIND_H
#define MLIR_FUSION_FILEKIND_H

#include "llvm/Support/FileSystem.h"

namespace mlir::fusion {

/// A pipe may wait for ever, a device have no end.
inline bool isPipeOrDevice(llvm::StringRef path) {
  using llvm::sys::fs::file_type;
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         status.type() != file_type::regular_file &&
         status.type() != file_type::directory_file;
}

} // namespace mlir::fusion

#endif // MLIR_FUSION_FILEKIND_H
