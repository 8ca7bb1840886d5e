#!/usr/bin/env python3
"""Measures the demo's model compiled unfused and fused, prints a table and draws a picture of the two.

demo_report.py measure DIR NAME  measures DIR/NAME.so, run on DIR/in0.npy, into DIR/NAME.json; the compile time and the module
                                 after fusion-fuse are in DIR/NAME.seconds and DIR/NAME.mlir
demo_report.py report DIR        reads DIR/unfused.json and DIR/fused.json, prints the table and draws DIR/report.png
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import json
import os
import re
import resource
import sys
from pathlib import Path

import numpy as np

from measure import code_size, latencies

VARIANTS = ("unfused", "fused")
RUNS = 50

# What the table and the picture show: title, key, unit, factor from what is measured, digits.
QUANTITIES = [
    ("latency", "latency_ms", "ms", 1, 1),
    ("compile time", "compile_s", "s", 1, 2),
    ("code size", "code_bytes", "kB", 1e-3, 0),
    ("peak memory", "peak_bytes", "MB", 1e-6, 0),
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


def count_ops(path):
    ops = re.findall(r"(?:^|= )\s*((?:fusion|linalg|tensor)\.\w+)", path.read_text(), re.MULTILINE)
    kinds = collections.Counter(kind_of(op) for op in ops)
    del kinds[None]
    return dict(sorted(kinds.items()))


def resident_peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(directory, name):
    library = directory / f"{name}.so"
    inputs, results = [np.load(directory / "in0.npy")], [np.load(directory / "out0.npy")]
    before = resident_peak()
    times = latencies(str(library), inputs, results, RUNS, warm_up=2)
    row = {
        "latency_ms": float(np.median(times)),
        "threads": int(os.environ["OMP_NUM_THREADS"]),
        "compile_s": float((directory / f"{name}.seconds").read_text()),
        "code_bytes": code_size(library),
        "peak_bytes": resident_peak() - before,
        "ops": count_ops(directory / f"{name}.mlir"),
    }
    (directory / f"{name}.json").write_text(json.dumps(row, indent=1) + "\n")


def print_table(rows):
    print(f"{'':24}" + "".join(f"{name:>12}" for name in VARIANTS) + f"{'ratio':>9}")
    for title, key, unit, factor, digits in QUANTITIES:
        values = [rows[name][key] * factor for name in VARIANTS]
        ratio = f"{values[0] / values[1]:.1f} x" if values[1] else ""
        print(f"{f'{title} ({unit})':24}" + "".join(f"{value:12.{digits}f}" for value in values) + f"{ratio:>9}")
    for kind in sorted({kind for name in VARIANTS for kind in rows[name]["ops"]}):
        print(f"{f'ops: {kind}':24}" + "".join(f"{rows[name]['ops'].get(kind, 0):12}" for name in VARIANTS))


def draw(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colors = {"unfused": "#9a9a9a", "fused": "#1f77b4"}
    figure, axes = plt.subplots(1, 5, figsize=(15, 4), gridspec_kw={"width_ratios": [1, 1, 1, 1, 2.4]})
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
    figure.suptitle(f"ResNet-50 v1.5, batch 1, 224 x 224, f32, {rows['fused']['threads']} thread(s)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    match sys.argv[1:]:
        case ["measure", directory, name]:
            measure(Path(directory), name)
        case ["report", directory]:
            rows = {name: json.loads((Path(directory) / f"{name}.json").read_text()) for name in VARIANTS}
            print_table(rows)
            draw(rows, Path(directory) / "report.png")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
