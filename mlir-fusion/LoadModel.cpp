//===-- LoadModel.cpp - A model or a library, ready to be called ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model is a temporary file, gone once it is loaded.
//
//===----------------------------------------------------------------------===//

#include "LoadModel.h"
#include "Compilation.h"
#include "Files.h"
#include "FusionDialect/Pipelines/Pipelines.h"
#include "Report.h"
#include <cstdlib>
#include <sched.h>

using namespace mlir;
using namespace mlir::fusion;

/// Compiles the model to a library at `path`.
static LogicalResult compileTo(StringRef path, const CompileFlags &flags) {
  Compilation compilation(flags, /*collectRemarks=*/false);
  if (failed(compilation.parse()))
    return failure();
  for (StringRef stage : getStageNames())
    if (failed(compilation.runStage(stage)))
      return failure();
  return compilation.emit([&] {
    return emitLibrary(compilation.getModule(), path,
                       compilation.getEmitOptions(flags.model));
  });
}

/// A library has been compiled: flags that say how would do nothing.
static LogicalResult checkNoCompileFlags(const CompileFlags &flags) {
  if (flags.given.empty())
    return success();
  return error("expected a model to compile with --" + flags.given.front() +
               ", got the library " + flags.model);
}

void fusion::setNumThreads(unsigned threads) {
  // libomp reads this once, when it is loaded with the first library.
  if (threads)
    setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(),
           /*overwrite=*/1);
}

unsigned fusion::getNumThreads() {
  unsigned threads;
  const char *text = getenv("OMP_NUM_THREADS");
  if (text && !StringRef(text).split(',').first.getAsInteger(10, threads))
    return threads;
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
}

void fusion::bindThreads() {
  setenv("OMP_PROC_BIND", "true", /*overwrite=*/0);
  setenv("OMP_PLACES", "cores", /*overwrite=*/0);
}

void fusion::bindThisThread() {
  int cpu = sched_getcpu();
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (cpu < 0 || cpu >= CPU_SETSIZE)
    return;
  CPU_SET(cpu, &cpus);
  (void)sched_setaffinity(0, sizeof(cpus), &cpus);
}

FailureOr<Library> fusion::loadModel(const CompileFlags &flags,
                                     llvm::function_ref<void()> beforeLoad) {
  StringRef path = flags.model;
  TemporaryFile temporary;
  if (isLibrary(path)) {
    if (failed(checkNoCompileFlags(flags)))
      return failure();
  } else {
    if (failed(temporary.create("so")) ||
        failed(compileTo(temporary.getPath(), flags)))
      return failure();
    path = temporary.getPath();
  }
  beforeLoad();
  llvm::Expected<Library> library = Library::open(path, flags.name);
  if (!library)
    return error(llvm::toString(library.takeError()));
  if (!flags.entry.empty() && library->getSignature().entry != flags.entry)
    return error(Twine(flags.model) + ": expected entry '" + flags.entry +
                 "', got '" + library->getSignature().entry + "'");
  return std::move(*library);
}
