#!/usr/bin/env python3
"""Checks one library of dynamic sizes against ONNX Runtime, and its time against a library of one size.

    check_dynamic.py model.onnx input=?,3,48,? --at input=1,3,48,320 --at input=2,3,48,200

imports model.onnx with the sizes marked ? kept dynamic, compiles it once for each target, and runs it at each --at (one word for each
input) with each number of threads: the largest error is at most --tolerance of the largest magnitude, and the bits are the same for all
numbers of threads. Then the model is imported with the sizes of the first --at fixed, and both libraries are measured in turns.
Needs a Python with numpy and onnxruntime, and mlir-fusion in the PATH or as --driver. Exits with 1 if a result is wrong or the
dynamic library is slower than --slower times the static one.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

IMPORTER = Path(__file__).resolve().parent.parent / "scripts" / "import-onnx.sh"
TYPES = {"float": np.float32, "double": np.float64, "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "bool": np.bool_}


def call(*command):
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    if run.returncode == 0:
        return run.stdout
    sys.exit(f"{' '.join(str(word) for word in command)}: status {run.returncode}\n{(run.stdout + run.stderr)[-2000:]}")


def make_inputs(session, words, folder):
    """Random inputs of the shapes in `words`, in the order of the session, as files."""
    shapes = {name: [int(size) for size in sizes.split(",")] for name, _, sizes in (word.rpartition("=") for word in words)}
    generator, feed, paths = np.random.default_rng(0), {}, []
    for value in session.get_inputs():
        element = TYPES[value.type.removeprefix("tensor(").removesuffix(")")]
        numbers = generator.standard_normal(shapes[value.name])
        feed[value.name] = numbers.astype(element) if element in (np.float32, np.float64) else (numbers > 0).astype(element)
        paths.append(folder / f"in{len(paths)}.npy")
        np.save(paths[-1], feed[value.name])
    return feed, paths


def check(arguments, session, libraries, words, folder):
    feed, inputs = make_inputs(session, words, folder)
    flags = [flag for path in inputs for flag in ("--input", path)]
    for index, result in enumerate(session.run(None, feed)):
        np.save(folder / f"want{index}.npy", result)
        flags += ["--expect", folder / f"want{index}.npy"]
    for target, library in libraries.items():
        first, error = None, 0.0
        for threads in arguments.threads.split(","):
            report = folder / "run.json"
            call(arguments.driver, "run", library, *flags, "--rtol-max", arguments.tolerance, "--threads", threads,
                 "--output-dir", folder / "out", "--json", report)
            bits = [path.read_bytes() for path in sorted((folder / "out").iterdir())]
            if first is not None and bits != first:
                sys.exit(f"{target} {' '.join(words)}: expected the same bits for all numbers of threads")
            first = bits
            error = max(error, *(row["largest_error_of_largest"] for row in json.loads(report.read_text())["results"]))
        print(f"{target} {' '.join(words)}: right with {arguments.threads} threads, largest error {error:.1e}", flush=True)
    return flags[: 2 * len(inputs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("dynamic", nargs="+", metavar="INPUT=?,D,…")
    parser.add_argument("--at", nargs="+", action="append", required=True, metavar="INPUT=D,D,…")
    parser.add_argument("--targets", default="host,x86-64-v3")
    parser.add_argument("--threads", default="1,2,3")
    parser.add_argument("--tolerance", default="1e-4")
    parser.add_argument("--slower", type=float, default=1.2)
    parser.add_argument("--repeat", default="50")
    parser.add_argument("--driver", default="mlir-fusion")
    arguments = parser.parse_args()

    # Here, so that --help needs none.
    try:
        import onnxruntime
    except ImportError as problem:
        sys.exit(f"error: expected a Python with onnxruntime, such as build/peers/peers/bin/python of compare.sh: {problem}")

    session = onnxruntime.InferenceSession(arguments.model, providers=["CPUExecutionProvider"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        call(IMPORTER, arguments.model, folder / "dynamic.mlirbc", *arguments.dynamic)
        libraries = {}
        for target in arguments.targets.split(","):
            libraries[target] = folder / f"{target}.so"
            call(arguments.driver, "compile", folder / "dynamic.mlirbc", "-o", libraries[target], "--target", target)
        for words in reversed(arguments.at):
            inputs = check(arguments, session, libraries, words, folder)

        call(IMPORTER, arguments.model, folder / "static.mlirbc", *arguments.at[0])
        target = next(iter(libraries))
        call(arguments.driver, "compile", folder / "static.mlirbc", "-o", folder / "static.so", "--target", target)
        call(arguments.driver, "bench", folder / "static.so", libraries[target], *inputs, "--threads", "1",
             "--repeat", arguments.repeat, "--rtol-max", arguments.tolerance, "--json", folder / "bench.json")
        variants = json.loads((folder / "bench.json").read_text())["variants"]
        ratio, interval = variants[1]["ratio"], variants[1]["ratio_interval"]
        print(f"time of one size: {ratio:.3f} of the static library's (95 % interval {interval})")
        sys.exit(ratio > arguments.slower)


if __name__ == "__main__":
    main()
