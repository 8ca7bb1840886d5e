#!/usr/bin/python3
"""Compares the demo's model compiled unfused and fused: prints a table and draws a picture.

Reads VARIANT.so, VARIANT.compile.json (of compile --report) and VARIANT.run.json (of run --json) in DIR, for the variants unfused
and fused; measures latencies on DIR/in0.npy; writes DIR/report.json and DIR/report.png.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import json
import os
from pathlib import Path

import numpy as np

from measure import latencies

VARIANTS = ("unfused", "fused")
RUNS = 50

# What the table and the picture show: title, key, unit, factor from what is measured, digits.
QUANTITIES = [
    ("latency", "latency_ms", "ms", 1, 1),
    ("compile time", "compile_s", "s", 1, 2),
    ("code size", "code_bytes", "kB", 1e-3, 0),
    ("peak memory", "peak_bytes", "MB", 1e-6, 0),
    ("of it activations", "workspace_bytes", "MB", 1e-6, 1),
]


def kind_of(op):
    """The ops that do work, by kind; None for the rest."""
    for prefix, kind in (
        ("fusion.", op),
        ("linalg.conv", "linalg conv"),
        ("linalg.generic", "elementwise"),
        ("linalg.matmul", "linalg matmul"),
        ("linalg.pool", "linalg pool"),
        ("tensor.pad", "pad"),
        ("linalg.transpose", "transpose"),
    ):
        if op.startswith(prefix) and op != "fusion.yield":
            return kind
    return None


def read_json(path):
    return json.loads(path.read_text())


def measure(directory, variant):
    """The row of one variant."""
    compiled, ran = (read_json(directory / f"{variant}.{command}.json") for command in ("compile", "run"))
    inputs, results = [np.load(directory / "in0.npy")], [np.load(directory / "out0.npy")]
    times = latencies(directory / f"{variant}.so", inputs, results, RUNS, warm_up=2)
    ops = collections.Counter()
    for op, count in compiled["ops"]["after_fusion"].items():
        if kind := kind_of(op):
            ops[kind] += count
    return {
        "latency_ms": float(np.median(times)),
        "compile_s": compiled["seconds"]["total"],
        "code_bytes": compiled["bytes"]["text"],
        "peak_bytes": ran["peak_memory_of_run"],
        "workspace_bytes": compiled["bytes"]["workspace"],
        "ops": ops,
    }


def print_table(rows):
    print(f"{'':24}" + "".join(f"{name:>12}" for name in VARIANTS) + f"{'ratio':>9}")
    for title, key, unit, factor, digits in QUANTITIES:
        values = [rows[name][key] * factor for name in VARIANTS]
        ratio = f"{values[0] / values[1]:.1f} x" if values[1] else ""
        print(f"{f'{title} ({unit})':24}" + "".join(f"{value:12.{digits}f}" for value in values) + f"{ratio:>9}")
    for kind in sorted({kind for name in VARIANTS for kind in rows[name]["ops"]}):
        print(f"{f'ops: {kind}':24}" + "".join(f"{rows[name]['ops'].get(kind, 0):12}" for name in VARIANTS))


def draw(rows, threads, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colors = {"unfused": "#9a9a9a", "fused": "#1f77b4"}
    figure, axes = plt.subplots(1, 1 + len(QUANTITIES), figsize=(17, 4), gridspec_kw={"width_ratios": [1] * len(QUANTITIES) + [2]})
    for axis, (title, key, unit, factor, digits) in zip(axes, QUANTITIES):
        values = [rows[name][key] * factor for name in VARIANTS]
        bars = axis.bar(VARIANTS, values, color=[colors[name] for name in VARIANTS])
        axis.bar_label(bars, [f"{value:.{digits}f}" for value in values])
        axis.set_title(f"{title} ({unit})")
    kinds = sorted({kind for name in VARIANTS for kind in rows[name]["ops"]}, reverse=True)
    for shift, name in ((0.2, "unfused"), (-0.2, "fused")):
        counts = [rows[name]["ops"].get(kind, 0) for kind in kinds]
        bars = axes[-1].barh(np.arange(len(kinds)) + shift, counts, 0.4, color=colors[name], label=name)
        axes[-1].bar_label(bars, [str(count) if count else "" for count in counts], padding=2)
    axes[-1].set_yticks(np.arange(len(kinds)), kinds)
    axes[-1].set_title("ops by kind")
    axes[-1].legend(loc="lower right")
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(x=0.1, y=0.12)
    figure.suptitle(f"ResNet-50 v1.5, batch 1, 224 x 224, f32, {threads} thread(s)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="what demo.sh has made of the model")
    directory = parser.parse_args().dir
    rows = {variant: measure(directory, variant) for variant in VARIANTS}
    (directory / "report.json").write_text(json.dumps(rows, indent=1) + "\n")
    print_table(rows)
    draw(rows, os.environ["OMP_NUM_THREADS"], directory / "report.png")


if __name__ == "__main__":
    main()
