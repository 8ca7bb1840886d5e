#!/usr/bin/python3
"""Runs each finding of libFuzzer once more and says which are known faults of upstream, and which take long.

KNOWN has a line `PATTERN: reason` for each; a finding is known if the pattern, a regular expression, is in what the target says about
it: its stack, mostly. What is not known is an error; what was too slow for libFuzzer's limit, but ends within SECONDS, is listed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

SECONDS = 300


def run(target, path):
    """The report of a run that fails; empty if it does not."""
    flags = [f"-timeout={SECONDS}", "-rss_limit_mb=3000"]
    # MLIR's libraries have no frame pointers: whose allocation it was is seen by their tables only.
    options = os.environ.get("ASAN_OPTIONS", "") + ":fast_unwind_on_malloc=0:fast_unwind_on_fatal=0"
    process = subprocess.run([target, *flags, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             env=os.environ | {"ASAN_OPTIONS": options})
    return process.stderr.decode(errors="replace") if process.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="the built mlir-fusion-fuzz-input")
    parser.add_argument("folder", type=Path, help="what it has found")
    parser.add_argument("known", type=Path, help="faults that are known")
    arguments = parser.parse_args()
    patterns = []
    for line in arguments.known.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, reason = line.split(": ", 1)
            patterns.append((re.compile(pattern), reason))
    counts = Counter()
    for path in sorted(arguments.folder.iterdir()):
        begin = time.monotonic()
        report = run(arguments.target, path)
        seconds = time.monotonic() - begin
        reason = next((reason for pattern, reason in patterns if pattern.search(report)), None)
        if not report and path.name.startswith(("timeout-", "slow-unit-")):
            counts["slow"] += 1
            print(f"{path}: slow: {seconds:.0f} s")
        elif not report:
            counts["fine when run again"] += 1
        elif reason:
            counts[f"known: {reason}"] += 1
        else:
            counts["NEW"] += 1
            print(f"{path}:")
            kept = [line for line in report.splitlines() if re.search(r"ERROR|SUMMARY|runtime error|expected an error|LLVM ERROR|^ +#\d", line)]
            print("\n".join(line[:200] for line in kept[:24]))
    for what, count in counts.items():
        print(f"{count} {what}")
    return 1 if counts["NEW"] else 0


if __name__ == "__main__":
    sys.exit(main())
