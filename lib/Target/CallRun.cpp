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

static constexpr size_t maxArguments = 128;

template <typename Result>
using Caller = Result (*)(void *function, ArrayRef<void *> arguments);

template <size_t>
using Pointer = void *;

template <typename Result, size_t... I>
static constexpr Caller<Result> getCaller(std::index_sequence<I...>) {
  return [](void *function, ArrayRef<void *> arguments) {
    (void)arguments;
    return reinterpret_cast<Result (*)(Pointer<I>...)>(function)(
        arguments[I]...);
  };
}

template <typename Result, size_t... N>
static constexpr std::array<Caller<Result>, sizeof...(N)>
getCallers(std::index_sequence<N...>) {
  return {getCaller<Result>(std::make_index_sequence<N>())...};
}

template <typename Result>
static llvm::Expected<Result> call(void *function, ArrayRef<void *> arguments) {
  static constexpr auto callers =
      getCallers<Result>(std::make_index_sequence<maxArguments + 1>());
  if (arguments.size() > maxArguments)
    return llvm::createStringError("expected at most " + Twine(maxArguments) +
                                   " arguments, got " +
                                   Twine(arguments.size()));
  return callers[arguments.size()](function, arguments);
}

llvm::Expected<int> mlir::fusion::callWithPointers(void *function,
                                                   ArrayRef<void *> arguments) {
  return call<int>(function, arguments);
}

llvm::Expected<size_t> mlir::fusion::callForSize(void *function,
                                                 ArrayRef<void *> arguments) {
  return call<size_t>(function, arguments);
}
