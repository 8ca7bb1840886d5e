//===-- LoadModel.h - A model or a library, ready to be called --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model in passing, or takes a library as it is; used by run and
// bench.
//
//===----------------------------------------------------------------------===//

#ifndef MLIR_FUSION_LOADMODEL_H
#define MLIR_FUSION_LOADMODEL_H

#include "Library.h"
#include "Options.h"

namespace mlir::fusion {

/// The library at `flags.model`, or the one that the model there compiles to.
/// `beforeLoad` is called between the compiler's work and the loading.
FailureOr<Library> loadModel(const CompileFlags &flags,
                             llvm::function_ref<void()> beforeLoad);

/// How many threads libraries that are loaded later will use; 0 changes
/// nothing.
void setNumThreads(unsigned threads);
/// How many that is.
unsigned getNumThreads();
/// Libraries that are loaded later bind each thread to a core, unless the
/// environment says something else.
void bindThreads();
/// Keeps the calling thread on the CPU it is on.
void bindThisThread();

} // namespace mlir::fusion

#endif // MLIR_FUSION_LOADMODEL_H
