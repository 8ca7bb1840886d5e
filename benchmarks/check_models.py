#!/usr/bin/python3
"""Checks compiled models against their expected results, for each target and number of threads.

MODELS_DIR holds a folder NAME for each model with NAME.mlirbc (or NAME.mlir), in0.npy, in1.npy, … and out0.npy, out1.npy, …
A model passes if the largest error is at most --tolerance of the largest magnitude of the expected output and all numbers of
threads give the same bits. Exits with 1 if any fails.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

TIMEOUT = 300  # seconds, for each call of the driver


class Failure(Exception):
    pass


def words(text):
    return text.split(",")


def select(directory, patterns):
    """The folders that match the patterns; a pattern that matches nothing is an error."""
    folders = sorted(path for path in directory.iterdir() if path.is_dir())
    for pattern in patterns:
        if not any(fnmatch(folder.name, pattern) for folder in folders):
            sys.exit(f"expected a model named {pattern} in {directory}, got none")
    return [folder for folder in folders if any(fnmatch(folder.name, pattern) for pattern in patterns)]


def model_of(folder):
    for suffix in (".mlirbc", ".mlir"):
        if (model := folder / f"{folder.name}{suffix}").exists():
            return model
    raise Failure(f"expected {folder.name}.mlirbc in {folder}")


def numbered(folder, stem):
    """stem0.npy, stem1.npy, … as far as they go."""
    paths = []
    while (path := folder / f"{stem}{len(paths)}.npy").exists():
        paths.append(path)
    return paths


def call(command):
    start = time.perf_counter()
    try:
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[1]} took more than {TIMEOUT} s")
    if run.returncode:
        lines = (run.stderr.strip() or run.stdout.strip() or "no message").splitlines()
        message = next((line for line in lines if "error" in line), lines[-1])
        raise Failure(f"{command[1]} exited with {run.returncode}: {message}")
    return time.perf_counter() - start


def relative_error(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        raise Failure(f"expected a result of {want.dtype}{list(want.shape)}, got {got.dtype}{list(got.shape)}")
    got, want = got.astype(np.float64), want.astype(np.float64)
    scale = np.abs(want).max(initial=0.0)
    return np.abs(got - want).max(initial=0.0) / (scale if scale > 0 else 1.0)


def check(driver, folder, target, threads, tolerance, disable):
    """Compiles and runs one model for one target; returns its row of the table."""
    row = {"model": folder.name, "target": target, "disable": disable, "compile_s": None, "error": None, "problem": None}
    try:
        with tempfile.TemporaryDirectory() as scratch:
            library = Path(scratch) / f"{folder.name}.so"
            command = [driver, "compile", model_of(folder), "-o", library, "--target", target]
            row["compile_s"] = call(command + (["--disable", ",".join(disable)] if disable else []))
            expected = [np.load(path) for path in numbered(folder, "out")]
            if not expected:
                raise Failure(f"expected out0.npy in {folder}")
            first, errors = None, []
            for count in threads:
                output = Path(scratch) / f"threads{count}"
                output.mkdir()
                command = [driver, "run", library, "--threads", count, "--output-dir", output]
                for path in numbered(folder, "in"):
                    command += ["--input", path]
                call(command)
                results = [np.load(path) for path in numbered(output, "out")]
                if len(results) != len(expected):
                    raise Failure(f"expected {len(expected)} results, got {len(results)}")
                errors += [relative_error(got, want) for got, want in zip(results, expected)]
                row["error"] = float(np.max(errors))
                if not row["error"] <= tolerance:
                    raise Failure(f"the largest error is above {tolerance} with {count} thread(s)")
                bits = [result.tobytes() for result in results]
                if first is not None and bits != first:
                    raise Failure(f"{count} and {threads[0]} thread(s) give different bits")
                first = bits
    except Failure as failure:
        row["problem"] = str(failure)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, metavar="MODELS_DIR")
    parser.add_argument("--names", type=words, default=["*"], help="names or patterns of models, comma separated (default: all)")
    parser.add_argument("--targets", type=words, default=["host", "x86-64-v3"], help="default: host,x86-64-v3")
    parser.add_argument("--threads", type=words, default=["1", "2", "3"], help="default: 1,2,3")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="default: %(default)s")
    parser.add_argument("--disable", type=words, default=[], help="switches of the driver's --disable")
    parser.add_argument("--each-rule-off", action="store_true", help="repeat the check with each rule of --list-rules off")
    parser.add_argument("--driver", default="build/bin/mlir-fusion", help="default: %(default)s")
    parser.add_argument("--json", metavar="FILE", help="write the table there")
    args = parser.parse_args()

    switches = [args.disable]
    if args.each_rule_off:
        listing = subprocess.run([args.driver, "explain", "--list-rules"], capture_output=True, text=True, check=True)
        switches = [args.disable + [label] for label in (line.split()[0] for line in listing.stdout.splitlines())]
    rows = []
    print(f"{'model':24}{'target':12}{'compile s':>10}{'error':>10}  result")
    for disable in switches:
        if args.each_rule_off:
            print(f"--disable {','.join(disable)}")
        for folder in select(args.models, args.names):
            for target in args.targets:
                row = check(args.driver, folder, target, args.threads, args.tolerance, disable)
                rows.append(row)
                seconds, error = row["compile_s"], row["error"]
                print(
                    f"{row['model']:24}{target:12}{'' if seconds is None else f'{seconds:.2f}':>10}"
                    f"{'' if error is None else f'{error:.1e}':>10}  {row['problem'] or 'right'}",
                    flush=True,
                )
    failed = sum(row["problem"] is not None for row in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    if args.json:
        Path(args.json).write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
