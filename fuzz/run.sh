#!/usr/bin/env bash
# Fuzzes for hours: new seeds, all targets; faults are printed as small tests, and no fault ends the run.
#
# usage: run.sh [SECONDS] [FLAG…]     for 3600 s by default; flags of mlir-fusion-fuzz, such as --target x86-64-v3
#
# The first seed is the time, or FUZZ_SEED; coverage goes to build/fuzz-coverage.txt.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/scripts/steps.sh"
help_if_asked "$@"
seconds=3600
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  [[ $1 =~ ^[0-9]+$ ]] || wrong_usage "expected a number of seconds, got $1"
  seconds=$1
  shift
fi
cd "$top"
seed=${FUZZ_SEED:-$(($(date +%s) * 1000))}
echo "seeds from $seed on" >&2
exec build/bin/mlir-fusion-fuzz --seed "$seed" --seconds "$seconds" --jobs "$(nproc)" --max-faults 0 \
  --coverage build/fuzz-coverage.txt "$@"
