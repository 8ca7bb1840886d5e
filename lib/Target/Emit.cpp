//===-- Emit.cpp - The public functions that write files ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each writes a temporary file and renames it: an output is whole or absent.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"
#include "Entry.h"
#include "FusionDialect/Target/Target.h"
#include "Header.h"
#include "Linker.h"
#include "Units.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::fusion;

static LogicalResult report(Location loc, llvm::Error error) {
  if (!error)
    return success();
  return emitError(loc) << llvm::toString(std::move(error));
}

/// A rename would replace a device or a folder.
static LogicalResult checkOutput(Location loc, StringRef path) {
  if (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_regular_file(path))
    return success();
  return emitError(loc) << "expected a regular file as output, got '" << path
                        << "'";
}

/// Compiles each unit of `program` into a file of `temporary`.
static FailureOr<SmallVector<std::string>>
emitUnits(Location loc, const Program &program, unsigned jobs,
          TemporaryFiles &temporary) {
  SmallVector<std::string> paths;
  for (size_t index = 0; index < program.units.size(); ++index) {
    auto path = temporary.add("o");
    if (!path)
      return report(loc, path.takeError());
    paths.push_back(*path);
  }
  SmallVector<std::error_code> errors(paths.size());
  auto open = [&](size_t index) -> std::unique_ptr<llvm::raw_pwrite_stream> {
    auto os =
        std::make_unique<llvm::raw_fd_ostream>(paths[index], errors[index]);
    if (errors[index])
      return nullptr;
    return os;
  };
  LogicalResult result =
      program.codeGenerator->emitObjects(program.units, jobs, open);
  for (auto [path, error] : llvm::zip(paths, errors))
    if (error)
      return emitError(loc)
             << "cannot write '" << path << "': " << error.message();
  if (failed(result))
    return failure();
  return paths;
}

static LogicalResult emitLinked(ModuleOp module, StringRef path,
                                const EmitOptions &options, bool forLibrary) {
  Location loc = getReportLocation(module, options);
  if (failed(checkOutput(loc, path)))
    return failure();
  FailureOr<Program> program = createProgram(module, options, forLibrary);
  if (failed(program))
    return failure();
  TemporaryFiles temporary;
  auto objects = emitUnits(loc, *program, options.jobs, temporary);
  if (failed(objects))
    return failure();
  auto *link = forLibrary ? linkLibrary : linkObject;
  return report(loc, link(*objects,
                          getExportedSymbols(program->signature, forLibrary),
                          path, temporary, options));
}

static LogicalResult emitText(ModuleOp module, StringRef path,
                              const EmitOptions &options, bool assembly) {
  FailureOr<Program> program =
      createProgram(module, options, /*forLibrary=*/false);
  if (failed(program))
    return failure();
  bool failedInside = false;
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        failedInside = failed(program->codeGenerator->emitText(
            program->units,
            getExportedSymbols(program->signature, /*forLibrary=*/false),
            assembly, os));
        if (failedInside)
          return llvm::createStringError("already reported");
        return llvm::Error::success();
      });
  if (failedInside) {
    llvm::consumeError(std::move(error));
    return failure();
  }
  return report(getReportLocation(module, options), std::move(error));
}

LogicalResult mlir::fusion::emitObject(ModuleOp module, StringRef path,
                                       const EmitOptions &options) {
  return emitLinked(module, path, options, /*forLibrary=*/false);
}

LogicalResult mlir::fusion::emitLibrary(ModuleOp module, StringRef path,
                                        const EmitOptions &options) {
  return emitLinked(module, path, options, /*forLibrary=*/true);
}

LogicalResult mlir::fusion::emitLLVMIR(ModuleOp module, StringRef path,
                                       const EmitOptions &options) {
  return emitText(module, path, options, /*assembly=*/false);
}

LogicalResult mlir::fusion::emitAssembly(ModuleOp module, StringRef path,
                                         const EmitOptions &options) {
  return emitText(module, path, options, /*assembly=*/true);
}

LogicalResult mlir::fusion::emitHeader(ModuleOp module, StringRef path,
                                       const EmitOptions &options) {
  FailureOr<Signature> signature = getSignature(module, options);
  if (failed(signature))
    return failure();
  return report(getReportLocation(module, options),
                llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
                  writeHeader(*signature, os);
                  return llvm::Error::success();
                }));
}
