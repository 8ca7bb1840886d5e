#!/usr/bin/python3
"""Lists, as Markdown, the elementwise ops, convolutions, pools and products that fusion leaves outside of roots, and why.

MODELS_DIR holds a folder NAME for each model with NAME.mlirbc (or NAME.mlir). Exits with 1 if an op has no reason.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HEADER = """# What stays outside of roots

Made by `benchmarks/list_outside.py MODELS_DIR > docs/Outside.md` from what `mlir-fusion explain --json` says of each network: the
elementwise ops, convolutions, pools and products of linalg that are in no root after fusion, how often, and why
([Remarks](Remarks.md) has the codes).

- `other-readers`: a gate multiplies what was pooled for it, a normalization or softmax reads each value twice. The value must be stored anyway.
- `no-root`: the op works on a reduction's result or on an input; there is no root whose epilogue it could ride in.
- `reads-index`: a resize, a flip or a gather computes where it reads. It is one pass of its own."""

TIMEOUT = 300  # seconds, for each call of the driver


def explain(driver, model):
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        subprocess.run([driver, "explain", model, "--json", report], check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
        return json.loads(report.read_text())


def short(names):
    """Ops without their dialects, repetitions once."""
    return " ".join(dict.fromkeys(name.split(".")[-1] for name in names)) or "-"


def rows(report):
    """How often each op with one reason occurs, most often first."""
    counts = Counter()
    for op in report["outside"]:
        counts[op["op"], short(op["body"]), op["code"] or "-", op["text"] or "no rule said why"] += 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models_dir", type=Path)
    parser.add_argument("--driver", default="build/bin/mlir-fusion", help="default: %(default)s")
    arguments = parser.parse_args()

    print(HEADER)
    clean, unexplained = [], []
    for folder in sorted(path for path in arguments.models_dir.iterdir() if path.is_dir()):
        name = folder.name
        model = next((path for path in (folder / f"{name}.mlirbc", folder / f"{name}.mlir") if path.exists()), None)
        if not model:
            sys.exit(f"expected {name}.mlirbc or {name}.mlir in {folder}, got neither")
        report = explain(arguments.driver, model)
        if not report["outside"]:
            clean.append(name)
            continue
        roots = len(report["roots"])
        print(f"\n## {name}: {roots} roots, {len(report['outside'])} ops outside\n")
        print("| count | op | computes | reason | |\n|-|-|-|-|-|")
        for (op, body, code, text), count in rows(report):
            print(f"| {count} | `{op}` | {body} | `{code}` | {text} |")
            if code == "-":
                unexplained.append(name)
    print(f"\n## Nothing outside\n\n{', '.join(clean) or 'none'}")
    if unexplained:
        sys.exit(f"ops without a reason in {', '.join(sorted(set(unexplained)))}")


if __name__ == "__main__":
    main()
