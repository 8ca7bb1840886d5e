#!/usr/bin/env bash
# Renews fuzz/seeds.txt: of those there and of new ones, the seeds that see a rule, refusal, kernel or form of code first.
# usage: fuzz/find-seeds.sh [SECONDS] [FIRST_SEED]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=$(mktemp)
trap 'rm -f "$list"' EXIT
touch fuzz/seeds.txt
build/bin/mlir-fusion-fuzz --seeds fuzz/seeds.txt --seed "${2:-1}" --seconds "${1:-300}" --jobs "$(nproc)" --max-faults 0 \
  --reduce=false --coverage build/fuzz-coverage.txt --new-seeds "$list" || [ $? -eq 1 ]
{
  echo "# Seeds of mlir-fusion-fuzz that see something first; fuzz/find-seeds.sh renews them."
  cat "$list"
} > fuzz/seeds.txt
