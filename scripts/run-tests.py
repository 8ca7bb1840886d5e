#!/usr/bin/python3
"""Runs all tests of a built tree, lit's and GoogleTest's, and counts them in the last line."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

LIT = "/usr/lib/llvm-22/bin/lit"
PASSED = ("PASS", "XFAIL", "FLAKYPASS")
SKIPPED = ("UNSUPPORTED", "SKIPPED", "EXCLUDED")


def run_lit(build):
    """How many tests passed, failed and were skipped."""
    results = build / "test-results.json"
    results.unlink(missing_ok=True)
    subprocess.run([LIT, "-sv", "--output", results, build / "test"])
    if not results.exists():
        return 0, 1, 0
    codes = collections.Counter(test["code"] for test in json.loads(results.read_text())["tests"])
    passed, skipped = (sum(codes[code] for code in kind) for kind in (PASSED, SKIPPED))
    return passed, codes.total() - passed - skipped, skipped


def unit_tests(build):
    """The executables that CMake has registered, lit's own entry left out."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return [test["command"] for test in json.loads(listing.stdout)["tests"] if test["name"] != "lit"]


def run_unit_test(command, build):
    results = build / "unit-test-results.json"
    results.unlink(missing_ok=True)
    run = subprocess.run([*command, f"--gtest_output=json:{results}"], capture_output=True, text=True)
    counts = json.loads(results.read_text()) if results.exists() else {"tests": 0, "failures": 0, "disabled": 0}
    failed = counts["failures"] or (1 if run.returncode else 0)
    print(f"{Path(command[0]).name}: {counts['tests']} tests, {failed} failed")
    if failed:
        print(run.stdout[-8000:], run.stderr[-8000:], sep="\n")
    return counts["tests"] - failed - counts["disabled"], failed, counts["disabled"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", nargs="?", type=Path, default="build", help="a built tree, by default build")
    build = parser.parse_args().build.resolve()
    counts = [run_lit(build)] + [run_unit_test(command, build) for command in unit_tests(build)]
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
