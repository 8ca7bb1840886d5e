#!/usr/bin/env bash
# Fuzzes for hours: new seeds, all targets; faults are printed as small tests, and no fault ends the run.
# usage: fuzz/run.sh [SECONDS] [flags of mlir-fusion-fuzz, such as --target x86-64-v3]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-3600}
shift || true
seed=${FUZZ_SEED:-$(($(date +%s) * 1000))}
echo "seeds from $seed on" >&2
exec build/bin/mlir-fusion-fuzz --seed "$seed" --seconds "$seconds" --jobs "$(nproc)" --max-faults 0 \
  --coverage build/fuzz-coverage.txt "$@"
