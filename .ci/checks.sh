# Checks that .ci/run and .ci/full share; sourced from the top of the tree.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash

run_tests() { scripts/run-tests.py "$1"; } # BUILD

check_format() {
  git ls-files '*.cpp' '*.h' | xargs /usr/lib/llvm-22/bin/clang-format --dry-run -Werror
}

# Installs the tree built in $1, starts its tools, and builds and tests the examples with nothing but that.
check_install() {
  local prefix status=0 flags=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
  prefix=$(mktemp -d)
  { cmake --install "$1" --prefix "$prefix" >/dev/null &&
    "$prefix/bin/mlir-fusion" --version && "$prefix/bin/mlir-fusion-opt" --version &&
    cmake -S examples/standalone -B "$prefix/example" "${flags[@]}" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null &&
    cmake --build "$prefix/example" &&
    /usr/lib/llvm-22/bin/lit -sv "$prefix/example/test" &&
    cmake -S examples/plugin -B "$prefix/plugin" "${flags[@]}" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null &&
    cmake --build "$prefix/plugin" --target check; } || status=$?
  rm -rf "$prefix"
  return "$status"
}
