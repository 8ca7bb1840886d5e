"""Prints what bench --json wrote, without what differs from run to run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from pathlib import Path

report = json.loads(Path(sys.argv[1]).read_text())


def interval(pair):
    return "[low, high]" if pair[0] <= pair[1] else pair


print(f"threads {report['threads']}, {report['samples']} samples after {report['warmup']} calls, noise {interval(report['noise'])}")
for row in report["variants"]:
    deciles = row["deciles_ms"]
    assert deciles == sorted(deciles) and row["least_ms"] <= row["median_ms"] and row["largest_error_of_largest"] == 0
    text = f"{[Path(row['model']).name]} disabled {row['disabled']} {len(deciles)} deciles"
    # A call's time shrinks when the code is warm: half is near enough.
    text += ", samples of at least 1 ms" if row["median_ms"] * row["calls_per_sample"] > 0.5 else ", short samples"
    if "ratio" in row:
        low, high = row["ratio_interval"]
        text += f", ratio in {interval(row['ratio_interval']) if low <= row['ratio'] <= high else (low, high)}"
    print(text)
