//===-- Linker.h - Objects to one object or a library ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by Emit.cpp and JIT.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_LIB_TARGET_LINKER_H
#define FUSIONDIALECT_LIB_TARGET_LINKER_H

#include "FusionDialect/Target/Target.h"

namespace mlir::fusion {

/// Files that are removed with the object, or at a signal, which would leave a
/// folder of them.
class TemporaryFiles {
public:
  TemporaryFiles() = default;
  ~TemporaryFiles();
  TemporaryFiles(const TemporaryFiles &) = delete;
  TemporaryFiles &operator=(const TemporaryFiles &) = delete;

  /// The path of a new, empty file.
  llvm::Expected<std::string> add(StringRef suffix);

private:
  std::vector<std::string> files;
};

/// The path of libomp: `given`, or the first one found in LLVM's folder and
/// the system's.
llvm::Expected<std::string> findOpenMPLibrary(StringRef given);

/// Joins `objects` into one object at `path`.
llvm::Error linkObject(ArrayRef<std::string> objects,
                       ArrayRef<std::string> exported, StringRef path,
                       TemporaryFiles &temporary, const EmitOptions &options);

/// Links `objects` into a shared library at `path`.
llvm::Error linkLibrary(ArrayRef<std::string> objects,
                        ArrayRef<std::string> exported, StringRef path,
                        TemporaryFiles &temporary, const EmitOptions &options);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_LINKER_H
