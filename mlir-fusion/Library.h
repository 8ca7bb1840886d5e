//===-- Library.h - A compiled model in this process ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a library that `mlir-fusion compile` made and calls its `<name>_run`;
// all it knows of it is the signature inside.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_LIBRARY_H
#define MLIR_FUSION_LIBRARY_H

#include "FusionDialect/Target/Signature.h"
#include "mlir/Support/LLVM.h"

namespace mlir::fusion {

/// True if the file is a shared library of any kind.
bool isLibrary(StringRef path);

class Library {
public:
  /// Loads the library at `path`; `name` chooses among several models in it.
  static llvm::Expected<Library> open(StringRef path, StringRef name);

  const Signature &getSignature() const { return signature; }
  /// Calls `<name>_run` on inputs, then outputs, with the thread's own
  /// workspace; returns what that returns (0 is success).
  llvm::Expected<int> run(ArrayRef<void *> tensors) const;

private:
  Signature signature;
  void *function = nullptr;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_LIBRARY_H
