#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests; the last line counts them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$scripts/steps.sh"
cd "$scripts/.."

"$scripts/setup.sh"
loud_step "configure" cmake --preset release
loud_step "build" cmake --build --preset release
say "test"
results=build/test-results.json
status=0
/usr/lib/llvm-22/bin/lit -sv --output "$results" build/test || status=$?
/usr/bin/python3 - "$results" <<'COUNT' || status=1
import collections, json, sys
codes = collections.Counter(test["code"] for test in json.load(open(sys.argv[1]))["tests"])
passed = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
skipped = codes["UNSUPPORTED"] + codes["SKIPPED"] + codes["EXCLUDED"]
failed = codes.total() - passed - skipped
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(0 if passed and not failed else 1)
COUNT
exit "$status"
