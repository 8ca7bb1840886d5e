"""Prints what ablate --json wrote, without what differs from run to run; then holds its switches against a list."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from pathlib import Path

report = json.loads(Path(sys.argv[1]).read_text())
print(f"{report['mode']}, threads {report['threads']}, {report['samples']} samples after {report['warmup']} calls")
for row in [report["base"], *report["switches"]]:
    name = row.get("switch", "base")
    if row["status"] == "measured":
        assert row["deciles_ms"] == sorted(row["deciles_ms"]) and row["least_ms"] <= row["median_ms"]
        # Of what is much slower than the base there are a few calls only.
        is_slow = row["median_interval_ms"] is None
        assert row["samples"] < report["samples"] if is_slow else row["samples"] == report["samples"]
        assert row["compile_ms"] > 0 and row["code_bytes"] >= row["text_bytes"] > 0 and row["file_bytes"] > row["text_bytes"]
        if is_slow:
            assert row["ratio"] > 10 and row["ratio_interval"] is None and row["verdict"].startswith("about ")
        elif "switch" in row:
            low, high = row["ratio_interval"]
            assert low <= row["ratio"] <= high and row["verdict"]
    else:
        assert "median_ms" not in row
    print(name, row["status"], "off:", len(row["disabled"]), "arena:", row.get("arena_bytes"))
if len(sys.argv) > 2:
    assert [row["switch"] for row in report["switches"]] == Path(sys.argv[2]).read_text().split(), "other switches"
    print("each switch once")
