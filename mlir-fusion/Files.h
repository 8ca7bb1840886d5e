//===-- Files.h - The files of a command ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked before anything runs, so that nothing is computed that then has no
// place; and the temporary ones.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_FILES_H
#define MLIR_FUSION_FILES_H

#include "Options.h"

namespace mlir::fusion {

/// Fails if a file that is written is another one of the command line, or
/// cannot be written where it is to be.
LogicalResult checkFiles(const Options &options);

/// A file that is gone with the object, or at a signal that ends the process.
class TemporaryFile {
public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// Makes an empty file that ends in `suffix`.
  LogicalResult create(StringRef suffix);
  StringRef getPath() const { return path; }

private:
  SmallString<128> path;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_FILES_H
