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
  /// The signature with the sizes that inputs of these shapes give.
  llvm::Expected<Signature>
  getSignatureFor(ArrayRef<std::vector<int64_t>> inputShapes) const;
  /// Calls `<name>_run` on inputs, then outputs, each of dynamic shape followed
  /// by its dims; without a workspace with the thread's own. Returns what that
  /// returns (0 is success).
  llvm::Expected<int> run(ArrayRef<void *> arguments,
                          void *workspace = nullptr) const;
  /// The address of a symbol of the library or of one that it needs; null if
  /// there is none.
  void *lookup(const std::string &symbol) const;

private:
  Signature signature;
  void *handle = nullptr;
  void *function = nullptr, *outputShapes = nullptr, *shapeError = nullptr;
};

} // namespace mlir::fusion

#endif // MLIR_FUSION_LIBRARY_H
