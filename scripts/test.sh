#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests; the last line counts them.
#
# usage: test.sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$scripts/steps.sh"
take_words 0 "$@"
cd "$scripts/.."

"$scripts/setup.sh"
loud_step "configure" cmake --preset release
loud_step "build" cmake --build --preset release
say "test"
"$scripts/run-tests.py" build
