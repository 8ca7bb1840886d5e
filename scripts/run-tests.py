#!/usr/bin/python3
"""Runs all tests of a built tree by lit, and counts them in the last line: run-tests.py [BUILD], by default build."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import json
import subprocess
import sys
from pathlib import Path

LIT = "/usr/lib/llvm-22/bin/lit"
PASSED = ("PASS", "XFAIL", "FLAKYPASS")
SKIPPED = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build")
    results = build / "test-results.json"
    results.unlink(missing_ok=True)
    lit = subprocess.run([LIT, "-sv", "--output", results, build / "test"])
    tests = json.loads(results.read_text())["tests"] if results.exists() else []
    codes = collections.Counter(test["code"] for test in tests)
    passed, skipped = (sum(codes[code] for code in kind) for kind in (PASSED, SKIPPED))
    failed = codes.total() - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(0 if passed and not failed and not lit.returncode else 1)


if __name__ == "__main__":
    main()
