//===-- Files.cpp - The files of a command --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "-" is standard output, as for other tools of LLVM.
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "FusionDialect/Target/NewFile.h"
#include "Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

using namespace mlir;
using namespace mlir::fusion;
namespace fs = llvm::sys::fs;

/// Files come by a rename, so it is the folder that must let them.
static LogicalResult checkWritable(StringRef path) {
  auto check = [&](StringRef place) -> LogicalResult {
    if (std::error_code code = fs::access(place, fs::AccessMode::Write))
      return error(path + ": cannot write: " + code.message());
    return success();
  };
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder))
    return error(path + ": expected a folder to write to, got no folder '" +
                 folder + "'");
  if (fs::is_directory(path))
    return error(path + ": expected a file to write, got a folder");
  return check(fs::exists(path) && !fs::is_regular_file(path) ? path : folder);
}

/// Of a folder that may have to be made the nearest one that is there counts.
static LogicalResult checkFolder(StringRef path) {
  StringRef folder = path;
  while (!folder.empty() && !fs::exists(folder))
    folder = llvm::sys::path::parent_path(folder);
  if (folder.empty())
    folder = ".";
  std::error_code code = fs::is_directory(folder)
                             ? fs::access(folder, fs::AccessMode::Write)
                             : std::make_error_code(std::errc::not_a_directory);
  return code ? error(path + ": cannot make it: " + code.message()) : success();
}

LogicalResult fusion::checkFiles(const Options &options) {
  // Flags that the command does not have are empty.
  SmallVector<StringRef> known{options.flags.model};
  for (ArrayRef<std::string> files :
       {ArrayRef(options.flags.linkFiles), ArrayRef(options.bench.models),
        ArrayRef(options.run.inputs.files), ArrayRef(options.run.expected)})
    known.append(files.begin(), files.end());
  for (StringRef output :
       {StringRef(options.compile.output), StringRef(options.compile.header),
        StringRef(options.compile.report), StringRef(options.run.json)}) {
    if (output.empty() || output == "-")
      continue;
    if (failed(checkWritable(output)))
      return failure();
    for (StringRef other : known)
      if (output == other || fs::equivalent(output, other))
        return error("expected different files to read and to write, got '" +
                     output + "' twice");
    known.push_back(output);
  }
  return options.run.outputDir.empty() ? success()
                                       : checkFolder(options.run.outputDir);
}

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  fs::remove(path);
  llvm::sys::DontRemoveFileOnSignal(path);
}

LogicalResult TemporaryFile::create(StringRef suffix) {
  if (std::error_code code = createTemporaryFile(suffix, path))
    return error("cannot make a temporary file: " + code.message());
  return success();
}
