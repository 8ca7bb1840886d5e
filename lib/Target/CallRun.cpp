//===-- CallRun.cpp - Calls a C function of any number of pointers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C has no call of a function whose number of arguments is known at run time
// only: one caller is instantiated for each number.
//
//===----------------------------------------------------------------------===//

#include "FusionDialect/Target/Target.h"
#include <array>
#include <utility>

using namespace mlir;
using namespace mlir::fusion;

static constexpr size_t maxTensors = 64;

using Caller = int (*)(void *run, ArrayRef<void *> tensors, void *workspace);

template <size_t>
using Pointer = void *;

template <size_t... I>
static constexpr Caller getCaller(std::index_sequence<I...>) {
  return [](void *run, ArrayRef<void *> tensors, void *workspace) {
    (void)tensors;
    return reinterpret_cast<int (*)(Pointer<I>..., void *)>(run)(tensors[I]...,
                                                                 workspace);
  };
}

template <size_t... N>
static constexpr std::array<Caller, sizeof...(N)>
getCallers(std::index_sequence<N...>) {
  return {getCaller(std::make_index_sequence<N>())...};
}

llvm::Expected<int> mlir::fusion::callRun(void *run, ArrayRef<void *> tensors,
                                          void *workspace) {
  static constexpr auto callers =
      getCallers(std::make_index_sequence<maxTensors + 1>());
  if (tensors.size() > maxTensors)
    return llvm::createStringError("expected at most " + Twine(maxTensors) +
                                   " tensors, got " + Twine(tensors.size()));
  return callers[tensors.size()](run, tensors, workspace);
}
