#!/usr/bin/env bash
# Measures what each switch of the compiler is worth on some models; prints tables and puts them into docs/Ablation.md.
#
# usage: ablations.sh [OPTION…] MODEL…      --help lists the options; docs/Ablation.md says how to read the tables
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
exec /usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/ablations.py" "$@"
