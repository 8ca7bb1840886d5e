//===-- NewFile.cpp - Files that an interrupt removes ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's functions make a file first: a signal before it is registered
// leaves it behind.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Target/NewFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace mlir::fusion;

std::error_code mlir::fusion::createNewFile(const Twine &model,
                                            SmallVectorImpl<char> &path,
                                            unsigned mode) {
  constexpr int kTrials = 128;
  std::error_code code;
  for (int i = 0; i < kTrials; ++i) {
    sys::fs::createUniquePath(model, path, /*MakeAbsolute=*/false);
    StringRef name(path.data(), path.size());
    sys::RemoveFileOnSignal(name);
    int file = 0;
    code = sys::fs::openFile(name, file, sys::fs::CD_CreateNew,
                             sys::fs::FA_Write, sys::fs::OF_None, mode);
    if (!code)
      return sys::Process::SafelyCloseFileDescriptor(file);
    sys::DontRemoveFileOnSignal(name);
    if (code != std::errc::file_exists)
      break;
  }
  return code;
}

std::error_code mlir::fusion::createTemporaryFile(StringRef suffix,
                                                  SmallVectorImpl<char> &path) {
  SmallString<128> model;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, model);
  sys::path::append(model, "mlir-fusion-%%%%%%." + suffix);
  return createNewFile(model, path, sys::fs::owner_read | sys::fs::owner_write);
}
