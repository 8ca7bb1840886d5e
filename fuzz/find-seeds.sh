#!/usr/bin/env bash
# Renews fuzz/seeds.txt: of those there and of new ones, the few seeds that see each rule, refusal, kernel and path of code.
# usage: fuzz/find-seeds.sh [SECONDS] [FIRST_SEED]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec fuzz/seeds.py find --seconds "${1:-300}" --first "${2:-1}"
