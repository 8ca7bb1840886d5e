//===-- NewFile.h - Files that an interrupt removes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by the linker's callers and by the driver.
//
//===----------------------------------------------------------------------===//

#ifndef FUSIONDIALECT_TARGET_NEWFILE_H
#define FUSIONDIALECT_TARGET_NEWFILE_H

#include "llvm/Support/FileSystem.h"

namespace mlir::fusion {

/// Makes an empty file that was not there, named like `model` with digits for
/// each '%', and returns its name in `path`. A signal that ends the process
/// removes it, also one that comes while it is made: whoever keeps it calls
/// llvm::sys::DontRemoveFileOnSignal.
std::error_code createNewFile(const llvm::Twine &model,
                              llvm::SmallVectorImpl<char> &path,
                              unsigned mode = llvm::sys::fs::all_read |
                                              llvm::sys::fs::all_write);

/// The same in the folder of temporary files, for this user only.
std::error_code createTemporaryFile(llvm::StringRef suffix,
                                    llvm::SmallVectorImpl<char> &path);

} // namespace mlir::fusion

#endif // FUSIONDIALECT_TARGET_NEWFILE_H
