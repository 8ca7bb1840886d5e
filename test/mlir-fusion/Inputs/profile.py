"""Prints what profile --json wrote, without what differs from run to run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
from pathlib import Path

report = json.loads(Path(sys.argv[1]).read_text())
print(f"threads {report['threads']}, {report['samples']} samples after {report['warmup']} calls")
for site in report["sites"]:
    assert site["ms"] >= site["least_ms"] >= 0 and site["calls"] == 1
    if site["kernel"]:
        assert site["bound_by"] and site["roof_ms"] > 0
        if site["ms"] * 1e6 < 10 * report["timestamp_ns"]:
            assert site["of_roof"] is None
        else:
            assert abs(site["of_roof"] * site["ms"] / site["roof_ms"] - 1) < 1e-6
        assert abs(site["gbs"] * site["ms"] * 1e6 - site["bytes"]) <= 1e-6 * site["bytes"]
        print(f"site {site['op']} loc {site['loc']} epilogue {site['epilogue']} flops {site['flops']:.0f} type {site['type']}")
total = sum(site["ms"] for site in report["sites"])
for rows in (report["kernels"], report["ops"]):
    assert abs(sum(row["ms"] for row in rows) - total) <= 1e-9 + 1e-6 * total
    assert sum(row["sites"] for row in rows) == len(report["sites"])
    assert [row["ms"] for row in rows] == sorted((row["ms"] for row in rows), reverse=True)
assert 0 < report["sites_ms"] <= max(report["call_deciles_ms"]) and report["timestamp_ns"] > 0
print("sums agree")
roofline = report["roofline"]
assert roofline["samples"] >= 10
assert roofline["f32_gflops"] > roofline["f64_gflops"] > 0
assert all(level["read_gbs"] > 0 and level["copy_gbs"] > 0 for level in roofline["memory"])
print("roofline", [level["name"] for level in roofline["memory"]], "f32 and f64")
