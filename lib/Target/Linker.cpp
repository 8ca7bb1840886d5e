//===-- Linker.cpp - Runs the machine's linker ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No compiler driver and no development package is needed: the linker gets
// the run-time libraries by name.
//
//===----------------------------------------------------------------------===//

#include "Linker.h"
#include "FusionDialect/Target/NewFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr StringLiteral libraryFolders[] = {
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/usr/lib",
};

TemporaryFiles::~TemporaryFiles() {
  for (const std::string &file : files) {
    llvm::sys::fs::remove(file);
    llvm::sys::DontRemoveFileOnSignal(file);
  }
}

llvm::Expected<std::string> TemporaryFiles::add(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error = createTemporaryFile(suffix, path))
    return llvm::createStringError(error, "cannot make a temporary file");
  return files.emplace_back(path.str());
}

llvm::Expected<std::string> mlir::fusion::findOpenMPLibrary(StringRef given) {
  if (!given.empty()) {
    if (llvm::sys::fs::exists(given))
      return given.str();
    return llvm::createStringError("expected a file as libomp, got '" + given +
                                   "'");
  }
  SmallVector<StringRef> folders{FUSION_LLVM_LIBRARY_DIR};
  folders.append(std::begin(libraryFolders), std::end(libraryFolders));
  for (StringRef folder : folders)
    for (StringRef name : {"libomp.so.5", "libomp.so"}) {
      SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      if (llvm::sys::fs::exists(path))
        return path.str().str();
    }
  return llvm::createStringError(
      "expected libomp.so.5 in " + llvm::join(folders, ", ") +
      ": install it, name its path, or compile with threading none");
}

static llvm::Expected<std::string> findLinker(StringRef given) {
  SmallVector<StringRef> names{"ld.lld-22", "ld.lld", "ld"};
  if (!given.empty())
    names = {given};
  for (StringRef name : names) {
    if (auto path = llvm::sys::findProgramByName(name, {FUSION_LLVM_TOOLS_DIR}))
      return *path;
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  }
  return llvm::createStringError("expected a linker (" +
                                 llvm::join(names, ", ") + "), found none");
}

/// True if `linker` is LLVM's, under whatever link to it.
static bool isLLD(StringRef linker) {
  SmallString<128> path;
  return llvm::sys::path::filename(linker).contains("lld") ||
         (!llvm::sys::fs::real_path(linker, path) &&
          llvm::sys::path::filename(path).contains("lld"));
}

/// Runs the linker, which must write the file `result`.
static llvm::Error runLinker(ArrayRef<std::string> arguments, StringRef result,
                             TemporaryFiles &temporary,
                             const EmitOptions &options) {
  auto linker = findLinker(options.linker);
  if (!linker)
    return linker.takeError();
  SmallVector<StringRef> command{*linker};
  command.append(arguments.begin(), arguments.end());
  // Others have no threads, or another name for their number.
  std::string threads = "--threads=" + llvm::utostr(options.jobs);
  if (options.jobs != 0 && isLLD(*linker))
    command.push_back(threads);
  auto output = temporary.add("txt");
  if (!output)
    return output.takeError();
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(*output),
                                          StringRef(*output)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*linker, command, std::nullopt,
                                         redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  uint64_t size = 0;
  if (status == 0) {
    if (!llvm::sys::fs::file_size(result, size) && size != 0)
      return llvm::Error::success();
    return llvm::createStringError("linker '" + *linker + "' wrote no output");
  }
  if (auto text = llvm::MemoryBuffer::getFile(*output))
    message += (*text)->getBuffer().rtrim();
  if (StringRef(message).contains("undefined "))
    message += "\nexpected a definition of each function that the model only "
               "declares: give an object that has one (--link FILE.o)";
  if (message.empty())
    message = "it said nothing: is " + *output + " on a disk that is full?";
  return llvm::createStringError("linker '" + *linker +
                                 "' failed with status " + Twine(status) +
                                 ": " + message);
}

/// A linker's -r leaves hidden symbols global: makes all but `exported` local.
static llvm::Error localizeSymbols(StringRef from, StringRef to,
                                   ArrayRef<std::string> exported) {
  auto binary = llvm::object::createBinary(from);
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.Common.InputFilename = from;
  config.Common.OutputFilename = to;
  for (const std::string &symbol : exported)
    if (llvm::Error error = config.Common.SymbolsToKeepGlobal.addMatcher(
            llvm::objcopy::NameOrPattern::create(
                symbol, llvm::objcopy::MatchStyle::Literal,
                [](llvm::Error error) { return error; })))
      return error;
  return llvm::writeToOutput(to, [&](llvm::raw_ostream &os) {
    return llvm::objcopy::executeObjcopyOnBinary(config, *binary->getBinary(),
                                                 os);
  });
}

llvm::Error mlir::fusion::linkObject(ArrayRef<std::string> objects,
                                     ArrayRef<std::string> exported,
                                     StringRef path, TemporaryFiles &temporary,
                                     const EmitOptions &options) {
  auto joined = temporary.add("o");
  if (!joined)
    return joined.takeError();
  SmallVector<std::string> arguments{"-r", "-o", *joined};
  llvm::append_range(arguments, objects);
  llvm::append_range(arguments, options.linkFiles);
  if (llvm::Error error = runLinker(arguments, *joined, temporary, options))
    return error;
  return localizeSymbols(*joined, path, exported);
}

llvm::Error mlir::fusion::linkLibrary(ArrayRef<std::string> objects,
                                      ArrayRef<std::string> exported,
                                      StringRef path, TemporaryFiles &temporary,
                                      const EmitOptions &options) {
  // The linked-in files' own symbols stay inside, too.
  auto script = temporary.add("ld");
  if (!script)
    return script.takeError();
  if (llvm::Error error =
          llvm::writeToOutput(*script, [&](llvm::raw_ostream &os) {
            os << "{ global: ";
            for (const std::string &symbol : exported)
              os << '"' << symbol << "\"; ";
            os << "local: *; };\n";
            return llvm::Error::success();
          }))
    return error;
  // The linker writes beside the output; a rename ends it.
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return file.takeError();
  llvm::scope_exit discard([&] { llvm::consumeError(file->discard()); });
  SmallVector<std::string> arguments{"-shared",
                                     "-o",
                                     file->TmpName,
                                     "-soname",
                                     llvm::sys::path::filename(path).str(),
                                     "--version-script",
                                     *script,
                                     "--eh-frame-hdr",
                                     "--hash-style=gnu",
                                     "--as-needed",
                                     "-z",
                                     "defs",
                                     "-z",
                                     "noexecstack",
                                     "-z",
                                     "now"};
  llvm::append_range(arguments, objects);
  llvm::append_range(arguments, options.linkFiles);
  if (options.threading == "openmp") {
    auto openMP = findOpenMPLibrary(options.openmpLibrary);
    if (!openMP)
      return openMP.takeError();
    arguments.append(
        {*openMP, "-rpath", llvm::sys::path::parent_path(*openMP).str()});
  }
  for (StringRef folder : libraryFolders)
    arguments.push_back(("-L" + folder).str());
  arguments.append({"-l:libm.so.6", "-l:libc.so.6"});
  if (llvm::Error error =
          runLinker(arguments, file->TmpName, temporary, options))
    return error;
  discard.release();
  return file->keep(path);
}
