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

/// A folder of temporary files that is removed with the object, the files at a
/// signal, too.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other)
      : path(std::move(other.path)), files(std::move(other.files)) {
    other.path.clear();
  }
  ~TemporaryFolder();

  /// The path of a file to be.
  std::string addFile(const Twine &name);

private:
  TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
  std::vector<std::string> files;
};

/// The path of libomp: `given`, or the first one found in LLVM's folder and
/// the system's.
llvm::Expected<std::string> findOpenMPLibrary(StringRef given);

/// Joins `objects` into one object at `path`.
llvm::Error linkObject(ArrayRef<std::string> objects,
                       ArrayRef<std::string> exported, StringRef path,
                       TemporaryFolder &folder, const EmitOptions &options);

/// Links `objects` into a shared library at `path`.
llvm::Error linkLibrary(ArrayRef<std::string> objects,
                        ArrayRef<std::string> exported, StringRef path,
                        TemporaryFolder &folder, const EmitOptions &options);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_LIB_TARGET_LINKER_H
